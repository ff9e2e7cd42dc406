package gate

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/screen"
)

// Op is what approval of a proposal does.
type Op string

// The operations.
const (
	Put    Op = "put"    // store the draft as the live revision
	Forget Op = "forget" // retire the live revision
)

// State is where a proposal stands.
type State string

// The states. A pending proposal becomes expired by the clock alone.
const (
	Pending  State = "pending"
	Approved State = "approved"
	Rejected State = "rejected"
	Expired  State = "expired"
)

// Proposal is content that waits for a decision, or one that was decided.
type Proposal struct {
	ID       uint64           `json:"id"` // Seq of the commit that made it
	Op       Op               `json:"op"`
	Draft    document.Draft   `json:"draft"`
	Base     uint64           `json:"base"` // revision that must be live at the decision, 0 = none
	Proposer string           `json:"proposer"`
	Prompt   string           `json:"prompt,omitempty"`
	Reason   string           `json:"reason,omitempty"` // of a forget
	Created  time.Time        `json:"created"`
	Expires  time.Time        `json:"expires"`
	Findings []screen.Finding `json:"findings,omitempty"` // of the screen in the content
	Held     bool             `json:"held,omitempty"`     // waits only because of Findings
	State    State            `json:"state"`
	Digest   document.Digest  `json:"digest"` // what an approval must name
	Decided  *Decided         `json:"decided,omitempty"`

	by policy.Actor // the proposer with the roles it had
}

// Decided says who decided a proposal, how and when.
type Decided struct {
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason,omitempty"`
	Seq    uint64    `json:"seq"` // commit of the decision
}

func newProposal(actor policy.Actor, s Submission, found []screen.Finding, live, id uint64, now time.Time, ttl time.Duration) Proposal {
	p := Proposal{
		ID: id, Op: s.Op, Draft: s.Draft, Base: live, Proposer: actor.String(), Prompt: s.Prompt,
		Reason: s.Reason, Created: now, Expires: now.Add(ttl), Held: s.Held, State: Pending,
		Findings: found, by: actor,
	}
	p.Draft.Base, p.Draft.Flags = &p.Base, nil
	for _, t := range []*time.Time{&p.Draft.ValidFrom, &p.Draft.ValidTo, &p.Draft.Expires} {
		*t = codec.Instant(codec.Micros(*t)) // as it is stored
	}
	p.Digest = p.digest()
	return p
}

// Findings is what the screen says of a draft: of its bytes, and of the title
// and tags, which are shown to agents too.
func Findings(d document.Draft) []screen.Finding {
	out := screen.Check(d.Body)
	for _, s := range append([]string{d.Title}, d.Tags...) {
		for _, f := range screen.Check([]byte(s)) {
			f.Start, f.End, f.Reason = 0, 0, "in title or tag: "+f.Reason
			out = append(out, f)
		}
	}
	return out
}

// View returns the text that a reviewer must be shown before approving: the
// operation and its circumstances, then the content with every invisible or
// control character written out. Each circumstance begins at the start of a
// line and goes on indented, so that no value can pass for another. It is a
// function of the stored proposal, and its digest is part of Proposal.Digest.
func (p Proposal) View() string {
	var b strings.Builder
	b.Grow(len(p.Draft.Body) + 1024)
	p.writeView(&b)
	return b.String()
}

// textWriter is what a strings.Builder and a bufio.Writer are.
type textWriter interface {
	io.Writer
	io.StringWriter
}

// writeView writes the view to w, whose errors are its owner's to look at.
func (p Proposal) writeView(w textWriter) {
	line := func(name, value string) {
		if value != "" {
			value = strings.ReplaceAll(screen.Reveal(value), "\n", "\n"+strings.Repeat(" ", nameWidth+1))
			fmt.Fprintf(w, "%-*s %s\n", nameWidth, name, value)
		}
	}
	d := p.Draft
	line("operation", string(p.Op))
	line("uri", d.URI.String())
	line("replaces", revisionText(p.Base))
	line("proposer", p.Proposer)
	line("prompt", p.Prompt)
	line("reason", p.Reason)
	line("title", d.Title)
	line("kind", d.Kind)
	for _, t := range d.Tags {
		line("tag", t)
	}
	line("language", d.Lang)
	line("owner", d.Owner)
	line("valid from", instantText(d.ValidFrom))
	line("valid to", instantText(d.ValidTo))
	line("expires", instantText(d.Expires))
	line("media type", d.MediaType)
	for _, f := range p.Findings {
		line("finding", fmt.Sprintf("%s at bytes %d to %d: %s", f.Rule, f.Start, f.End, f.Reason))
	}
	if p.Op == Put {
		w.WriteString("\n")
		for l := range strings.Lines(string(d.Body)) {
			w.WriteString("  | ")
			w.WriteString(screen.Reveal(strings.TrimSuffix(l, "\n")))
			w.WriteString("\n")
		}
	}
}

// nameWidth is the width of the names in a view.
const nameWidth = 10

func revisionText(n uint64) string {
	if n == 0 {
		return "nothing: a new document"
	}
	return fmt.Sprintf("revision %d", n)
}

func instantText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999Z07:00") // RFC 3339 to the microsecond
}

// bound is what an approval is bound to; its deterministic encoding is hashed.
type bound struct {
	V         uint8  `cbor:"0,keyasint"`
	Op        string `cbor:"1,keyasint"`
	URI       string `cbor:"2,keyasint"`
	Base      uint64 `cbor:"3,keyasint"`
	Proposer  string `cbor:"4,keyasint"`
	MediaType string `cbor:"5,keyasint"`
	Bytes     []byte `cbor:"6,keyasint"` // SHA-256 of the stored bytes
	View      []byte `cbor:"7,keyasint"` // SHA-256 of the view shown
	ID        uint64 `cbor:"8,keyasint"` // so that no approval fits a second, equal proposal
}

func (p Proposal) digest() document.Digest {
	h := sha256.New()
	w := bufio.NewWriter(h)
	p.writeView(w)
	w.Flush() // into a hash, which takes everything
	body, view := document.DigestOf(p.Draft.Body), h.Sum(nil)
	return document.DigestOf(codec.Marshal(bound{
		V: version, Op: string(p.Op), URI: p.Draft.URI.String(), Base: p.Base, Proposer: p.Proposer,
		MediaType: p.Draft.MediaType, Bytes: body[:], View: view, ID: p.ID,
	}))
}

// rules returns the distinct rules of the findings, in order of appearance.
func (p Proposal) rules() []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range p.Findings {
		if !seen[f.Rule] {
			seen[f.Rule] = true
			out = append(out, f.Rule)
		}
	}
	return out
}
