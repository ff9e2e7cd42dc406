package chunk

import (
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// graphemeWindow is how far before a cut graphemes are looked for, in bytes.
const graphemeWindow = 64

// cutLine calls fn for pieces of [start, end) that have at most limit characters
// each and are about equally long. It prefers to cut after a sentence, then
// after white space, both in the last quarter of a piece, then between two
// graphemes, and at worst between two runes.
func cutLine(src []byte, start, end, limit int, fn func(start, end int)) {
	left := runes(src[start:end])
	for left > limit {
		n := (left + limit - 1) / limit
		size := (left + n - 1) / n
		low := skipRunes(src, start, end, size*3/4)
		high := skipRunes(src, low, end, size-size*3/4)
		at := sentenceEnd(src, low, high)
		if at < 0 {
			at = graphemeBefore(src[:end], low, high)
		}
		fn(start, at)
		left -= runes(src[start:at])
		start = at
	}
	fn(start, end)
}

// skipRunes returns the offset n characters after pos.
func skipRunes(src []byte, pos, end, n int) int {
	for ; n > 0 && pos < end; n-- {
		_, w := utf8.DecodeRune(src[pos:end])
		pos += w
	}
	return pos
}

// sentenceEnd returns the last offset in (low, high] where a sentence ends, else
// where white space ends, else -1.
func sentenceEnd(src []byte, low, high int) int {
	blank := -1
	for i := high; i > low; i-- {
		if isSpace(src[i-1]) {
			if blank < 0 {
				blank = i
			}
			if i-2 >= low {
				switch src[i-2] {
				case '.', '!', '?':
					return i
				}
			}
			continue
		}
		switch {
		case i-3 < low || src[i-3] < 0xe3:
		case string(src[i-3:i]) == "。", string(src[i-3:i]) == "！", string(src[i-3:i]) == "？":
			return i
		}
	}
	return blank
}

// graphemeBefore returns the last grapheme boundary in (low, pos] that is cheap
// to find, else pos moved back to a rune boundary, else pos. The result is over
// low, so a cursor that moves to it advances.
func graphemeBefore(src []byte, low, pos int) int {
	from := runeStart(src, max(low, pos-graphemeWindow), low)
	to := min(len(src), pos+utf8.UTFMax)
	best := -1
	g := graphemes.FromBytes(src[from:to])
	for g.Next() {
		// The last grapheme of the window may go on behind it, which does not
		// matter: only boundaries up to pos are taken.
		if at := from + g.End(); at <= pos {
			if at > low {
				best = at
			}
			continue
		}
		break
	}
	if best > 0 && utf8.Valid(src[from:best]) {
		return best
	}
	if at := runeStart(src, pos, low); at > low {
		return at
	}
	return pos
}

// runeStart returns the start of the rune that pos lies in, at least low.
func runeStart(src []byte, pos, low int) int {
	for i := pos; i > low && i > pos-utf8.UTFMax; i-- {
		if i == len(src) || utf8.RuneStart(src[i]) {
			return i
		}
	}
	return pos
}
