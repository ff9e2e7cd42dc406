package document

import (
	"errors"
	"fmt"

	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

func isNotFound(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, ErrNotFound)
}

// get is Reader.Get with this package's sentinel.
func get(r store.Reader, key []byte) ([]byte, error) {
	v, err := r.Get(key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrNotFound
	}
	return v, err
}

func read(r store.Reader, u uri.URI, n uint64) (Revision, error) {
	data, err := get(r, revisionKey(store.Revision, u, n))
	if err != nil {
		return Revision{}, err
	}
	return decode(n, data)
}

// Get returns revision n of u, or the live one when n is 0. ErrNotFound when
// there is none.
func Get(r store.Reader, u uri.URI, n uint64) (Revision, error) {
	if n == 0 {
		h, err := readHead(r, u)
		if err != nil {
			return Revision{}, err
		}
		if h.Live == 0 {
			return Revision{}, ErrNotFound
		}
		n = h.Live
	}
	return read(r, u, n)
}

// Content returns the bytes of a revision. The slice is the caller's. Bytes
// that do not have the recorded digest are codec.ErrCorrupt, never returned.
func Content(r store.Reader, v Revision) ([]byte, error) {
	body, err := get(r, revisionKey(store.Content, v.URI, v.N))
	if err != nil {
		return nil, err
	}
	if DigestOf(body) != v.Digest {
		return nil, fmt.Errorf("%w: content of revision %d has another digest than its record", codec.ErrCorrupt, v.N)
	}
	return body, nil
}

// History returns all revisions of u, oldest first, at least one. ErrNotFound
// when the document never was.
func History(r store.Reader, u uri.URI) ([]Revision, error) {
	prefix := revisionPrefix(store.Revision, u)
	var out []Revision
	err := r.Scan(prefix, after(prefix), func(k, v []byte) (bool, error) {
		n, ok := RevisionOf(k)
		if !ok {
			return false, fmt.Errorf("%w: key of a revision", codec.ErrCorrupt)
		}
		rev, err := decode(n, v)
		out = append(out, rev)
		return err == nil, err
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, ErrNotFound
	}
	return out, nil
}

// All calls fn for every revision of every document, ordered by URI key and
// revision, until it returns false.
func All(r store.Reader, fn func(Revision) (bool, error)) error {
	prefix := []byte{byte(store.Revision)}
	return r.Scan(prefix, after(prefix), func(k, v []byte) (bool, error) {
		n, ok := RevisionOf(k)
		if !ok {
			return false, fmt.Errorf("%w: key of a revision", codec.ErrCorrupt)
		}
		rev, err := decode(n, v)
		if err != nil {
			return false, err
		}
		return fn(rev)
	})
}

// Changed returns the revision that a changed key of a commit names; ok is
// false for the key of any other record.
func Changed(r store.Reader, key []byte) (rev Revision, ok bool, err error) {
	n, ok := RevisionOf(key)
	if !ok {
		return Revision{}, false, nil
	}
	data, err := get(r, key)
	if err != nil {
		return Revision{}, true, err
	}
	rev, err = decode(n, data)
	return rev, true, err
}

// List calls fn for the live revision of every document whose URI key is at
// least from and, when prefix is not empty, begins with it; in key order, until
// fn returns false.
func List(r store.Reader, prefix, from string, fn func(Revision) (bool, error)) error {
	lo := append([]byte{byte(store.Document)}, max(prefix, from)...)
	hi := after(append([]byte{byte(store.Document)}, prefix...))
	return r.Scan(lo, hi, func(k, v []byte) (bool, error) {
		var h head
		if err := codec.Unmarshal(v, &h, maxRecord); err != nil {
			return false, err
		}
		if h.Live == 0 {
			return true, nil
		}
		key := append([]byte{byte(store.Revision)}, k[1:]...)
		key = appendRevision(key, h.Live)
		rev, _, err := Changed(r, key)
		if err != nil {
			return false, err
		}
		return fn(rev)
	})
}

// after returns the smallest key above every key that begins with prefix.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] != 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}
