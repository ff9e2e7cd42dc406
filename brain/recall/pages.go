package recall

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// A page is any number of bytes under one key. It is kept in pieces, for a
// transaction is bounded and a segment is not:
//
//	piece 0:  CRC-32C of what follows in this and all pieces, 4 bytes;
//	          length of the data, 8 bytes; data
//	others:   data
//
// Numbers are little-endian; the number of the piece ends its key, four bytes
// big-endian. Pieces that an older, longer page left behind are not read.
const (
	pieceBytes = 1 << 20
	pageHead   = 12
)

func stampKey() []byte { return store.Stamp.Key([]byte("recall")) }
func spansKey(page int) []byte {
	return store.Page.Key([]byte{'d'}, binary.BigEndian.AppendUint32(nil, uint32(page)))
}
func vectorsKey(page int) []byte {
	return store.Page.Key([]byte{'v'}, binary.BigEndian.AppendUint32(nil, uint32(page)))
}
func segmentKey(s segmentRef) []byte {
	return store.Page.Key([]byte{'s'}, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, s.First), s.Docs))
}

// graphKey is of one value, not of a page: blobs of graphs are small and have a
// checksum of their own.
func graphKey(part string, n hnsw.Name) []byte {
	h := sha256.Sum256([]byte(part))
	at := []byte{0, byte(n.Level)}
	if n.Head {
		at[0] = 1
	}
	return store.Page.Key([]byte{'g'}, h[:16], at, binary.BigEndian.AppendUint32(nil, uint32(n.Index)))
}

func pieceKey(page []byte, piece int) []byte {
	return binary.BigEndian.AppendUint32(page[:len(page):len(page)], uint32(piece))
}

// pieces returns how many a page of n bytes has.
func pieces(n int) int { return (pageHead + n + pieceBytes - 1) / pieceBytes }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// pageWriter collects what is to be written and writes it in batches. It holds
// about one batch in memory; the pieces of a page that is smaller than a batch
// are in one batch.
type pageWriter struct {
	ctx   context.Context
	db    *store.DB
	limit int // bytes of a batch
	sets  [][2][]byte
	gone  [][]byte
	size  int
}

// batchBytes is far below what one transaction may write.
const batchBytes = 4 << 20

// set writes one value.
func (w *pageWriter) set(key, value []byte) error {
	if err := w.room(len(value)); err != nil {
		return err
	}
	w.add(key, value)
	return nil
}

// put writes a page. It keeps data until the next flush.
func (w *pageWriter) put(key, data []byte) error {
	if err := w.room(pageHead + len(data)); err != nil {
		return err
	}
	size := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	sum := crc32.Update(crc32.Checksum(size, castagnoli), castagnoli, data)
	head := append(binary.LittleEndian.AppendUint32(nil, sum), size...)
	n := min(len(data), pieceBytes-pageHead)
	w.add(pieceKey(key, 0), append(head, data[:n]...))
	for i := 1; n < len(data); i++ {
		end := min(n+pieceBytes, len(data))
		if err := w.room(end - n); err != nil {
			return err
		}
		w.add(pieceKey(key, i), data[n:end])
		n = end
	}
	return nil
}

// room makes place for n bytes in the batch.
func (w *pageWriter) room(n int) error {
	if w.size == 0 || w.size+n <= w.limit {
		return nil
	}
	return w.flush()
}

func (w *pageWriter) add(key, value []byte) {
	w.sets = append(w.sets, [2][]byte{key, value})
	w.size += len(key) + len(value)
}

// drop removes a page of n bytes, in the batch at hand.
func (w *pageWriter) drop(key []byte, n int) {
	for i := range pieces(n) {
		w.gone = append(w.gone, pieceKey(key, i))
	}
}

// flush writes the batch at hand.
func (w *pageWriter) flush() error {
	err := w.db.Derive(w.ctx, func(tx *store.DeriveTx) error {
		for _, kv := range w.sets {
			if err := tx.Set(kv[0], kv[1]); err != nil {
				return err
			}
		}
		for _, k := range w.gone {
			if err := tx.Delete(k); err != nil {
				return err
			}
		}
		return nil
	})
	w.sets, w.gone, w.size = nil, nil, 0
	return err
}

// readPage returns the data of a page, which is the caller's.
func readPage(r store.Reader, key []byte) ([]byte, error) {
	first, err := r.Get(pieceKey(key, 0))
	if err != nil {
		return nil, err
	}
	damaged := fmt.Errorf("%w: page of the index", codec.ErrCorrupt)
	if len(first) < pageHead {
		return nil, damaged
	}
	sum, size := binary.LittleEndian.Uint32(first), binary.LittleEndian.Uint64(first[4:])
	data := first[pageHead:]
	for i := 1; uint64(len(data)) < size; i++ {
		piece, err := r.Get(pieceKey(key, i))
		if err != nil {
			return nil, err
		}
		if i == 1 && size <= maxPage { // room for all, once there is a reason to believe the size
			data = append(make([]byte, 0, size), data...)
		}
		data = append(data, piece...)
	}
	if uint64(len(data)) != size || sum != crc32.Update(crc32.Checksum(first[4:pageHead], castagnoli), castagnoli, data) {
		return nil, damaged
	}
	return data, nil
}

// maxPage is the size of the largest page, a segment, about.
const maxPage = 1 << 30
