package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// formatVersion is the format of the store that this program writes.
const formatVersion = 1

const (
	formatName = "FORMAT"
	maxFormat  = 4 << 10
)

// format is the content of the FORMAT file: one JSON object, readable with any
// tool. It is written last when a store is created and then never changed.
type format struct {
	// Format is what the store was written with.
	Format int `json:"format"`
	// OldestReader is the oldest format whose programs may read the store.
	OldestReader int `json:"oldest_reader"`
	// Features that a program must know to open the store.
	Features []string `json:"features"`
}

func (f format) encode() []byte {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err) // two numbers and a list of strings always encode
	}
	return append(b, '\n')
}

// decodeFormat reads one FORMAT file. An error is an ErrFormat.
func decodeFormat(b []byte) (format, error) {
	var f format
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("%w: FORMAT is not readable: %w", ErrFormat, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return f, fmt.Errorf("%w: FORMAT has more than one value", ErrFormat)
	}
	if f.Format < 1 || f.OldestReader < 1 || f.OldestReader > f.Format {
		return f, fmt.Errorf("%w: FORMAT names format %d, oldest reader %d", ErrFormat, f.Format, f.OldestReader)
	}
	return f, nil
}

// check returns why this program may not open a store of the format.
func (f format) check(readOnly bool) error {
	switch {
	case f.OldestReader > formatVersion:
		return fmt.Errorf("%w: the store has format %d, readable from %d; this program knows %d",
			ErrFormat, f.Format, f.OldestReader, formatVersion)
	case len(f.Features) > 0:
		return fmt.Errorf("%w: the store needs the features %q", ErrFormat, f.Features)
	case f.Format != formatVersion && !readOnly:
		return fmt.Errorf("%w: the store has format %d, this program writes %d; it can be opened read-only",
			ErrFormat, f.Format, formatVersion)
	}
	return nil
}

// readFormat returns the format of the store in dir; an error that is
// iofs.ErrNotExist means there is none.
func readFormat(fs vfs.FS, dir string) (format, error) {
	f, err := fs.Open(fs.PathJoin(dir, formatName))
	if errors.Is(err, iofs.ErrNotExist) {
		return format{}, iofs.ErrNotExist
	}
	if err != nil {
		return format{}, fmt.Errorf("open FORMAT: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFormat))
	if err != nil {
		return format{}, fmt.Errorf("read FORMAT: %w", err)
	}
	return decodeFormat(b)
}

// writeFile replaces a small file so that it is there whole and durable, or as
// it was.
func writeFile(fs vfs.FS, dir, name string, data []byte) (err error) {
	tmp := fs.PathJoin(dir, name+".tmp")
	f, err := fs.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	n, err := f.Write(data)
	if err == nil && n != len(data) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := fs.Rename(tmp, fs.PathJoin(dir, name)); err != nil {
		return fmt.Errorf("rename %s: %w", name, err)
	}
	return syncDir(fs, dir)
}

func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}

// makeDir makes dir and its parents, durably.
func makeDir(fs vfs.FS, dir string) error {
	var made []string // directories whose entries change
	for d := dir; ; {
		_, err := fs.Stat(d)
		parent := fs.PathDir(d)
		if err == nil || parent == d {
			break
		}
		if !errors.Is(err, iofs.ErrNotExist) {
			return fmt.Errorf("make directory: %w", err)
		}
		made = append(made, parent)
		d = parent
	}
	if err := fs.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	for _, parent := range made {
		if err := syncDir(fs, parent); err != nil {
			return err
		}
	}
	return nil
}
