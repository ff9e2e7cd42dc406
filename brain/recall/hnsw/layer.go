package hnsw

import "slices"

// none fills the unused slots at the end of a node's links.
const none = ^uint32(0)

// pageNodes is how many nodes share a page. A batch changes nodes all over a
// layer, so small pages are what keeps publication at the cost of the changes.
const (
	pageShift = 4
	pageNodes = 1 << pageShift
)

// layer holds the links of one level. Nodes are numbered from 0 in order of
// ordinals; on level 0 the number is the ordinal. Links name nodes of the
// same layer, ascending.
type layer struct {
	width int        // slots per node
	n     int        // nodes
	pages [][]uint32 // pageNodes*width slots each
	ords  []uint32   // ordinal of each node; nil on level 0
	down  []uint32   // number of each node on the level below; nil on level 0
}

// slots returns all slots of a node.
func (l *layer) slots(node uint32) []uint32 {
	at := int(node&(pageNodes-1)) * l.width
	return l.pages[node>>pageShift][at : at+l.width]
}

// links returns the used slots of a node.
func (l *layer) links(node uint32) []uint32 {
	s := l.slots(node)
	for i, x := range s {
		if x == none {
			return s[:i]
		}
	}
	return s
}

// ord returns the ordinal of a node.
func (l *layer) ord(node uint32) uint32 {
	if l.ords == nil {
		return node
	}
	return l.ords[node]
}

// set replaces the links of a node, whose page must be the builder's own. links
// is sorted in place.
func (l *layer) set(node uint32, links []uint32) {
	slices.Sort(links)
	s := l.slots(node)
	for i := copy(s, links); i < len(s); i++ {
		s[i] = none
	}
}

// draft is a layer that the builder may change.
type draft struct {
	layer
	own []bool // by page: not shared with a published view
}

// freeze returns what readers may keep; every page is shared from then on. The
// cost is that of the table of pages.
func (d *draft) freeze() layer {
	l := d.layer
	l.pages = slices.Clone(d.pages)
	clear(d.own)
	return l
}

// claim makes the page of a node the builder's own.
func (d *draft) claim(node uint32) {
	p := node >> pageShift
	if !d.own[p] {
		d.pages[p] = slices.Clone(d.pages[p])
		d.own[p] = true
	}
}

// add appends a node without links. Arrays of ordinals only grow, so a view with
// a shorter length may share them.
func (d *draft) add(ord, down uint32, upper bool) {
	if d.n%pageNodes == 0 {
		page := make([]uint32, pageNodes*d.width)
		for i := range page {
			page[i] = none
		}
		d.pages, d.own = append(d.pages, page), append(d.own, true)
	}
	if upper {
		d.ords, d.down = append(d.ords, ord), append(d.down, down)
	}
	d.n++
	d.claim(uint32(d.n - 1))
}
