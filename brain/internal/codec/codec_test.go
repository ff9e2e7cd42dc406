package codec

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

type record struct {
	V    uint8             `cbor:"0,keyasint"`
	Name string            `cbor:"1,keyasint,omitempty"`
	Tags []string          `cbor:"2,keyasint,omitempty"`
	Meta map[string]string `cbor:"3,keyasint,omitempty"`
}

func TestMarshalIsDeterministic(t *testing.T) {
	r := record{V: 1, Name: "n", Meta: map[string]string{"b": "2", "a": "1", "ab": "3"}}
	want := Marshal(r)
	for range 50 {
		if got := Marshal(r); !bytes.Equal(got, want) {
			t.Fatalf("%x, then %x", want, got)
		}
	}
	var back record
	if err := Unmarshal(want, &back, 1<<10); err != nil || back.Meta["ab"] != "3" {
		t.Fatalf("%+v, %v", back, err)
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	good := Marshal(record{V: 1, Name: "n"})
	tests := map[string][]byte{
		"empty":         nil,
		"trailing byte": append(bytes.Clone(good), 0),
		"cut":           good[:len(good)-1],
		"duplicate key": {0xa2, 0x00, 0x01, 0x00, 0x02},
		"indefinite":    {0xbf, 0x00, 0x01, 0xff},
		"tag":           {0xc0, 0x60},
		"huge array":    {0xa1, 0x02, 0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"over the cap":  Marshal(record{V: 1, Name: strings.Repeat("n", 2000)}),
		"nested":        bytes.Repeat([]byte{0x81}, 40),
	}
	for name, data := range tests {
		var r record
		if err := Unmarshal(data, &r, 1<<10); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}

func TestInstants(t *testing.T) {
	for _, want := range []time.Time{{}, time.UnixMicro(0).UTC(), time.UnixMicro(-1).UTC(), time.Date(2026, 11, 30, 12, 0, 0, 123_000, time.UTC)} {
		if got := Instant(Micros(want)); !got.Equal(want) || got.IsZero() != want.IsZero() {
			t.Errorf("%v became %v", want, got)
		}
	}
	cest := time.FixedZone("", 7200)
	if got := Instant(Micros(time.Date(2026, 7, 1, 2, 0, 0, 999, cest))); got != time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC) {
		t.Errorf("%v", got)
	}
}

func FuzzUnmarshal(f *testing.F) {
	f.Add(Marshal(record{V: 1, Name: "n", Tags: []string{"a"}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r record
		if Unmarshal(data, &r, 1<<16) != nil {
			return
		}
		var again record
		if err := Unmarshal(Marshal(r), &again, 1<<17); err != nil {
			t.Fatalf("written back, not readable: %v", err)
		}
	})
}
