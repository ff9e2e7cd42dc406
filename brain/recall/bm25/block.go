package bm25

// A block is up to 128 postings: three bytes of widths, then the gaps between
// documents and the frequencies of the three fields, each packed. The first gap
// is counted from the document after the block before.
//
//	byte 0  bits of a gap, 0 to 32
//	byte 1  bits of a body frequency, 0 to 8; 16 is added if 1 was taken off
//	byte 2  bits of a headings frequency, 0 to 4; 8 × those of a title frequency
const blockHeader = 3

// blockWriter packs blocks.
type blockWriter struct {
	gaps, body, heads, titles [blockSize]uint32
}

// gapsOf returns the gaps of docs, the first from base.
func (b *blockWriter) gapsOf(docs []uint32, base uint32) []uint32 {
	for i, d := range docs {
		b.gaps[i] = d - base
		base = d + 1
	}
	return b.gaps[:len(docs)]
}

// append packs a block.
func (b *blockWriter) append(dst []byte, docs []uint32, tfs []tf, base uint32) []byte {
	n := len(docs)
	gaps := b.gapsOf(docs, base)
	least := uint32(1)
	for i, t := range tfs {
		b.body[i], b.heads[i], b.titles[i] = uint32(t&maxBodyTF), uint32(t>>8&maxHeadTF), uint32(t>>12)
		least = min(least, b.body[i])
	}
	for i := range n {
		b.body[i] -= least
	}
	wg, wb, wh, wt := width(gaps), width(b.body[:n]), width(b.heads[:n]), width(b.titles[:n])
	dst = append(dst, byte(wg), byte(wb)|byte(least)<<4, byte(wh)|byte(wt)<<3)
	dst = pack(dst, gaps, wg)
	dst = pack(dst, b.body[:n], wb)
	dst = pack(dst, b.heads[:n], wh)
	return pack(dst, b.titles[:n], wt)
}

// blockView addresses the frequencies of one packed block.
type blockView struct {
	gaps, body, heads, titles []byte // each goes on for padding bytes
	wg, wb, wh, wt            uint8
	least                     tf
	flat                      bool // every frequency is least
}

// open reads the header of the block of n postings that data begins with.
func (v *blockView) open(data []byte, n int) {
	v.wg, v.wb, v.wh, v.wt = data[0], data[1]&15, data[2]&7, data[2]>>3
	v.least = tf(data[1] >> 4)
	v.flat = data[1]&15|data[2] == 0
	v.gaps = data[blockHeader:]
	if v.flat {
		return
	}
	v.body = v.gaps[packedLen(n, int(v.wg)):]
	v.heads = v.body[packedLen(n, int(v.wb)):]
	v.titles = v.heads[packedLen(n, int(v.wh)):]
}

// valid reports whether the widths are ones that a writer makes.
func (v *blockView) valid() bool {
	return v.wg <= 32 && v.wb <= 8 && v.wh <= 4 && v.wt <= 4 && v.least <= 1
}

// size is the length of the block in bytes.
func (v *blockView) size(n int) int {
	return blockHeader + packedLen(n, int(v.wg)) + packedLen(n, int(v.wb)) + packedLen(n, int(v.wh)) + packedLen(n, int(v.wt))
}

// docs reads the documents.
func (v *blockView) docs(dst *[blockSize]uint32, n int, base uint32) {
	unpack(dst, v.gaps, n, int(v.wg))
	for i := range dst[:n] {
		base += dst[i]
		dst[i] = base
		base++
	}
}

// tf reads the frequencies of posting i.
func (v *blockView) tf(i int) tf {
	t := v.least
	if v.flat {
		return t
	}
	if v.wb > 0 {
		t += tf(unpackOne(v.body, i, int(v.wb)))
	}
	if v.wh > 0 {
		t |= tf(unpackOne(v.heads, i, int(v.wh))) << 8
	}
	if v.wt > 0 {
		t |= tf(unpackOne(v.titles, i, int(v.wt))) << 12
	}
	return t
}

// tfs reads all frequencies.
func (v *blockView) tfs(dst *[blockSize]tf, n int) {
	var plane [blockSize]uint32
	if v.wb == 0 {
		for i := range dst[:n] {
			dst[i] = v.least
		}
	} else {
		unpack(&plane, v.body, n, int(v.wb))
		for i := range dst[:n] {
			dst[i] = v.least + tf(plane[i])
		}
	}
	if v.wh > 0 {
		unpack(&plane, v.heads, n, int(v.wh))
		for i := range dst[:n] {
			dst[i] |= tf(plane[i]) << 8
		}
	}
	if v.wt > 0 {
		unpack(&plane, v.titles, n, int(v.wt))
		for i := range dst[:n] {
			dst[i] |= tf(plane[i]) << 12
		}
	}
}
