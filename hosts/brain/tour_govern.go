package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/uri"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

// correct lets an agent propose a correction and a person approve it.
func (t *tour) correct() error {
	t.heading("An agent proposes a correction, a person approves it by digest")
	doc, err := t.agent.Get(t.a.ctx, roster, 0)
	if err != nil {
		return err
	}
	draft := brain.Draft{URI: roster, Body: changed(doc.Body)}
	_, err = t.agent.Put(t.a.ctx, draft)
	t.outcome("agent:scribe writes", err)
	first, err := t.agent.Propose(t.a.ctx, draft, "Lía takes over February, Maren said so on the phone")
	if err != nil {
		return err
	}
	second, err := t.agent.Propose(t.a.ctx, draft, "the same once more, from the chat")
	if err != nil {
		return err
	}
	t.p.line(fmt.Sprintf("    agent:scribe proposes %d and %d; the reviewer is shown:", first.ID, second.ID))
	t.view(first, doc.Body)
	t.p.line("      digest     " + t.p.Name(first.Digest.String()))
	if err := t.decide(first, second); err != nil {
		return err
	}
	q := brain.Query{Text: "who is on duty in February 2026", Limit: 1, Phrases: []string{"February 2026"}}
	if err := t.recall(t.owner, "now", q); err != nil {
		return err
	}
	q.AsOf = t.seq
	return t.recall(t.owner, fmt.Sprintf("--as-of %d", t.seq), q)
}

// decide shows which approvals are refused and which is taken.
func (t *tour) decide(first, second brain.Proposal) error {
	yes := brain.Decision{ID: first.ID, Approve: true, Digest: first.Digest}
	_, err := t.agent.Decide(t.a.ctx, yes)
	t.outcome("agent:scribe approves its own", err)
	wrong := yes
	wrong.Digest = second.Digest
	_, err = t.owner.Decide(t.a.ctx, wrong)
	t.outcome("person:maren approves another digest", err)
	start := time.Now()
	r, err := t.owner.Decide(t.a.ctx, yes)
	if err != nil {
		return err
	}
	t.p.line(fmt.Sprintf("    person:maren approves %d: %s as revision %d, recallable after %s", first.ID, t.p.Good("live"), r.Revision, took(time.Since(start))))
	_, err = t.owner.Decide(t.a.ctx, brain.Decision{ID: second.ID, Approve: true, Digest: second.Digest})
	t.outcome(fmt.Sprintf("person:maren approves %d, made for revision 1", second.ID), err)
	return nil
}

// outcome says that a call was refused, and as what; the demo makes only calls
// here that must be.
func (t *tour) outcome(what string, err error) {
	if err == nil {
		t.p.line("    " + what + ": " + t.p.Bad("taken, which is wrong"))
		return
	}
	t.p.line("    " + what + ": " + t.p.Bad("refused") + ", " + string(brain.Code(err)))
}

// view writes what a reviewer sees, without the lines of content that stay.
func (t *tour) view(p brain.Proposal, old []byte) {
	stays := map[string]bool{}
	for line := range strings.Lines(term.Block(string(old))) {
		stays["  | "+line] = true
	}
	hidden := 0
	for line := range strings.Lines(term.Block(p.View())) {
		if stays[line] {
			hidden++
			continue
		}
		if line = strings.TrimRight(line, "\n"); line != "" {
			t.p.line("      " + term.Clip(line, t.p.width-6))
		}
	}
	t.p.line(t.p.Dim(fmt.Sprintf("        (%d more lines as they are now)", hidden)))
}

// hide stores a note with characters that no reader sees.
func (t *tour) hide() error {
	t.heading("A note with hidden characters waits for review and is not recalled")
	body := "# Harbour fees\n\nPay the fee to account 4711\u202e7777\u202c, reference \U000e0069\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065visitor mooring.\n"
	r, err := t.owner.Put(t.a.ctx, brain.Draft{URI: uri.MustParse("notes://inbox/harbour-fees.md"), Body: []byte(body)})
	if err != nil {
		return err
	}
	p, err := t.owner.Proposal(t.a.ctx, r[0].Proposal)
	if err != nil {
		return err
	}
	t.p.line(fmt.Sprintf("    %s as proposal %d, %s; the reviewer is shown:", t.p.Bad(string(r[0].Outcome)), p.ID, plural(len(p.Findings), "finding", "findings")))
	for line := range strings.Lines(p.View()) {
		if line = strings.TrimRight(term.Block(line), "\n"); strings.Contains(line, "Pay the fee") {
			for _, l := range term.Wrap(line, t.p.width-6, nil, nil) {
				t.p.line("      " + l)
			}
		}
	}
	return t.recall(t.owner, "", brain.Query{Text: "harbour fee account", Phrases: []string{"visitor mooring"}, Limit: 1})
}

// verify proves the log.
func (t *tour) verify() error {
	t.heading("The log of all this verifies")
	start := time.Now()
	report, err := t.db.Verify(t.a.ctx)
	if err != nil {
		return err
	}
	t.p.line(fmt.Sprintf("    %s: %s in %s, root %s", t.p.Good("valid"), plural(int(report.Head.Seq), "row", "rows"), took(time.Since(start)), report.Head.Root))
	return nil
}
