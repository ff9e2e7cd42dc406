package hnsw

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"
)

// A stored graph is a head and, per level, blobs of storedNodes nodes. Every
// blob starts with the CRC-32C of the rest, four bytes little-endian. All else
// is unsigned varints (encoding/binary).
//
//	head: format, M, EfConstruction, Batch, Lag, MinLen, dimension, end, entry+1,
//	      number of levels, then the number of nodes of each
//	page: level, index, then per node: on levels above 0 the distance of its ordinal to that of the
//	      node before (the first from -1 in its page: the ordinal itself plus 1);
//	      number of links; the first link, then the distances to the one before less 1
//
// Equal graphs have equal blobs.
const (
	format      = 1
	storedNodes = 256
	maxLevels   = 64
)

// ErrDamaged is what every error about stored bytes wraps: the graph has to be
// built again from the vectors; nothing else is lost.
var ErrDamaged = errors.New("stored graph is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Name tells the blobs of a graph apart. The head is Name{Head: true}.
type Name struct {
	Head  bool
	Level int
	Index int // nodes Index*256 to Index*256+255 of the level
}

// String returns the name for messages.
func (n Name) String() string {
	if n.Head {
		return "head"
	}
	return fmt.Sprintf("level %d page %d", n.Level, n.Index)
}

// Blob is one stored piece of a graph.
type Blob struct {
	Name Name
	Data []byte // the receiver's
}

// Pages yields all blobs of the view, head first. They are what Load takes.
// Equal graphs yield equal blobs in equal order. The cost is about two bytes
// per link.
func (v View) Pages() iter.Seq[Blob] { return v.Changed(View{}) }

// Changed yields the blobs of the view that may differ from those of an older
// view of the same Graph in the same process: what has to be written over a
// stored old one. The head always comes, first.
func (v View) Changed(old View) iter.Seq[Blob] {
	return func(yield func(Blob) bool) {
		if v.st == nil || !yield(Blob{Name{Head: true}, v.encodeHead()}) {
			return
		}
		for l := range v.st.layers {
			layer := &v.st.layers[l]
			for at := 0; at < layer.n; at += storedNodes {
				if old.st != nil && l < len(old.st.layers) && layer.same(&old.st.layers[l], at) {
					continue
				}
				if !yield(Blob{Name{Level: l, Index: at / storedNodes}, layer.encode(l, at)}) {
					return
				}
			}
		}
	}
}

// same reports whether the stored page that starts at a node is unchanged since old.
func (l *layer) same(old *layer, at int) bool {
	end := min(at+storedNodes, l.n)
	if old.n < end {
		return false
	}
	for p := at >> pageShift; p<<pageShift < end; p++ {
		if &l.pages[p][0] != &old.pages[p][0] {
			return false
		}
	}
	return true
}

func (v View) encodeHead() []byte {
	st := v.st
	b := make([]byte, 4, 64)
	for _, x := range []int{format, v.o.M, v.o.EfConstruction, v.o.Batch, v.o.Lag, v.o.MinLen, v.dim, int(st.end)} {
		b = binary.AppendUvarint(b, uint64(x))
	}
	b = binary.AppendUvarint(b, uint64(st.entry+1)) // none wraps to 0
	b = binary.AppendUvarint(b, uint64(len(st.layers)))
	for i := range st.layers {
		b = binary.AppendUvarint(b, uint64(st.layers[i].n))
	}
	return seal(b)
}

func (l *layer) encode(level, at int) []byte {
	b := make([]byte, 4, 4096)
	b = binary.AppendUvarint(b, uint64(level))
	b = binary.AppendUvarint(b, uint64(at/storedNodes))
	before := none // -1
	for node := at; node < min(at+storedNodes, l.n); node++ {
		if l.ords != nil {
			b = binary.AppendUvarint(b, uint64(l.ords[node]-before))
			before = l.ords[node]
		}
		links := l.links(uint32(node))
		b = binary.AppendUvarint(b, uint64(len(links)))
		last := none
		for _, x := range links {
			b = binary.AppendUvarint(b, uint64(x-last-1))
			last = x
		}
	}
	return slices.Clip(seal(b))
}

// seal fills the checksum in front.
func seal(b []byte) []byte {
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
	return b
}

// unseal checks and removes the checksum.
func unseal(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, fmt.Errorf("%w: %d bytes", ErrDamaged, len(b))
	}
	if binary.LittleEndian.Uint32(b) != crc32.Checksum(b[4:], castagnoli) {
		return nil, fmt.Errorf("%w: checksum", ErrDamaged)
	}
	return b[4:], nil
}
