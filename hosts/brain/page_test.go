package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{bytesText(0), "0 B"}, {bytesText(1023), "1023 B"}, {bytesText(1024), "1.0 KiB"}, {bytesText(3 << 20), "3.0 MiB"},
		{bytesText(5 << 40), "5.0 TiB"}, {bytesText(5 << 50), "5120.0 TiB"},
		{took(950 * time.Nanosecond), "0 µs"}, {took(42 * time.Microsecond), "42 µs"}, {took(1500 * time.Microsecond), "1.5 ms"}, {took(2500 * time.Millisecond), "2.50 s"},
		{plural(0, "hit", "hits"), "0 hits"}, {plural(1, "hit", "hits"), "1 hit"}, {plural(2, "hit", "hits"), "2 hits"},
		{instant(time.Time{}), "-"}, {instant(time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))), "2026-01-02 02:04:05"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestTableAlignsByColumns(t *testing.T) {
	var b bytes.Buffer
	p := &page{w: &b, width: 80}
	p.table([][]string{{"a", "日本", "x"}, {"long", "b", "y"}, {"only"}})
	if want := "a     日本  x\nlong  b     y\nonly\n"; b.String() != want {
		t.Errorf("got\n%s want\n%s", b.String(), want)
	}
}

// A painted cell is as wide as its text.
func TestTableOfPaintedCells(t *testing.T) {
	var b bytes.Buffer
	p := &page{w: &b, width: 80, Style: term.NewStyle(true)}
	p.table([][]string{{p.Name("ab"), "x"}, {"abcd", "y"}})
	lines := strings.Split(b.String(), "\n")
	if lines[0] != p.Name("ab")+"    x" || lines[1] != "abcd  y" {
		t.Errorf("got %q", lines)
	}
}

func TestWidth(t *testing.T) {
	for _, c := range []struct {
		columns string
		want    int
	}{{"", 80}, {"100", 100}, {"7", 40}, {"4000", 120}, {"-3", 80}, {"x", 80}} {
		a := newApp(t.Context(), streams{nil, &bytes.Buffer{}, nil}, func(name string) string {
			if name == "COLUMNS" {
				return c.columns
			}
			return ""
		}, &globals{})
		if a.pretty.width != c.want {
			t.Errorf("COLUMNS=%q: width %d, want %d", c.columns, a.pretty.width, c.want)
		}
	}
}
