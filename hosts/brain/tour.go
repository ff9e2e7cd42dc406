package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/uri"
	"github.com/seed70401ef0/brain-go/hosts/brain/input"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

// tour is what brain demo shows, on a brain of its own.
type tour struct {
	a            *app
	p            *page
	dir          string
	db           *brain.DB
	owner, agent *brain.Session
	began        time.Time

	steps int
	seq   uint64 // before the correction
}

func (t *tour) brainDir() string { return filepath.Join(t.dir, "brain") }

// now is the clock of the demo: it stands at the day after the newest note, so
// that what holds "now" in the notes does not depend on when this runs.
func (t *tour) now() time.Time {
	return time.Date(2026, 2, 3, 9, 0, 0, 0, time.UTC).Add(time.Since(t.began))
}

// all takes the steps in order.
func (t *tour) all() error {
	for _, step := range []func() error{t.store, t.ask, t.askAtATime, t.correct, t.hide, t.verify} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (t *tour) heading(text string) {
	t.steps++
	t.p.line("")
	t.p.line(t.p.Bold(fmt.Sprintf("%d  %s", t.steps, text)))
}

// store puts the notes in, as brain add does.
func (t *tour) store() error {
	t.heading("Store a folder of notes")
	plan, err := input.NewPlan([]string{filepath.Join(t.dir, "notes")}, input.Options{})
	if err != nil {
		return err
	}
	defer plan.Close()
	ad := &adder{ctx: t.a.ctx, session: t.owner, bar: &progress{}, tell: func(string, string) {}}
	start := time.Now()
	if err := ad.all(plan.Read(nil)); err != nil {
		return err
	}
	st, err := t.db.Stats(t.a.ctx)
	if err != nil {
		return err
	}
	t.seq = st.Store.Head.Seq
	t.p.line(fmt.Sprintf("  %s, %s, one audit row each, durable after %s",
		plural(ad.report.stored(), "note", "notes"), plural(st.Index.Chunks, "chunk", "chunks"), took(time.Since(start))))
	return nil
}

// ask shows questions that need meaning, an exact name, and two notes.
func (t *tour) ask() error {
	t.heading("Ask: every hit has a source, a byte span and the legs that found it")
	for _, q := range []struct {
		text string
		hits int
	}{
		{"Who can dive on their own?", 1},
		{"How do I put the board into boot loader mode?", 1},
		{"SKB-295", 1},
		{"Who leads the project that discovered the clock error?", 2},
	} {
		if err := t.recall(t.owner, "", brain.Query{Text: q.text, Limit: q.hits}); err != nil {
			return err
		}
	}
	return nil
}

// askAtATime shows a decision that was superseded.
func (t *tour) askAtATime() error {
	t.heading("Ask about another time: notes say from when to when they hold")
	q := brain.Query{Text: "at what interval do stations measure", Limit: 1}
	if err := t.recall(t.owner, "now", q); err != nil {
		return err
	}
	q.At = time.Date(2024, 12, 1, 0, 0, 0, 0, time.UTC)
	return t.recall(t.owner, "--at 2024-12-01", q)
}

// recall asks and shows the hits in short.
func (t *tour) recall(s *brain.Session, how string, q brain.Query) error {
	q.Explain = true
	start := time.Now()
	res, err := s.Recall(t.a.ctx, q)
	if err != nil {
		return err
	}
	asked := "  ? " + t.p.Bold(q.Text)
	if how != "" {
		asked += "  " + how
	}
	t.p.line(asked + t.p.Dim("  "+took(time.Since(start))))
	if len(res.Hits) == 0 {
		t.p.line("    No hits.")
	}
	for _, h := range res.Hits {
		t.hit(h)
	}
	return t.p.err
}

// hit writes a hit in three lines.
func (t *tour) hit(h brain.Hit) {
	const margin = "    "
	var legs []string
	for _, l := range h.Legs {
		if l.Rank > 0 {
			legs = append(legs, fmt.Sprintf("%s #%d", l.Name, l.Rank))
		}
	}
	t.p.line(margin + term.Clip(term.Line(hitTitle(h)), t.p.width-40) + t.p.Dim(fmt.Sprintf("  %.2f: %s", h.Score, strings.Join(legs, ", "))))
	t.p.line(margin + t.p.Name(term.Line(h.Chunk.String())) + t.p.Dim(fmt.Sprintf(" bytes %d-%d", h.Start, h.End)))
	passage(t.p, margin, h, 2)
}

// roster is the note that the agent corrects.
var roster = uri.MustParse("notes://reference/on-call-winter-2025-26.md")

const (
	rosterWas = "| February 2026 | Haruka | Jörg |"
	rosterIs  = "| February 2026 | Lía | Jörg |"
)

// changed returns the body with the row of February as the agent wants it.
func changed(body []byte) []byte {
	return bytes.Replace(body, []byte(rosterWas), []byte(rosterIs), 1)
}
