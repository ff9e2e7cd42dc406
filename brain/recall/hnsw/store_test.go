package hnsw

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

func from(m map[Name][]byte) func(Name) ([]byte, error) {
	return func(n Name) ([]byte, error) {
		b, ok := m[n]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return b, nil
	}
}

func TestLoadEqualsStored(t *testing.T) {
	v := pack(t, 8, without(clustered(20, 1500, 8, 5), 3))
	for _, n := range []int{0, 100, 700, 1500} {
		g := mustNew(t, small())
		grow(t, g, v.first(n))
		got, err := Load(small(), v.first(n), from(stored(g.View())))
		if err != nil {
			t.Fatal(err)
		}
		sameGraph(t, g.View(), got.View(), "loaded")
		// It grows on like the one that was never stored.
		grow(t, g, v)
		grow(t, got, v)
		sameGraph(t, g.View(), got.View(), "loaded and grown")
		a, _ := search(t, g.View(), v, Query{Vector: v.Row(9), K: 10, Match: full(1500), Ef: 20})
		b, _ := search(t, got.View(), v, Query{Vector: v.Row(9), K: 10, Match: full(1500), Ef: 20})
		if !slices.Equal(a, b) {
			t.Fatalf("%v, loaded %v", a, b)
		}
	}
}

// Every single flipped bit, and every cut, of every page is found.
func TestDamageIsFound(t *testing.T) {
	v := pack(t, 8, clustered(21, 700, 8, 5))
	g := mustNew(t, small())
	grow(t, g, v)
	good := stored(g.View())
	try := func(name Name, data []byte) {
		t.Helper()
		m := map[Name][]byte{}
		for k, b := range good {
			m[k] = b
		}
		m[name] = data
		if _, err := Load(small(), v, from(m)); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for name, data := range good {
		for bit := 0; bit < len(data)*8; bit += max(1, len(data)/5) {
			bad := slices.Clone(data)
			bad[bit/8] ^= 1 << (bit % 8)
			try(name, bad)
		}
		for _, n := range []int{0, 3, 4, len(data) - 1} {
			try(name, data[:n])
			try(name, seal(append(make([]byte, 4), data[4:max(n, 4)]...)))
		}
		try(name, seal(append(slices.Clone(data), 0)))
	}
	// Two sound pages in each other's place.
	try(Name{Level: 0, Index: 0}, good[Name{Level: 0, Index: 1}])
	missing := map[Name][]byte{{Head: true}: good[Name{Head: true}]}
	if _, err := Load(small(), v, from(missing)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a missing page: %v", err)
	}
}

// Pages with a right checksum that no graph has.
func TestImpossiblePages(t *testing.T) {
	v := pack(t, 4, clustered(24, 8, 4, 2))
	o := Options{M: 4, EfConstruction: 8, Batch: 2, Lag: -1, MinLen: -1}
	opts := mustNew(t, o).Options()
	page := func(numbers ...uint64) []byte {
		b := make([]byte, 4)
		for _, x := range numbers {
			b = binary.AppendUvarint(b, x)
		}
		return seal(b)
	}
	head := func(rest ...uint64) []byte {
		return page(append([]uint64{format, uint64(opts.M), uint64(opts.EfConstruction), uint64(opts.Batch), uint64(opts.Lag), uint64(opts.MinLen), 4}, rest...)...)
	}
	zero, one := Name{}, Name{Level: 1}
	two := head(2, 1, 1, 2) // end 2, entry 0, one level of two nodes
	upper := head(2, 1, 2, 2, 1)
	linked := page(0, 0, 1, 1, 1, 0)
	for _, c := range []struct {
		name  string
		ok    bool
		head  []byte
		pages map[Name][]byte
	}{
		{"sound", true, two, map[Name][]byte{zero: linked}},
		{"sound, two levels", true, upper, map[Name][]byte{zero: linked, one: page(1, 0, 2, 0)}},
		{"a link to itself", false, two, map[Name][]byte{zero: page(0, 0, 1, 0, 1, 0)}},
		{"a link to nowhere", false, two, map[Name][]byte{zero: page(0, 0, 1, 2, 1, 0)}},
		{"too many links", false, two, map[Name][]byte{zero: page(0, 0, 9, 1, 1, 0)}},
		{"another page", false, two, map[Name][]byte{zero: page(0, 1, 1, 1, 1, 0)}},
		{"another level", false, two, map[Name][]byte{zero: page(1, 0, 1, 1, 1, 0)}},
		{"an ordinal that is not there", false, upper, map[Name][]byte{zero: linked, one: page(1, 0, 3, 0)}},
		{"no ordinal", false, upper, map[Name][]byte{zero: linked, one: page(1, 0, 0, 0)}},
		{"a level without nodes", false, head(2, 1, 2, 2, 0), map[Name][]byte{zero: linked}},
		{"a level larger than the one below", false, head(2, 1, 2, 2, 3), map[Name][]byte{zero: linked}},
		{"nodes that are not all ordinals", false, head(4, 1, 1, 2), map[Name][]byte{zero: linked}},
		{"no level", false, head(2, 1, 0), nil},
		{"half a batch", false, head(1, 1, 1, 1), map[Name][]byte{zero: page(0, 0, 0)}},
		{"another entry", false, head(2, 2, 1, 2), map[Name][]byte{zero: linked}},
		{"another format", false, page(2), nil},
	} {
		m := map[Name][]byte{{Head: true}: c.head}
		for n, b := range c.pages {
			m[n] = b
		}
		_, err := Load(o, v, from(m))
		if c.ok && err != nil || !c.ok && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestLoadRefusesAnother(t *testing.T) {
	v := pack(t, 8, clustered(22, 700, 8, 5))
	g := mustNew(t, small())
	grow(t, g, v)
	m := stored(g.View())
	o := small()
	o.M = 9
	for field, load := range map[string]func() (*Graph, error){
		"options": func() (*Graph, error) { return Load(o, v, from(m)) },
		"vectors": func() (*Graph, error) { return Load(small(), v.first(300), from(m)) },
		"dim":     func() (*Graph, error) { return Load(small(), pack(t, 9, clustered(22, 700, 9, 5)), from(m)) },
	} {
		var e *invalid.Error
		if _, err := load(); !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	o = small()
	o.Workers = 3
	if _, err := Load(o, v, from(m)); err != nil {
		t.Errorf("another number of workers: %v", err)
	}
}

// What loads is sound, whatever the bytes: it can be searched and grown, and is
// stored again as the same bytes.
func FuzzLoad(f *testing.F) {
	o := Options{M: 4, EfConstruction: 8, Batch: 8, Lag: -1, MinLen: -1}
	v := pack(f, 4, clustered(23, 64, 4, 3))
	for _, n := range []int{0, 8, 48} {
		g := mustNew(f, o)
		grow(f, g, v.first(n))
		var all []byte
		for b := range g.View().Pages() {
			all = binary.AppendUvarint(all, uint64(len(b.Data)-4))
			all = append(all, b.Data[4:]...)
		}
		f.Add(all)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// Blobs come in the order in which they are asked for, each with its
		// length, and get a right checksum.
		got, err := Load(o, v, func(Name) ([]byte, error) {
			n, w := binary.Uvarint(data)
			if w <= 0 || n > uint64(len(data)-w) {
				return nil, fs.ErrNotExist
			}
			b := seal(append(make([]byte, 4), data[w:w+int(n)]...))
			data = data[w+int(n):]
			return b, nil
		})
		if err != nil {
			return
		}
		again, err := Load(o, v, from(stored(got.View())))
		if err != nil {
			t.Fatal(err)
		}
		sameGraph(t, got.View(), again.View(), "loaded again")
		if hits, _ := search(t, got.View(), v, Query{Vector: v.Row(1), K: 5, Match: full(64), Ef: 5}); len(hits) != 5 {
			t.Fatalf("%d hits", len(hits))
		}
		grow(t, got, v)
	})
}
