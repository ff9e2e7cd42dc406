package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/seed70401ef0/brain-go/brain/audit"
)

// head is the state of the log after a commit. It is stored in every batch,
// under headKey, and in the slots of the HEAD file, in the same bytes.
type head struct {
	store audit.StoreID
	epoch uint64
	seq   uint64
	root  audit.Hash
	prev  audit.Hash // root before the commit
	time  int64      // latest commit time so far, unix microseconds
}

// headSize is the length of an encoded head. Big-endian:
//
//	0   magic "brainHD1"
//	8   format, uint32
//	12  store id, 16 bytes
//	28  epoch, uint64
//	36  seq, uint64
//	44  root, 32 bytes
//	76  previous root, 32 bytes
//	108 latest commit time, int64 unix microseconds
//	116 CRC-32C of bytes 0 to 115, uint32
const headSize = 120

const headMagic = "brainHD1"

func (h head) audit() audit.Head { return audit.Head{Seq: h.seq, Root: h.root} }

// after reports whether h is later than o.
func (h head) after(o head) bool {
	return h.epoch > o.epoch || h.epoch == o.epoch && h.seq > o.seq
}

func (h head) encode() []byte {
	b := make([]byte, 0, headSize)
	b = append(b, headMagic...)
	b = binary.BigEndian.AppendUint32(b, formatVersion)
	b = append(b, h.store[:]...)
	b = binary.BigEndian.AppendUint64(b, h.epoch)
	b = binary.BigEndian.AppendUint64(b, h.seq)
	b = append(b, h.root[:]...)
	b = append(b, h.prev[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(h.time))
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// decodeHead reads what encode wrote. Anything else is ErrCorrupt.
func decodeHead(b []byte) (head, error) {
	var h head
	if len(b) != headSize {
		return h, fmt.Errorf("%w: head has %d bytes, not %d", ErrCorrupt, len(b), headSize)
	}
	sum := crc32.Checksum(b[:116], crc32.MakeTable(crc32.Castagnoli))
	if string(b[:8]) != headMagic || binary.BigEndian.Uint32(b[116:]) != sum {
		return h, fmt.Errorf("%w: head has a wrong checksum", ErrCorrupt)
	}
	if v := binary.BigEndian.Uint32(b[8:]); v != formatVersion {
		return h, fmt.Errorf("%w: head has format %d, this program knows %d", ErrCorrupt, v, formatVersion)
	}
	copy(h.store[:], b[12:])
	h.epoch = binary.BigEndian.Uint64(b[28:])
	h.seq = binary.BigEndian.Uint64(b[36:])
	copy(h.root[:], b[44:])
	copy(h.prev[:], b[76:])
	h.time = int64(binary.BigEndian.Uint64(b[108:]))
	return h, nil
}
