package chunk

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"", "\xef\xbb\xbf---\r\na: b\r\n---\r\n# T\r\n", "# a\n\n## [x y] s\n\nt\n", "- a\n\n  ```\n  b\n", "| a |\n|---|\n| b |\n",
		"<think>\n`<think>`\n</think>", "a\n===\n> # q\n", "0\n-:\n-", "---\n&a [*a]\n---\n", "\r\r\n\r", "~~~\n\x00\xff",
	} {
		for _, size := range []uint16{0, 16, 20} {
			f.Add([]byte(s), size, size == 16, size == 20)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, size uint16, plain, skip bool) {
		in := Input{Body: body}
		if plain {
			in.MediaType = "text/plain"
		}
		o := &Options{MaxChunks: 1 << 20}
		if size > 0 {
			o.MaxTokens = minMaxTokens + int(size%200)
		}
		if skip {
			o.SkipPrefixes = []string{"a", "- ", "```", "#"}
		}
		d, err := Split(in, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := check(in, o, d); err != nil {
			t.Fatal(err)
		}
	})
}

// markdown draws Markdown out of lines that meet each other badly.
func markdown() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{
		"", "", "", "word", "some words in a line. And a sentence more", "# One", "## Two", "### Three", "#### Four", "## [fact] entry",
		"- item", "  - nested", "    indented", "1. one", "> quote", "> > deep", "```", "~~~", "---", "===", "| a | b |", "|---|---|", "| c | d |",
		"<think>", "</think>", "a <analysis>b</analysis> c", "`<think>`", "<div>", "<!--", "-->", "[a]: b", "\t", "\x00", "\xff\xfe", "日本語。ここで切る", "e\u0301\u0301",
		strings.Repeat("long ", 40), strings.Repeat("x", 150),
	})
	end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\r"})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for _, l := range rapid.SliceOfN(line, 5, 80).Draw(t, "lines") {
			b.WriteString(l + end.Draw(t, "end"))
		}
		return b.String()
	})
}

func TestEveryByteIsInOneChunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Input{Body: []byte(markdown().Draw(t, "body")), MediaType: rapid.SampledFrom([]string{"", "text/plain"}).Draw(t, "media")}
		o := &Options{
			MaxTokens:    rapid.IntRange(minMaxTokens, 80).Draw(t, "max"),
			MinTokens:    rapid.IntRange(0, minMaxTokens).Draw(t, "min"),
			SkipPrefixes: rapid.SliceOfN(rapid.SampledFrom([]string{"word", "- ", "|", "## "}), 0, 2).Draw(t, "skip"),
		}
		d, err := Split(in, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := check(in, o, d); err != nil {
			t.Fatal(err)
		}
	})
}

// Line rules must keep the same promises as the tree: they read what the tree
// cannot hold.
func TestOutlineTilesTheBody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := unixLines([]byte(markdown().Draw(t, "body")))
		at := 0
		for _, b := range outlineBlocks(src) {
			if b.start != at || b.end < b.start || lineStart(src, b.start) != b.start {
				t.Fatalf("block %+v after %d", b, at)
			}
			at = b.end
		}
		if at != len(src) {
			t.Fatalf("blocks end at %d of %d", at, len(src))
		}
	})
}

func TestShortWayEqualsLongWay(t *testing.T) {
	lim, _ := (*Options)(nil).limits()
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.StringMatching(`([a-zé \-*>|.0-9\x60\n\t]|\n\n|\n- |\n    |\xff){0,400}`).Draw(t, "body")
		for _, md := range []bool{true, false} {
			s := &splitter{raw: []byte(body), lim: lim}
			if !s.short() {
				return
			}
			taken++
			if err := s.emit(); err != nil {
				t.Fatal(err)
			}
			l := &splitter{raw: []byte(body), lim: lim}
			if err := l.long(md); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(s.chunks, l.chunks) || s.title != l.title || !reflect.DeepEqual(s.warnings, l.warnings) {
				t.Fatalf("short %+v, long %+v", s.chunks, l.chunks)
			}
		}
	})
	if taken == 0 {
		t.Error("no body took the short way")
	}
}

// Where line rules stand in for the tree, they must not be told from it.
func TestLineRulesEqualTree(t *testing.T) {
	lim, _ := (*Options)(nil).limits()
	taken := 0
	equal := func(body string) string {
		s := &splitter{raw: []byte(body), lim: lim}
		s.src = unixLines(s.raw)
		if !onlyHeadings(s.src) {
			return ""
		}
		if s.blocks = outlineBlocks(s.src); !sectionsFit(s.blocks, lim.max) {
			return ""
		}
		taken++
		l := &splitter{raw: s.raw, src: s.src, lim: lim}
		l.parseTree()
		for _, s := range []*splitter{s, l} {
			s.strip(true)
			if err := s.finish(); err != nil {
				return err.Error()
			}
		}
		if !reflect.DeepEqual(s.chunks, l.chunks) || s.title != l.title {
			return fmt.Sprintf("line rules %+v, tree %+v", s.chunks, l.chunks)
		}
		return ""
	}
	line := rapid.StringMatching(`(#{1,7}|- |  |> |1\. |\x60{3,4}|~{3}|\|)?[a#\-=|:*_\[\]\\ \t\x60~é.]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(line, 0, 25).Draw(t, "lines"), rapid.SampledFrom([]string{"\n", "\n\n", "\r\n"}).Draw(t, "end"))
		if diff := equal(body); diff != "" {
			t.Fatal(diff)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		if diff := equal(markdown().Draw(t, "body")); diff != "" {
			t.Fatal(diff)
		}
	})
	for _, body := range notes(20, true) {
		if diff := equal(string(body)); diff != "" {
			t.Fatal(diff)
		}
	}
	t.Logf("%d bodies took line rules", taken)
	if taken < 5 {
		t.Errorf("%d bodies took line rules", taken)
	}
}

func TestConcurrentSplit(t *testing.T) {
	body := notes(1, true)[0]
	want, err := Split(Input{Body: body}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got, err := Split(Input{Body: body}, nil); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("got %+v, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}
