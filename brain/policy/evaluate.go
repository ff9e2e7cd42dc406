package policy

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/seed70401ef0/brain-go/brain/uri"
)

// ErrDenied is what the error of every denied decision is, for errors.Is.
var ErrDenied = errors.New("denied by policy")

// Reason says which step decided. It is for the log and for whoever writes
// rules; a caller that is denied a name learns only that it is not there.
type Reason uint8

// The steps, in the order in which they are asked.
const (
	NoPolicy      Reason = iota // a nil set
	BadActor                    // anonymous, malformed, or named as a group is
	BadAction                   // a word that is no action
	BadName                     // the action needs a name and got none
	NotForAgents                // the action is never an agent's
	OwnProposal                 // the proposer decides, or nobody knows who proposed
	ByFloor                     // a floor denies
	ByPath                      // the most specific path rule
	ByUser                      // a rule for the actor or its group
	ByRole                      // a rule for its role
	ByDefault                   // a default
	NoRule                      // nothing speaks of it: deny
	GroupsTooDeep               // as NoRule, and a membership was too deep or in a cycle to grant
)

// String returns a short text in lower case.
func (r Reason) String() string {
	switch r {
	case NoPolicy:
		return "no policy"
	case BadActor:
		return "actor without a valid name"
	case BadAction:
		return "unknown action"
	case BadName:
		return "no name"
	case NotForAgents:
		return "never for agents"
	case OwnProposal:
		return "own proposal"
	case ByFloor:
		return "floor"
	case ByPath:
		return "path rule"
	case ByUser:
		return "user rule"
	case ByRole:
		return "role rule"
	case ByDefault:
		return "default"
	case NoRule:
		return "no rule"
	case GroupsTooDeep:
		return fmt.Sprintf("no rule; groups nested over %d deep or in a cycle grant nothing", MaxNesting)
	}
	return "unknown reason"
}

// Decision is one answer. The zero value denies.
type Decision struct {
	Allow  bool
	Rule   string            // id of the rule that decided; of several that agree the least; "" when none did
	Reason Reason            // the step that decided
	Digest [sha256.Size]byte // of the policy that was asked
}

// Err returns nil for an allowed request, and a *Denial for a denied one.
func (d Decision) Err() error {
	if d.Allow {
		return nil
	}
	return &Denial{d}
}

// Denial is the error of a denied decision; it is ErrDenied and names the step
// and the rule.
type Denial struct{ Decision }

// Error implements error.
func (d *Denial) Error() string {
	if d.Rule == "" {
		return fmt.Sprintf("%v: %s", ErrDenied, d.Reason)
	}
	return fmt.Sprintf("%v: %s %s", ErrDenied, d.Reason, d.Rule)
}

// Unwrap returns ErrDenied.
func (d *Denial) Unwrap() error { return ErrDenied }

// Because returns the rule that decided or, when none did, the step in words;
// these have a blank, which no rule's id has.
func (d Decision) Because() string {
	if d.Rule != "" {
		return d.Rule
	}
	return d.Reason.String()
}

// Evaluate answers whether a may do act on u. Whole-brain actions ignore u. The
// time is the larger of the clock and the newest time stored; for the zero time
// no expiring grant holds. Approve and Reject are always denied here, since who
// proposed is not known: see [Set.EvaluateProposal].
//
// It costs a map look-up per subject of the actor and matching pattern, some
// microseconds, and does not grow with the number of rules that do not match.
func (s *Set) Evaluate(a Actor, act Action, u uri.URI, now time.Time) Decision {
	return s.EvaluateProposal(a, act, u, Actor{}, now)
}

// EvaluateProposal is Evaluate for an action on a proposal of another actor. An
// actor with the proposer's ID, of whatever kind and by whatever token, may not
// decide; neither may anybody when the proposer has no valid name.
func (s *Set) EvaluateProposal(a Actor, act Action, u uri.URI, proposer Actor, now time.Time) Decision {
	if s == nil {
		return Decision{Reason: NoPolicy}
	}
	d := Decision{Digest: s.digest}
	tr, known := act.traits()
	switch {
	case !s.acts(a):
		d.Reason = BadActor
	case !known:
		d.Reason = BadAction
	case !tr.whole && u.IsZero():
		d.Reason = BadName
	case tr.noAgent && a.Kind == Agent:
		d.Reason = NotForAgents
	case tr.decides && (proposer.Check() != nil || proposer.ID == a.ID):
		d.Reason = OwnProposal
	default:
		if tr.whole {
			u = uri.URI{}
		}
		s.ask(&d, s.groups.of(a), tr.bit, u, now)
	}
	return d
}

// acts reports whether a may be judged by rules at all.
func (s *Set) acts(a Actor) bool { return a.Check() == nil && !s.groupNames[a.ID] }

// ask fills d from the rules.
func (s *Set) ask(d *Decision, h held, bit uint16, u uri.URI, now time.Time) {
	v := s.everywhere.verdict(h, bit, now)
	if v == nil {
		s.floors.visit(u, func(t *table) bool {
			if w := t.verdict(h, bit, now); w != nil && (v == nil || w.id < v.id) {
				v = w
			}
			return false
		})
	}
	if v != nil {
		d.Reason, d.Rule = ByFloor, v.id
		return
	}
	s.paths.visit(u, func(t *table) bool {
		v = t.verdict(h, bit, now)
		return v != nil
	})
	if v != nil {
		d.Reason, d.Rule, d.Allow = ByPath, v.id, v.allow
		return
	}
	s.fallBack(d, h, bit, now)
}

// fallBack fills d from the tiers that name no path.
func (s *Set) fallBack(d *Decision, h held, bit uint16, now time.Time) {
	for i := range s.tiers {
		if v := s.tiers[i].verdict(h, bit, now); v != nil {
			d.Reason, d.Rule, d.Allow = ByUser+Reason(i), v.id, v.allow
			return
		}
	}
	d.Reason = NoRule
	if h.cut {
		d.Reason = GroupsTooDeep
	}
}

// verdict returns the rule of t that decides for h, nil if none holds: a
// denial before an allow, the least id among equals.
func (t table) verdict(h held, bit uint16, now time.Time) *rule {
	var best *rule
	see := func(sub subject, rules []*rule) {
		grants, is := h.subjects[sub]
		if !is {
			return
		}
		for _, r := range rules {
			if r.actions&bit == 0 || r.allow && !(grants && r.holds(now)) {
				continue
			}
			if best == nil || best.allow && !r.allow || best.allow == r.allow && r.id < best.id {
				best = r
			}
		}
	}
	if len(t) < len(h.subjects) {
		for sub, rules := range t {
			see(sub, rules)
		}
		return best
	}
	for sub := range h.subjects {
		see(sub, t[sub])
	}
	return best
}

// holds reports whether an allow has not expired at now.
func (r *rule) holds(now time.Time) bool {
	return r.until.IsZero() || !now.IsZero() && now.Before(r.until)
}
