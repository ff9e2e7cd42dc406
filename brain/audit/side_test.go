package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCommitmentsAreTheDocumentedOnes(t *testing.T) {
	mac := func(key, x []byte) []byte {
		h := hmac.New(sha256.New, key)
		h.Write(x)
		return h.Sum(nil)
	}
	s := someSide(1)
	uri, body := s.Commitments()
	if want := mac(mac(s.Salt[:], []byte("uri")), []byte(s.URI)); !bytes.Equal(uri[:], want) {
		t.Error("uri commitment")
	}
	if want := mac(mac(s.Salt[:], []byte("body")), s.Body); !bytes.Equal(body[:], want) {
		t.Error("body commitment")
	}
	if u, b := (Side{Salt: s.Salt}).Commitments(); u == b || u == (Hash{}) {
		t.Error("equal values show")
	}
}

func TestSideCheck(t *testing.T) {
	r, s := someRow(3, LeafHash(nil)), someSide(3)
	if err := s.Check(r); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		edit  func(*Side)
		field string
	}{
		"salt":       {func(s *Side) { s.Salt[0] ^= 1 }, "uri"},
		"uri":        {func(s *Side) { s.URI += "x" }, "uri"},
		"body":       {func(s *Side) { s.Body = append(s.Body, 0) }, "body"},
		"swap":       {func(s *Side) { s.URI, s.Body = string(s.Body), []byte(s.URI) }, "uri"},
		"moved byte": {func(s *Side) { s.Body = append([]byte{s.URI[0]}, s.Body...); s.URI = s.URI[1:] }, "uri"},
	}
	for name, tt := range tests {
		s := someSide(3)
		tt.edit(&s)
		if err := s.Check(r); !errors.Is(err, ErrSide) || !strings.Contains(err.Error(), tt.field) {
			t.Errorf("%s: %v, want ErrSide naming %s", name, err, tt.field)
		}
	}
}

func TestSideRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Side
		copy(s.Salt[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "salt"))
		s.URI = rapid.String().Draw(t, "uri")
		if body := rapid.SliceOf(rapid.Byte()).Draw(t, "body"); len(body) > 0 {
			s.Body = body
		}
		data, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back Side
		if err := back.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if back.Salt != s.Salt || back.URI != s.URI || !bytes.Equal(back.Body, s.Body) {
			t.Fatalf("%+v, want %+v", back, s)
		}
		clear(data)
		if !bytes.Equal(back.Body, s.Body) {
			t.Fatal("the body is not a copy")
		}
	})
}

func TestSideLimits(t *testing.T) {
	most := Side{URI: strings.Repeat("u", MaxURI), Body: make([]byte, MaxBody)}
	data, err := most.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back Side
	if err := back.UnmarshalBinary(data); err != nil || len(back.Body) != MaxBody {
		t.Fatal(err)
	}
	if err := back.UnmarshalBinary(append(data, 0)); !errors.Is(err, ErrSide) {
		t.Errorf("body over the limit: %v", err)
	}
	most.Body = append(most.Body, 0)
	if _, err := most.MarshalBinary(); !errors.Is(err, ErrSide) {
		t.Errorf("body over the limit is written: %v", err)
	}
	if _, err := (Side{URI: strings.Repeat("u", MaxURI+1)}).MarshalBinary(); !errors.Is(err, ErrSide) {
		t.Errorf("uri over the limit is written: %v", err)
	}
}

func TestSideRefuses(t *testing.T) {
	good, _ := someSide(1).MarshalBinary()
	edit := func(i int, c byte) []byte {
		b := bytes.Clone(good)
		b[i] = c
		return b
	}
	tests := map[string][]byte{
		"empty":      nil,
		"cut":        good[:sideFixed-1],
		"version 0":  edit(0, 0),
		"version 2":  edit(0, 2),
		"long uri":   edit(36, 255),
		"huge uri":   edit(33, 255),
		"uri at cap": append(edit(35, 0x21), make([]byte, 1<<14)...),
	}
	for name, data := range tests {
		s := Side{URI: "kept"}
		if err := s.UnmarshalBinary(data); !errors.Is(err, ErrSide) || s.URI != "kept" {
			t.Errorf("%s: %v, want ErrSide and nothing changed", name, err)
		}
	}
}

func FuzzSide(f *testing.F) {
	good, _ := someSide(1).MarshalBinary()
	f.Add(good)
	f.Add(good[:sideFixed])
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Side
		if err := s.UnmarshalBinary(data); err != nil {
			if !errors.Is(err, ErrSide) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		again, err := s.MarshalBinary()
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%v: a second encoding of one record", err)
		}
	})
}
