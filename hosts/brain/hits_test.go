package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/brain/uri"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

func printed(t interface{ Fatalf(string, ...any) }, v hitView, width int, hits ...brain.Hit) string {
	var b bytes.Buffer
	p := &page{w: &b, width: width}
	v.print(p, brain.Result{Hits: hits, Stats: recall.Stats{Matching: len(hits)}})
	if p.err != nil {
		t.Fatalf("%v", p.err)
	}
	return b.String()
}

func TestHitTitle(t *testing.T) {
	u := uri.MustParse("notes://projects/lantern.md")
	for _, c := range []struct{ title, crumb, want string }{
		{"", "", "lantern"}, {"T", "", "T"}, {"T", "T", "T"}, {"T", "T › A", "T › A"}, {"T", "A › B", "T › A › B"}, {"", "A", "lantern › A"},
	} {
		if got := hitTitle(brain.Hit{Chunk: uri.Chunk{URI: u}, Title: c.title, Breadcrumb: c.crumb}); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.title, c.crumb, got, c.want)
		}
	}
}

func TestHitOnThePage(t *testing.T) {
	h := brain.Hit{
		Chunk: uri.Chunk{URI: uri.MustParse("s://x"), Revision: 3, N: 2}, Start: 10, End: 90, Title: "Prices",
		Text: "| a | b |\n|---|---|\n| lantern | 40 |\n", Kind: "note", Actor: "person:ana", Seq: 7, Score: .5,
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), ValidTo: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Tags: []string{"x", "y"},
		Flags: []string{"bidi"}, Legs: []recall.Leg{
			{Name: "bm25", Rank: 1, Score: 2, Share: .3, Terms: []recall.Term{{Text: "lantern", Score: 2}}}, {Name: "vector", Score: .1, Share: .2},
		},
	}
	want := `1  Prices                                             0.500
   s://x@r3#c2  bytes 10-90
   note · written 2026-01-02 03:04:05 by person:ana · seq …
   released in spite of: bidi
   | a | b | | lantern | 40 |
   bm25    rank 1  score 2.000  share 0.300  lantern 2.00
   vector  deeper  score 0.100  share 0.200

1 hit of 1 chunk matching, seq 0
`
	if got := printed(t, hitView{explain: true}, 59, h); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	full := printed(t, hitView{full: true}, 59, h)
	if !strings.Contains(full, "   |---|---|\n   | lantern | 40 |\n") || strings.Contains(full, "deeper") {
		t.Errorf("full:\n%s", full)
	}
}

// Whatever a document holds, the page holds no control or hidden character, and
// no line of text is wider than the page.
func TestHitsCannotDriveATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, name)
		}
		h := brain.Hit{
			Chunk: uri.Chunk{URI: uri.MustParse("s://x")}, Title: text("title"), Breadcrumb: text("crumb"), Text: text("text"),
			Kind: text("kind"), Actor: text("actor"), Tags: []string{text("tag")}, Flags: []string{text("flag")},
			Legs: []recall.Leg{{Name: "bm25", Terms: []recall.Term{{Text: text("term"), Score: 1}}}},
		}
		width := rapid.IntRange(40, 120).Draw(t, "width")
		for _, v := range []hitView{{}, {explain: true}, {full: true}} {
			out := printed(t, v, width, h)
			for _, r := range out {
				if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
					t.Fatalf("the page holds %U: %q", r, out)
				}
			}
			for i, line := range strings.Split(out, "\n") {
				if !v.full && !v.explain && i < 3 && term.Width(line) > width {
					t.Fatalf("line of %d columns on a page of %d: %q", term.Width(line), width, line)
				}
			}
		}
	})
}
