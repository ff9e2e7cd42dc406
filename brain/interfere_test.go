package brain

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// twin is two brains of which one never held what the reader may not see.
type twin struct {
	t          *rapid.T
	full, part *DB
	reader     Actor
	open, shut string            // URI prefixes that the reader may and may not read
	proposals  map[uint64]uint64 // id in full to id in part, of those that the reader sees
}

var wordsOf = strings.Fields("tide harbour pilot buoy rope knot storm coast ferry crew engine pump valve chart the of and")

// both runs one step in the full brain and, when it is about what the reader may
// see, in the other one too.
func (w *twin) both(shown bool, step func(db *DB) error) {
	errs := []error{step(w.full)}
	if shown {
		errs = append(errs, step(w.part))
		if Code(errs[0]) != Code(errs[1]) {
			w.t.Fatalf("with the hidden part %v, without %v", errs[0], errs[1])
		}
	}
}

func (w *twin) step() {
	shown := rapid.Bool().Draw(w.t, "shown")
	prefix := w.shut
	if shown {
		prefix = w.open
	}
	u := name(fmt.Sprintf("%s%d", prefix, rapid.IntRange(0, 4).Draw(w.t, "name")))
	text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(wordsOf), 1, 8).Draw(w.t, "text"), " ")
	switch rapid.IntRange(0, 5).Draw(w.t, "step") {
	case 0, 1, 2:
		w.both(shown, func(db *DB) error {
			_, err := db.As(ana).Put(bg, Draft{URI: u, Body: []byte(text), Tags: []string{"x"}})
			return err
		})
	case 3:
		w.both(shown, func(db *DB) error { _, err := db.As(ana).Forget(bg, u, "old"); return err })
	default:
		var p [2]Proposal
		i := 0
		w.both(shown, func(db *DB) (err error) {
			p[i], err = db.As(Agent("author")).Propose(bg, Draft{URI: u, Body: []byte(text)}, "")
			i++
			return err
		})
		if shown {
			w.proposals[p[0].ID] = p[1].ID
		}
		if rapid.Bool().Draw(w.t, "decided") {
			i = 0
			w.both(shown, func(db *DB) error {
				_, err := db.As(ana).Decide(bg, Decision{ID: p[i].ID, Approve: true, Digest: p[i].Digest})
				i++
				return err
			})
		}
	}
}

// plain is the JSON of v without what counts hidden commits: Seq, and the ids
// and digests of proposals, which hold it.
func plain(v any, err error) string {
	text, e := json.Marshal(v)
	if e != nil {
		return e.Error()
	}
	var tree any
	if e := json.Unmarshal(text, &tree); e != nil {
		return e.Error()
	}
	strip(tree)
	text, _ = json.Marshal(tree)
	if err != nil {
		return string(text) + " " + err.Error()
	}
	return string(text)
}

func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range []string{"seq", "retired"} {
			if n, ok := v[k].(float64); ok && n > 0 {
				v[k] = true
			}
		}
		if _, ok := v["proposer"]; ok {
			delete(v, "id")
			delete(v, "digest")
		}
		if _, ok := v["proposals"]; ok && v["next"] != nil {
			v["next"] = true
		}
		for _, x := range v {
			strip(x)
		}
	case []any:
		for _, x := range v {
			strip(x)
		}
	}
}

func (w *twin) compare(what string, ask func(db *DB, s *Session) string) {
	w.t.Helper()
	full, part := ask(w.full, w.full.As(w.reader)), ask(w.part, w.part.As(w.reader))
	if full != part {
		w.t.Fatalf("%s, with the hidden part\n%s\nwithout\n%s", what, full, part)
	}
}

func (w *twin) compareAll() {
	query := strings.Join(rapid.SliceOfN(rapid.SampledFrom(wordsOf), 1, 4).Draw(w.t, "query"), " ")
	k := rapid.IntRange(1, 12).Draw(w.t, "k")
	for _, m := range []recall.Mode{recall.Lexical, recall.Vector, recall.Hybrid} {
		q := rapid.SampledFrom([]Query{
			{}, {Phrases: []string{"tide"}}, {Exclude: []string{"tide"}}, {Tags: []string{"x"}},
			{Domains: []string{"shut", "open"}}, {Owners: []string{"person:ana"}},
		}).Draw(w.t, "filter")
		q.Text, q.Mode, q.Limit, q.Explain = query, m, k, true
		w.compare("recall", func(_ *DB, s *Session) string { return plain(s.Recall(bg, q)) })
	}
	for _, q := range []ListQuery{{}, {Limit: k}, {Prefix: "brain://"}, {Prefix: w.shut}, {Owner: "person:ana", Limit: k}, {Tags: []string{"x"}}} {
		w.compare("list", func(_ *DB, s *Session) string {
			page, err := s.List(bg, q)
			return plain(page, err)
		})
	}
	for _, state := range []string{"pending", "approved", "all"} {
		w.compare("proposals", func(_ *DB, s *Session) string {
			out := ""
			for q := (ProposalQuery{State: state, Limit: k}); ; {
				page, err := s.Proposals(bg, q)
				out += plain(page, err) + "\n"
				if q.After = page.Next; q.After == 0 {
					return out
				}
			}
		})
	}
	for full, part := range w.proposals {
		w.compare("proposal", func(db *DB, s *Session) string {
			if db == w.full {
				return plain(s.Proposal(bg, full))
			}
			return plain(s.Proposal(bg, part))
		})
	}
	i := rapid.IntRange(0, 4).Draw(w.t, "name")
	for _, prefix := range []string{w.open, w.shut} {
		w.compareName(name(fmt.Sprintf("%s%d", prefix, i)))
	}
}

// compareName asks everything about one name, also what is refused.
func (w *twin) compareName(u uri.URI) {
	zero := uint64(0)
	for what, ask := range map[string]func(s *Session) string{
		"get":     func(s *Session) string { return plain(s.Get(bg, u, 0)) },
		"old":     func(s *Session) string { return plain(s.Get(bg, u, 1)) },
		"history": func(s *Session) string { return plain(s.History(bg, u)) },
		"put":     func(s *Session) string { return plain(s.Put(bg, Draft{URI: u, Body: []byte("x"), Base: &zero})) },
		"forget":  func(s *Session) string { return plain(s.Forget(bg, u, "")) },
		"restore": func(s *Session) string { return plain(s.Restore(bg, u, 1)) },
	} {
		w.compare(what+" "+u.String(), func(_ *DB, s *Session) string { return ask(s) })
	}
	if strings.HasPrefix(u.String(), w.shut) { // else it would succeed
		w.compare("propose", func(_ *DB, s *Session) string {
			return plain(s.Propose(bg, Draft{URI: u, Body: []byte("x"), Base: &zero}, ""))
		})
		w.compare("propose forget", func(_ *DB, s *Session) string { return plain(s.ProposeForget(bg, u, "", "")) })
	}
}

// What an actor may not read does not exist for it, whatever it asks.
func TestNonInterference(t *testing.T) {
	const rounds = 400 // more than rapid makes, shrinking included, or it stops early
	o, c := small(), newClock()
	o.Now = c.time
	o.Policy = rulesOf(t, func(d *policy.Document) {
		d.Defaults = nil
		d.Paths = []policy.Rule{
			path("authors", "allow", "agent:author", "brain://open/**", policy.Read, policy.Propose),
			path("authors-too", "allow", "agent:author", "brain://shut/**", policy.Read, policy.Propose),
		}
		for i := range rounds {
			who := fmt.Sprintf("person:r%d", i)
			d.Paths = append(d.Paths,
				path(fmt.Sprintf("open%d", i), "allow", who, fmt.Sprintf("brain://open/%d/**", i), policy.Read, policy.Propose, policy.Review),
				// Rights to change what one cannot read show nothing either.
				path(fmt.Sprintf("shut%d", i), "allow", who, fmt.Sprintf("brain://shut/%d/**", i), policy.Propose, policy.Write, policy.Forget))
		}
	})
	full, part := openAt(t, t.TempDir(), o), openAt(t, t.TempDir(), o)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		if round++; round >= rounds {
			rt.Skip("out of rounds")
		}
		w := &twin{
			t: rt, full: full, part: part, reader: Person(fmt.Sprintf("r%d", round)), proposals: map[uint64]uint64{},
			open: fmt.Sprintf("brain://open/%d/", round), shut: fmt.Sprintf("brain://shut/%d/", round),
		}
		for range rapid.IntRange(1, 6).Draw(rt, "steps") {
			w.step()
		}
		w.compareAll()
	})
}
