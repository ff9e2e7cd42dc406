package uri

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

func TestChunkAsText(t *testing.T) {
	want := Chunk{MustParse("brain://a/b"), 3, 4}
	text, err := json.Marshal(want)
	if err != nil || string(text) != `"brain://a/b@r3#c4"` {
		t.Fatalf("%s, %v", text, err)
	}
	var got Chunk
	if err := json.Unmarshal(text, &got); err != nil || got != want {
		t.Errorf("%v, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`"brain://a/b"`), &got); !errors.Is(err, ErrInvalid) {
		t.Errorf("%v", err)
	}
}

func TestChunkRoundTrip(t *testing.T) {
	tests := []struct {
		c    Chunk
		text string
	}{
		{Chunk{URI: MustParse("notes://x/a@r1/b@r5"), Revision: 1<<64 - 1, N: 1<<32 - 1}, "notes://x/a@r1/b@r5@r18446744073709551615#c4294967295"},
		{Chunk{URI: MustParse("brain://é")}, "brain://é@r0#c0"},
	}
	for _, tt := range tests {
		if tt.c.String() != tt.text {
			t.Errorf("got %q, want %q", tt.c, tt.text)
		}
		if got, err := ParseChunk(tt.text); err != nil || got != tt.c {
			t.Errorf("%q: %v, %v", tt.text, got, err)
		}
	}
}

func TestParseChunkRefuses(t *testing.T) {
	for _, s := range []string{
		"", "a://b", "a://b@r1", "a://b#c1", "a://b@r1#c", "a://b@r#c1", "a://b@r01#c1", "a://b@r1#c01", "a://b@r+1#c1",
		"a://b@r1#c-1", "a://b@r1#c1 ", "a://b@r1#c4294967296", "a://b@r18446744073709551616#c0", "A://b@r1#c1", "@r1#c1",
		"a://../b@r1#c1", "a://b@r1#c1#c1", "a://b@r1 #c1", "a://" + strings.Repeat("b", 5000) + "@r1#c1",
	} {
		c, err := ParseChunk(s)
		var bad *invalid.Error
		if !errors.As(err, &bad) || bad.Field != "chunk" || !errors.Is(err, ErrInvalid) || c != (Chunk{}) {
			t.Errorf("ParseChunk(%q) = %v, %v", s, c, err)
		}
	}
}

func FuzzParseChunk(f *testing.F) {
	for _, s := range []string{"brain://a@r1#c0", "a://b@r2@r1#c9", "a://b@r01#c1", "a://b#c1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseChunk(s)
		if err == nil && c.String() != s {
			t.Errorf("%q came back as %q", s, c)
		}
		if err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v", s, err)
		}
	})
}
