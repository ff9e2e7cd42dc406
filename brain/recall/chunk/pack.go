package chunk

// packer joins the units of one oversize run into pieces of about equal length.
// A unit is the smallest part that is not cut further: a block that fits, a
// table row, a line, a part of a line.
type packer struct {
	s     *splitter
	level int   // of the first piece
	left  int   // characters of the run that are not yet in a finished piece
	cur   piece // open piece; none when empty
}

// block adds a block, cut into units as far as it is over the cap.
func (p *packer) block(b block) {
	at, chars := p.s.measure(b.start, b.end)
	if at.empty() {
		return
	}
	if chars <= p.s.lim.max {
		p.unit(at, chars, span{})
		return
	}
	switch b.kind {
	case container:
		children := childBlocks(p.s.src, b.node, b.start, b.end)
		if len(children) > 1 || children[0].kind != text {
			for _, c := range children {
				p.block(c)
			}
			return
		}
		p.lines(b.start, b.end, span{})
	case table:
		p.table(b)
	case code:
		p.code(b)
	default:
		p.lines(b.start, b.end, span{})
	}
}

// code adds the lines of a code block; the lines that open and close the fence go
// with the code beside them.
func (p *packer) code(b block) {
	src, at := p.s.src, p.s.bounds(b.start, b.end)
	head := lineEnd(src, lineEnd(src, at.start, b.end), b.end)
	tail := lineStart(src, lineStart(src, at.end-1)-1)
	if head >= tail || p.s.chars(at.start, head) > p.s.lim.max || p.s.chars(tail, at.end) > p.s.lim.max {
		p.lines(b.start, b.end, span{})
		return
	}
	first, chars := p.s.measure(at.start, head)
	p.unit(first, chars, span{})
	p.lines(head, tail, span{})
	last, chars := p.s.measure(tail, at.end)
	p.unit(last, chars, span{})
}

// table adds the rows of a table. The header is not repeated when it takes more
// than a quarter of the cap.
func (p *packer) table(b block) {
	src := p.s.src
	rows := lineEnd(src, lineEnd(src, b.start, b.end), b.end)
	at, chars := p.s.measure(b.start, rows)
	if at.empty() || chars > p.s.lim.max/4 {
		p.lines(b.start, b.end, span{})
		return
	}
	// The header goes with the first row, or it would stand alone.
	if first := lineEnd(src, rows, b.end); first > rows {
		if at, chars := p.s.measure(b.start, first); chars <= p.s.lim.max {
			p.unit(at, chars, span{})
			rows = first
		} else {
			p.unit(p.s.bounds(b.start, rows), p.s.chars(b.start, rows), span{})
		}
	}
	p.lines(rows, b.end, at)
}

// lines adds the lines of [start, end), each with the table header that a piece
// starting there repeats.
func (p *packer) lines(start, end int, header span) {
	limit := p.s.lim.max - p.headerChars(header)
	for start < end {
		next := lineEnd(p.s.src, start, end)
		if at, chars := p.s.measure(start, next); chars <= limit {
			p.unit(at, chars, header)
		} else {
			cutLine(p.s.src, start, next, limit, func(a, b int) {
				at, chars := p.s.measure(a, b)
				p.unit(at, chars, header)
			})
		}
		start = next
	}
}

// headerChars returns what repeating a header adds to a text, its line feed
// included.
func (p *packer) headerChars(h span) int {
	if h.empty() {
		return 0
	}
	return p.s.chars(h.start, h.end) + 1
}

// unit adds one unit to the open piece, or closes that and starts another: when
// the cap would break, or when the unit would carry the piece further past the
// length of an equal share than it falls short of it now.
func (p *packer) unit(at span, chars int, header span) {
	if at.empty() {
		return
	}
	if !p.cur.empty() {
		gap := p.s.chars(p.cur.end, at.start)
		most := p.s.lim.max
		pieces := max(1, (p.left+most-1)/most)
		share := p.left / pieces
		n := p.cur.chars + gap + chars
		if n <= most && p.cur.chars+(gap+chars)/2 <= share {
			p.cur.end, p.cur.chars = at.end, n
			return
		}
		p.flush()
	}
	p.cur = piece{span: at, chars: chars + p.headerChars(header), level: p.level, header: header}
	p.level = noLevel
}

// flush finishes the open piece.
func (p *packer) flush() {
	if p.cur.empty() {
		return
	}
	p.left = max(0, p.left-p.cur.chars)
	p.s.pieces = append(p.s.pieces, p.cur)
	p.cur = piece{}
}
