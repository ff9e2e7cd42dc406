package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

// hitView prints the hits of a result for people.
type hitView struct {
	explain bool          // with what each leg thought
	full    bool          // whole text, not a snippet
	took    time.Duration // of the call, 0 = not shown
}

// snippetLines is how many lines of the page a snippet fills at most.
const snippetLines = 3

// print writes all hits and a line about the search.
func (v hitView) print(p *page, res brain.Result) {
	for i, h := range res.Hits {
		if i > 0 {
			p.line("")
		}
		v.hit(p, i+1, h)
	}
	if len(res.Hits) == 0 {
		p.line("No hits.")
	} else {
		p.line("")
	}
	about := fmt.Sprintf("%s of %s matching, seq %d", plural(len(res.Hits), "hit", "hits"),
		plural(res.Stats.Matching, "chunk", "chunks"), res.Seq)
	if res.Stats.Below > 0 {
		about += fmt.Sprintf(", %d below the score", res.Stats.Below)
	}
	if v.took > 0 {
		about += ", " + took(v.took)
	}
	p.line(p.Dim(about))
}

func (v hitView) hit(p *page, n int, h brain.Hit) {
	const margin = "   "
	score := fmt.Sprintf("%.3f", h.Score)
	title := term.Clip(term.Line(hitTitle(h)), p.width-len(margin)-len(score)-2)
	gap := strings.Repeat(" ", max(p.width-len(margin)-term.Width(title)-len(score), 1))
	p.line(fmt.Sprintf("%-3d", n) + p.Bold(title) + gap + score)
	p.line(margin + p.Name(term.Line(h.Chunk.String())) + p.Dim(fmt.Sprintf("  bytes %d-%d", h.Start, h.End)))
	p.line(margin + p.Dim(term.Clip(hitFacts(h), p.width-len(margin))))
	if len(h.Flags) > 0 {
		p.line(margin + p.Bad("released in spite of: "+term.Line(strings.Join(h.Flags, ", "))))
	}
	v.text(p, margin, h)
	if v.explain {
		legs(p, margin, h)
	}
}

// text writes the passage.
func (v hitView) text(p *page, margin string, h brain.Hit) {
	if v.full {
		for line := range strings.SplitSeq(strings.TrimSpace(term.Block(h.Text)), "\n") {
			p.line(margin + line)
		}
		return
	}
	passage(p, margin, h, snippetLines)
}

// passage writes the stretch of a hit that answers best, in about so many
// lines. Rules of tables are left out: in running text they are noise.
func passage(p *page, margin string, h brain.Hit, lines int) {
	const ragged = 8 // columns that a line loses to a word that does not fit
	var text strings.Builder
	for line := range strings.Lines(term.Block(h.Text)) {
		if strings.Trim(line, "|-: \n") != "" || !strings.Contains(line, "-") {
			text.WriteString(line)
		}
	}
	cut, spans := term.Snippet(text.String(), words(h), lines*(p.width-len(margin)-ragged))
	p.indented(margin, cut, spans)
}

// hitTitle is the title of the document and the headings above the chunk.
func hitTitle(h brain.Hit) string {
	title := h.Title
	if title == "" {
		title = h.Chunk.URI.Title()
	}
	if h.Breadcrumb == "" || h.Breadcrumb == title {
		return title
	}
	if rest, ok := strings.CutPrefix(h.Breadcrumb, title+" › "); ok {
		return title + " › " + rest
	}
	return title + " › " + h.Breadcrumb
}

// hitFacts is the line about who wrote it and when it holds.
func hitFacts(h brain.Hit) string {
	facts := []string{h.Kind, "written " + instant(h.Time) + " by " + h.Actor, fmt.Sprintf("seq %d", h.Seq)}
	if !h.ValidFrom.IsZero() {
		facts = append(facts, "from "+h.ValidFrom.UTC().Format(time.DateOnly))
	}
	if !h.ValidTo.IsZero() {
		facts = append(facts, "to "+h.ValidTo.UTC().Format(time.DateOnly))
	}
	if len(h.Tags) > 0 {
		facts = append(facts, "#"+strings.Join(h.Tags, " #"))
	}
	return term.Line(strings.Join(facts, " · "))
}

// words returns the query words that counted, to mark them in the text.
func words(h brain.Hit) []term.Term {
	var out []term.Term
	for _, l := range h.Legs {
		for _, t := range l.Terms {
			out = append(out, term.Term{Text: t.Text, Weight: t.Score})
		}
	}
	return out
}

// legs writes what each retrieval method thought of a hit.
func legs(p *page, margin string, h brain.Hit) {
	var rows [][]string
	for _, l := range h.Legs {
		rank := "deeper"
		if l.Rank > 0 {
			rank = fmt.Sprintf("rank %d", l.Rank)
		}
		rows = append(rows, []string{margin + l.Name, rank, fmt.Sprintf("score %.3f", l.Score), fmt.Sprintf("share %.3f", l.Share), termList(l)})
	}
	p.table(rows)
}

func termList(l recall.Leg) string {
	var out []string
	for _, t := range l.Terms {
		out = append(out, fmt.Sprintf("%s %.2f", term.Line(t.Text), t.Score))
	}
	return strings.Join(out, ", ")
}
