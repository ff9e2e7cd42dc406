package bm25

// postings holds the lists of all terms in pages of two parallel columns,
// ordinals and frequencies: six bytes per posting, no pointer per term and no
// copying when a list grows. A list is a first posting kept in its header and
// then extents of 4, 8, … 256 cells, the last cell of each the address of the
// next. An address is page·pageCells + cell; an extent lies in one page.
type postings struct {
	ords [][]uint32
	tfs  [][]tf
	used uint32 // cells given out, page ends that did not fit included
}

const (
	pageBits  = 14
	pageCells = 1 << pageBits
	minExtent = 4
	maxExtent = 256
)

// list is the header of one term's postings, ordinals rising.
type list struct {
	n     uint32 // postings
	first uint32 // ordinal of the first
	head  uint32 // address of the first extent, if n > 1
	tail  uint32 // address of the next free cell
	size  uint16 // cells of the last extent
	left  uint16 // free cells in it, without the link
	tf    tf     // of the first
}

// extent gives out size cells of one page.
func (p *postings) extent(size uint32) uint32 {
	if free := uint32(len(p.ords))<<pageBits - p.used; free < size {
		p.used += free
		p.ords = append(p.ords, make([]uint32, pageCells))
		p.tfs = append(p.tfs, make([]tf, pageCells))
	}
	at := p.used
	p.used += size
	return at
}

// add appends a posting to l.
func (p *postings) add(l *list, ord uint32, t tf) {
	l.n++
	if l.n == 1 {
		l.first, l.tf = ord, t
		return
	}
	if l.left == 0 {
		size := min(max(2*l.size, minExtent), maxExtent)
		at := p.extent(uint32(size))
		if l.n == 2 {
			l.head = at
		} else {
			p.ords[l.tail>>pageBits][l.tail&(pageCells-1)] = at
		}
		l.tail, l.size, l.left = at, size, size-1
	}
	page, cell := l.tail>>pageBits, l.tail&(pageCells-1)
	p.ords[page][cell] = ord
	p.tfs[page][cell] = t
	l.tail++
	l.left--
}

// cursor reads a list run by run.
type cursor struct {
	p    *postings
	left uint32 // postings not yet read
	at   uint32 // address of the next extent
	size uint32 // its cells
	head list
	one  [1]uint32
	tf   [1]tf
}

// read sets c to the start of l.
func (c *cursor) read(p *postings, l list) {
	*c = cursor{p: p, left: l.n, at: l.head, size: minExtent, one: [1]uint32{l.first}, tf: [1]tf{l.tf}, head: l}
}

// next returns the next postings as parallel slices of the index, which are
// empty at the end and valid until the next call.
func (c *cursor) next() ([]uint32, []tf) {
	if c.left == 0 {
		return nil, nil
	}
	if c.left == c.head.n {
		c.left--
		return c.one[:], c.tf[:]
	}
	page, cell := c.at>>pageBits, c.at&(pageCells-1)
	n := min(c.left, c.size-1)
	ords, tfs := c.p.ords[page], c.p.tfs[page]
	c.at = ords[cell+c.size-1]
	c.left -= n
	c.size = min(2*c.size, maxExtent)
	return ords[cell : cell+n], tfs[cell : cell+n]
}

// bytes returns the memory of all pages.
func (p *postings) bytes() int { return len(p.ords) * pageCells * 6 }
