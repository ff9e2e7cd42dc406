package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The HEAD file keeps the newest head outside the engine's log, because the
// engine cannot tell a log that ends from one that was cut. It has two slots,
// each one head followed by zeros.
//
// Writes between two syncs go to the same slot, so the slot that was synced
// last is never touched before a newer one is durable: whatever a power loss
// does to the slot in flight, the other is whole.
const (
	headName = "HEAD"
	slotSize = 4096
)

// headFile is safe for concurrent use. Nothing is written after close: a commit
// that was given up when the engine failed may still get here, when the directory
// has another owner.
type headFile struct {
	mu     sync.Mutex
	f      vfs.File
	slot   int64 // that the next write goes to
	closed bool
}

// readHead returns the later of the valid slots and its number.
// It returns ErrHeadMissing or ErrHeadDamaged when there is none.
func readHead(fs vfs.FS, name string) (h head, slot int64, err error) {
	f, err := fs.Open(name)
	if errors.Is(err, iofs.ErrNotExist) {
		return h, 0, ErrHeadMissing
	}
	if err != nil {
		return h, 0, fmt.Errorf("open HEAD: %w", err)
	}
	defer f.Close()
	buf := make([]byte, 2*slotSize)
	n, err := f.ReadAt(buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, 0, fmt.Errorf("read HEAD: %w", err)
	}
	buf = buf[:n]
	slot = -1
	for i := range int64(2) {
		if len(buf) < int(i*slotSize+headSize) {
			continue
		}
		got, err := decodeHead(buf[i*slotSize : i*slotSize+headSize])
		if err == nil && (slot < 0 || got.after(h)) {
			h, slot = got, i
		}
	}
	if slot < 0 {
		return h, 0, ErrHeadDamaged
	}
	return h, slot, nil
}

// openHead opens the file for writing, or makes it; newest is the slot that
// must be kept until another is durable.
func openHead(fs vfs.FS, name string, newest int64) (*headFile, error) {
	f, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("open HEAD: %w", err)
	}
	return &headFile{f: f, slot: 1 - newest}, nil
}

// write puts h into the slot in flight. It is not durable yet.
func (hf *headFile) write(h head) error {
	hf.mu.Lock()
	defer hf.mu.Unlock()
	if hf.closed {
		return ErrClosed
	}
	slot := bytes.Join([][]byte{h.encode(), make([]byte, slotSize-headSize)}, nil)
	if n, err := hf.f.WriteAt(slot, hf.slot*slotSize); err != nil || n != slotSize {
		return fmt.Errorf("write HEAD: %d of %d bytes: %w", n, slotSize, orShort(err))
	}
	return nil
}

// sync makes the last write durable; the next goes to the other slot.
func (hf *headFile) sync() error {
	hf.mu.Lock()
	defer hf.mu.Unlock()
	if hf.closed {
		return ErrClosed
	}
	if err := hf.f.SyncData(); err != nil {
		return fmt.Errorf("sync HEAD: %w", err)
	}
	hf.slot = 1 - hf.slot
	return nil
}

func (hf *headFile) close() error {
	if hf == nil {
		return nil
	}
	hf.mu.Lock()
	defer hf.mu.Unlock()
	hf.closed = true
	return hf.f.Close()
}

func orShort(err error) error {
	if err == nil {
		return io.ErrShortWrite
	}
	return err
}
