package bm25

import (
	"math"
	"math/bits"
	"slices"
)

// What a block of postings can score at most depends on the mean length of the
// corpus, which changes with every scope. A block keeps what does not: the
// weighted frequencies and lengths of its postings that no other posting of it
// beats in both (a Pareto set; Mallia, Siedlaczek and Suel, An Experimental
// Study of Index Compression and DAAT Query Processing Methods, ECIR 2019, have
// the fixed-corpus form). Both are rounded to one byte, frequencies up and
// lengths down, so the set bounds and never misses.

// maximum bounds postings: none of them has more than high(freq) as its
// weighted frequency and less than low(length) as its weighted length.
type maximum struct{ freq, length uint8 }

// Sizes of the sets of one block and of a whole list.
const (
	blockMaxima = 4
	listMaxima  = 8
)

// steps are the values that codes stand for: 16 to each power of two from 1 on,
// which has every integer up to 31.
const firstStep = 1023 << 4

// lowCode returns the code of the largest step that is not above x ≥ 0.
func lowCode(x float64) uint8 {
	if x < 1 {
		return 0
	}
	return uint8(min(math.Float64bits(x)>>48-firstStep+1, 255))
}

// highCode returns the code of the smallest step that is not below x, 255 when
// there is none.
func highCode(x float64) uint8 {
	if x <= 1 {
		return 1
	}
	return uint8(min((math.Float64bits(x)+1<<48-1)>>48-firstStep+1, 255))
}

// low is the step of a length code.
func low(code uint8) float64 {
	if code == 0 {
		return 0
	}
	return math.Float64frombits((uint64(code) - 1 + firstStep) << 48)
}

// high is the step of a frequency code.
func high(code uint8) float64 {
	if code == 255 {
		return math.MaxFloat64
	}
	return low(code)
}

// pareto gathers the maxima of a set of postings.
type pareto struct {
	least [256]uint8 // by frequency code: the least length code, where seen
	seen  [4]uint64
	set   []maximum
}

// add offers m.
func (p *pareto) add(m maximum) {
	if word := &p.seen[m.freq>>6]; *word>>(m.freq&63)&1 == 0 {
		*word |= 1 << (m.freq & 63)
		p.least[m.freq] = m.length
		return
	}
	p.least[m.freq] = min(p.least[m.freq], m.length)
}

// reduce empties p and returns its set, frequency and length rising, with
// neighbours joined until at most n are left. It is valid until the next call.
func (p *pareto) reduce(n int) []maximum {
	p.set = p.set[:0]
	for w := len(p.seen) - 1; w >= 0; w-- {
		for p.seen[w] != 0 {
			bit := bits.Len64(p.seen[w]) - 1
			p.seen[w] &^= 1 << bit
			m := maximum{freq: uint8(w<<6 + bit)}
			m.length = p.least[m.freq]
			if k := len(p.set); k == 0 || m.length < p.set[k-1].length {
				p.set = append(p.set, m)
			}
		}
	}
	slices.Reverse(p.set)
	for len(p.set) > n {
		best, least := 0, math.MaxInt
		for i := range p.set[1:] {
			a, b := p.set[i], p.set[i+1]
			if loss := int(b.freq-a.freq) * int(b.length-a.length); loss < least {
				best, least = i, loss
			}
		}
		p.set[best+1].length = p.set[best].length
		p.set = slices.Delete(p.set, best, best+1)
	}
	return p.set
}
