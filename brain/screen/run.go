package screen

import (
	"fmt"
	"unicode"
)

// How strays become a run.
const (
	maxGap = 2 // visible characters between two of one run
	minRun = 3 // characters that make a run on their own
)

// run collects characters that are near one another.
type run struct {
	start, end int
	count      int
	lastSeen   int          // visible characters before its last character
	by         [classes]int // count by class
	certain    class        // class of the first certain one
	split      bool         // it lies inside a word
}

func (u *run) add(s *scanner, d doubt) {
	if u.count == 0 {
		u.start = s.pos
	}
	u.count++
	u.end, u.lastSeen = s.end, s.seen
	u.by[s.class]++
	if d == certain && u.certain == visible {
		u.certain = s.class
	}
	if u.split || s.r == softHyphen {
		return
	}
	before := s.prev
	if classOf(before) != visible {
		before = s.lastVis
	}
	if after, _ := decode(s.text[s.end:]); classOf(after) == visible {
		u.split = splits(after) && splits(before)
	}
}

// splits reports whether r is a letter of a script in which nothing invisible
// stands between two letters.
func splits(r rune) bool { return r > 0 && unicode.IsLetter(r) && !runsOn(r) && !joins(r) }

func (u *run) finding() (Finding, bool) {
	if u.certain == visible && !u.split && u.count < minRun {
		return Finding{}, false
	}
	c := u.certain
	for k := zero; c == visible && k < classes; k++ {
		if u.by[k] == max(u.by[zero], u.by[selector], u.by[bidi], u.by[tag]) {
			c = k
		}
	}
	what := "out of place"
	switch {
	case u.certain != visible:
		what = "that no writing uses here"
	case u.split:
		what = "inside a word"
	}
	return Finding{
		Rule: c.rule(), Start: u.start, End: u.end,
		Reason: fmt.Sprintf("%d invisible characters %s", u.count, what),
	}, true
}
