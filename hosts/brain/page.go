package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

// page writes for people. Text of documents goes through term.Line or
// term.Block before it gets here. After an error it writes nothing more.
type page struct {
	term.Style
	w     io.Writer
	width int
	err   error
}

func (p *page) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// line writes s and ends the line.
func (p *page) line(s string) { p.printf("%s\n", s) }

// indented writes text wrapped below a margin, marked spans in bold.
func (p *page) indented(margin, text string, marked []term.Span) {
	for _, l := range term.Wrap(text, p.width-len(margin), marked, p.Bold) {
		p.line(margin + l)
	}
}

// table writes rows in columns two spaces apart; the last column is not padded.
func (p *page) table(rows [][]string) {
	var widths []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], term.Width(cell))
		}
	}
	for _, r := range rows {
		var b strings.Builder
		for i, cell := range r {
			b.WriteString(cell)
			if i < len(r)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-term.Width(cell)+2))
			}
		}
		p.line(strings.TrimRight(b.String(), " "))
	}
}

// instant formats a time for people: to the second, in UTC.
func instant(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// took formats a duration with three digits.
func took(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%d µs", d.Microseconds())
}

// plural writes a count with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// bytesText formats a size.
func bytesText(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	f, i := float64(n)/unit, 0
	for f >= unit && i < 3 {
		f /= unit
		i++
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGT"[i])
}
