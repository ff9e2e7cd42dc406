package wordpiece

import (
	"math/bits"
	"unicode/utf8"
)

// word collects the normalised bytes of one word and gives out its pieces. The
// function that takes them is a parameter of every method rather than a field,
// so that a caller's closure need not live on the heap.
type word struct {
	t     *Tokenizer
	buf   [utf8.UTFMax * maxWordChars]byte
	n     int    // bytes of buf in use
	chars int    // may exceed t.maxChars; the bytes beyond it are not kept
	hash  uint64 // of buf, as a piece that starts a word

	ids    [maxWordChars]int32       // scratch of pieces
	hashes [maxTokenBytes + 1]uint64 // scratch of longestPiece
}

// ascii adds one folded ASCII byte.
func (w *word) ascii(c byte) {
	if w.chars++; w.chars <= w.t.maxChars {
		w.buf[w.n] = c
		w.n++
		w.hash = (w.hash ^ uint64(c)) * hashPrime
	}
}

// keep adds one normalised character.
func (w *word) keep(r rune) {
	if w.chars++; w.chars <= w.t.maxChars {
		n := w.n
		w.n += utf8.EncodeRune(w.buf[n:], r)
		w.hash = hashOf(w.hash, w.buf[n:w.n])
	}
}

// single gives out a word of one ASCII byte.
func (w *word) single(c byte, yield func(int32) bool) bool {
	w.ascii(c)
	return w.end(yield)
}

// rune adds a character that is not ASCII, normalised, ending the word before
// and after it where the character is one of its own. It reports whether to go
// on.
func (w *word) rune(r rune, yield func(int32) bool) bool {
	if 0xac00 <= r && r <= 0xd7a3 {
		w.hangul(r - 0xac00)
		return true
	}
	switch code := w.t.chars.code(r); code {
	case keep:
		w.keep(r)
	case drop:
	case space:
		return w.end(yield)
	case punct:
		return w.alone(r, yield)
	default:
		for _, x := range w.t.chars.maps[code-firstMap] {
			switch w.t.chars.code(x) {
			case space:
				if !w.end(yield) {
					return false
				}
			case punct:
				if !w.alone(x, yield) {
					return false
				}
			default:
				w.keep(x)
			}
		}
	}
	return true
}

// alone gives out what was collected, then r as a word.
func (w *word) alone(r rune, yield func(int32) bool) bool {
	if !w.end(yield) {
		return false
	}
	w.keep(r)
	return w.end(yield)
}

// hangul adds the conjoining letters of a syllable (Unicode section 3.12).
func (w *word) hangul(s rune) {
	const vowels, tails = 21, 28
	w.keep(0x1100 + s/(vowels*tails))
	w.keep(0x1161 + s%(vowels*tails)/tails)
	if tail := s % tails; tail != 0 {
		w.keep(0x11a7 + tail)
	}
}

// end gives out the pieces of the collected word, if any, and starts the next.
func (w *word) end(yield func(int32) bool) bool {
	if w.chars == 0 {
		return true
	}
	ok := w.pieces(yield)
	w.n, w.chars, w.hash = 0, 0, hashWord
	return ok
}

func (w *word) pieces(yield func(int32) bool) bool {
	v := &w.t.vocab
	if w.chars > w.t.maxChars {
		return yield(w.t.unk)
	}
	whole := w.buf[:w.n]
	if id := v.find(w.hash, whole, false); id >= 0 {
		return yield(id)
	}
	// A piece has at least one byte; all must be known before one is given out.
	n := 0
	for rest := whole; len(rest) > 0; n++ {
		id, used := w.longestPiece(rest, len(rest) < len(whole))
		if id < 0 {
			return yield(w.t.unk)
		}
		w.ids[n], rest = id, rest[used:]
	}
	for _, id := range w.ids[:n] {
		if !yield(id) {
			return false
		}
	}
	return true
}

// longestPiece returns the longest known piece that s starts with, and how many
// bytes it has; -1 when there is none. Pieces and words are valid UTF-8, so a match ends between
// characters.
func (w *word) longestPiece(s []byte, inside bool) (id int32, used int) {
	v := &w.t.vocab
	lengths := v.lengths[kind(inside)][s[0]]
	n := min(len(s), bits.Len64(lengths))
	if n == longPiece {
		n = min(len(s), v.longest)
	}
	h := seedOf(inside)
	for i, c := range s[:n] {
		h = (h ^ uint64(c)) * hashPrime
		w.hashes[i] = h
	}
	for ; n > 0; n-- {
		if lengths>>(min(n, longPiece)-1)&1 == 0 {
			continue
		}
		if id := v.find(w.hashes[n-1], s[:n], inside); id >= 0 {
			return id, n
		}
	}
	return -1, 0
}
