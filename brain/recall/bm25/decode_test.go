package bm25

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// stored returns the bytes of a segment with lists of several blocks.
func stored(t testing.TB) []byte {
	ix := fill(t, nil, analyzed(many(3, 512)), nil)
	ix.shape = shape{unit: 1 << 20, most: 1 << 20, step: 64}
	s, err := ix.Tail().Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s.Bytes()
}

// Segments have the same bytes on every machine and in every release of the
// format. When this fails because the format changed on purpose, give
// SegmentFormat and segmentVersion the next number.
func TestSegmentBytesAreFixed(t *testing.T) {
	terms := []Terms{}
	for _, d := range []Doc{
		{Title: "cats", Headings: "cats and dogs", Body: "the cat runs after the dog, the dog runs after the cat"},
		{Title: "Häuser", Body: "die Häuser der Katze", Lang: "de"},
		{Body: "a dog house"}, {}, {Body: "cat C++ 精排 «!»"},
	} {
		for range 60 {
			terms = append(terms, shared().Terms(d))
		}
	}
	s, err := fill(t, nil, terms, nil).Tail().Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	const want = "98eb5515ca54e1b2"
	if got := fmt.Sprintf("%x", sha256.Sum256(s.Bytes()))[:16]; got != want || SegmentFormat != fmt.Sprintf("bm25 segment %d", segmentVersion) {
		t.Errorf("%s has bytes %s, want %s", SegmentFormat, got, want)
	}
}

// reseal makes the checksums of data right again, whatever its sections hold.
func reseal(data []byte) {
	if len(data) < headerBytes {
		return
	}
	le := binary.LittleEndian
	h := data[headerBytes-4-8*sections:]
	rest := data[headerBytes:]
	for range sections {
		n := min(int(le.Uint32(h)), len(rest))
		le.PutUint32(h[4:], checksum(rest[:n]))
		h, rest = h[8:], rest[n:]
	}
	le.PutUint32(data[headerBytes-4:], checksum(data[:headerBytes-4]))
}

// Every damaged byte is found, and the section named.
func TestDamageIsFound(t *testing.T) {
	data := stored(t)
	if _, err := Decode(data); err != nil {
		t.Fatal(err)
	}
	at := headerBytes
	le := binary.LittleEndian
	bounds := []int{0}
	for i := range sections {
		bounds = append(bounds, at)
		at += int(le.Uint32(data[headerBytes-4-8*sections+8*i:]))
	}
	bounds = append(bounds, at)
	for i := range bounds[1:] {
		name := "header"
		if i > 0 {
			name = sectionName(i - 1)
		}
		if bounds[i+1] == bounds[i] {
			t.Fatalf("%s is empty", name)
		}
		for at := bounds[i]; at < bounds[i+1]; at += 1 + (bounds[i+1]-bounds[i])/97 {
			bad := slices.Clone(data)
			bad[at] ^= 1 << (at % 8)
			if _, err := Decode(bad); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), name) {
				t.Errorf("byte %d of %s: %v", at-bounds[i], name, err)
			}
		}
	}
	for _, n := range []int{0, 1, 8, headerBytes - 1, headerBytes, len(data) / 2, len(data) - 1} {
		if _, err := Decode(data[:n]); !errors.Is(err, ErrCorrupt) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	if _, err := Decode(append(slices.Clone(data), 0)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("one byte more: %v", err)
	}
}

// use runs whatever a decoded segment is good for.
func use(t testing.TB, s *Segment) {
	ix, err := New(shared(), &Options{Weights: s.weights})
	if err != nil {
		t.Fatal(err)
	}
	ix.shape = shape{unit: 1, most: 1 << 20, step: 64}
	if s.first != 0 {
		return
	}
	if s.docs&(s.docs-1) != 0 {
		ix.shape.unit = 1 << 20
	}
	if err := ix.Append(s); err != nil {
		t.Fatal(err)
	}
	set := everything(ix.Docs())
	c := ix.Corpus(set)
	half := slices.Clone(set)
	for i := range half {
		half[i] &= 0x5555555555555555
	}
	ch := ix.Corpus(half)
	src := newSegmentSource(s)
	for n := 0; src.next(); n++ {
		term := string(src.term())
		if r := s.find(src.term()); int(r.num) != n {
			t.Fatalf("term %q is number %d, found as %d", term, n, r.num)
		}
		q := Query{words: []queryWord{{text: term, class: exact, n: 1}, {text: "cat", class: exact, n: 1}}}
		ix.Search(q, c, set, 3)
		var all Scores
		ix.All(q, ch, half, &all)
		if got, want := ix.Search(q, ch, half, 3), all.Top(3); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", term, got, want)
		}
		ix.Score(q, c, []uint32{0, s.docs / 2, s.docs - 1}, make([]float64, 3))
	}
	// What was read can be merged and read again.
	m := ix.task(0, ix.Docs())
	again, err := m.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(again.Bytes()); err != nil {
		t.Fatal(err)
	}
}

// Bytes that are damaged and have right checksums are refused, or are a segment
// that works.
func TestForgedBytes(t *testing.T) {
	data := stored(t)
	rng := rand.New(rand.NewPCG(11, 12))
	refused := 0
	const tries = 1000
	for range tries {
		bad := slices.Clone(data)
		for range 1 + rng.IntN(3) {
			bad[8+rng.IntN(len(bad)-8)] = byte(rng.IntN(256) >> rng.IntN(8))
		}
		reseal(bad)
		s, err := Decode(bad)
		switch {
		case err == nil:
			if rng.IntN(20) == 0 {
				use(t, s)
			}
		case errors.Is(err, ErrCorrupt):
			refused++
		default:
			t.Fatal(err)
		}
	}
	if refused < tries*3/4 {
		t.Errorf("%d of %d refused", refused, tries)
	}
}

func FuzzDecode(f *testing.F) {
	for n := range 4 {
		ix := fill(f, nil, analyzed(many(uint64(n), 1+60*n)), nil)
		s, err := ix.Tail().Run(context.Background())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(s.Bytes(), uint32(headerBytes), byte(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint32, x byte) {
		data = slices.Clone(data)
		if len(data) > 0 {
			data[int(at)%len(data)] ^= x
		}
		reseal(data)
		s, err := Decode(data)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		if s.Docs() < 1<<12 {
			use(t, s)
		}
	})
}

func TestPackRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(0, 32).Draw(t, "width")
		v := rapid.SliceOfN(rapid.Uint32Max(uint32(1<<w-1)), 1, blockSize).Draw(t, "values")
		p := pack(nil, v, w)
		if len(p) != packedLen(len(v), w) {
			t.Fatalf("%d bytes, want %d", len(p), packedLen(len(v), w))
		}
		for range padding {
			p = append(p, 0xFF)
		}
		var got [blockSize]uint32
		unpack(&got, p, len(v), w)
		if !slices.Equal(got[:len(v)], v) {
			t.Fatalf("%v, want %v", got[:len(v)], v)
		}
		for i, x := range v {
			if got := unpackOne(p, i, w); got != x {
				t.Fatalf("value %d is %d, want %d", i, got, x)
			}
		}
	})
}

func TestBlockRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, blockSize).Draw(t, "postings")
		base := rapid.Uint32Max(1000).Draw(t, "base")
		most := rapid.SampledFrom([]tf{1, 3, maxBodyTF, 1<<16 - 1}).Draw(t, "most")
		docs, tfs := make([]uint32, n), make([]tf, n)
		next := base
		for i := range docs {
			docs[i] = next + rapid.Uint32Max(300).Draw(t, "gap")
			next = docs[i] + 1
			tfs[i] = tf(rapid.Uint16Range(1, uint16(most)).Draw(t, "tf"))
		}
		var w blockWriter
		data := w.append(nil, docs, tfs, base)
		size := len(data)
		data = append(data, make([]byte, padding)...)
		var v blockView
		v.open(data, n)
		var d [blockSize]uint32
		var f [blockSize]tf
		v.docs(&d, n, base)
		v.tfs(&f, n)
		if v.size(n) != size || !slices.Equal(d[:n], docs) || !slices.Equal(f[:n], tfs) {
			t.Fatalf("%d bytes %v %v, want %d, %v %v", v.size(n), d[:n], f[:n], size, docs, tfs)
		}
		for i := range tfs {
			if v.tf(i) != tfs[i] {
				t.Fatalf("posting %d has %x, want %x", i, v.tf(i), tfs[i])
			}
		}
	})
}

// Codes round the right way, and the maxima of a set bound all of it.
func TestMaximaBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k1 := rapid.Float64Range(.01, 3).Draw(t, "k1")
		b := rapid.Float64Range(.01, 1).Draw(t, "b")
		f := formula{fixed: k1 * (1 - b), slope: k1 * b / rapid.Float64Range(.1, 1e5).Draw(t, "mean")}
		var p pareto
		var all []maximum
		var most float64
		for range rapid.IntRange(1, 40).Draw(t, "postings") {
			freq := rapid.Float64Range(1e-3, 1e6).Draw(t, "frequency")
			length := rapid.Float64Range(0, 1e6).Draw(t, "length")
			if low(lowCode(length)) > length || high(highCode(freq)) < freq {
				t.Fatalf("%v has %v, %v has %v", length, low(lowCode(length)), freq, high(highCode(freq)))
			}
			all = append(all, maximum{highCode(freq), lowCode(length)})
			most = max(most, freq/(freq+f.fixed+f.slope*length))
		}
		for _, n := range []int{listMaxima, blockMaxima, 1} {
			var pairs []byte
			for _, m := range all {
				p.add(m)
			}
			for _, m := range p.reduce(n) {
				pairs = append(pairs, m.freq, m.length)
			}
			if len(pairs) > 2*n || f.bound(pairs)*(1+slack) < most {
				t.Fatalf("%d maxima bound %v, not %v", len(pairs)/2, f.bound(pairs), most)
			}
		}
	})
	for x := range 32 {
		if x > 0 && (low(lowCode(float64(x))) != float64(x) || high(highCode(float64(x))) != float64(x)) {
			t.Errorf("%d is not a step", x)
		}
	}
}

// Every term of a segment is found, and no other.
func TestFindTerm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.SampledFrom([]rune("ab")), 1, 12, -1)
		words := rapid.SliceOfNDistinct(letters, 1, 200, func(s string) string { return s }).Draw(t, "terms")
		slices.Sort(words)
		w := newSegmentWriter(0, [Fields]float64{1, 1, 1}, docTable{
			lens: make([][Fields]uint32, 2), weight: make([]float64, 2), langs: make([]lang, 2),
		})
		for i, x := range words {
			w.add([]byte(x), []uint32{0, 1}[:1+i%2], []tf{1, 2}[:1+i%2])
		}
		data, err := w.bytes()
		if err != nil {
			t.Fatal(err)
		}
		s, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range words {
			if r := s.find([]byte(x)); r.num != uint32(i) || r.df != uint32(1+i%2) {
				t.Fatalf("%q is %+v, want number %d", x, r, i)
			}
		}
		for range 20 {
			x := letters.Draw(t, "other")
			_, has := slices.BinarySearch(words, x)
			if r := s.find([]byte(x)); (r.df > 0) != has {
				t.Fatalf("%q is %+v, there is %v", x, r, has)
			}
		}
	})
}
