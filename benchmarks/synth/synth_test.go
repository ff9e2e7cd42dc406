package synth

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func TestSameSeedSameBytes(t *testing.T) {
	sum := func(seed uint64) string {
		c, h := New(seed), sha256.New()
		for range 50 {
			d := c.Next()
			h.Write([]byte(d.Name + d.Title + d.Text + c.Question()))
		}
		return hex.EncodeToString(h.Sum(nil)[:8])
	}
	if a, b := sum(1), sum(1); a != b {
		t.Errorf("%s, then %s", a, b)
	}
	if sum(1) == sum(2) {
		t.Error("two seeds, one corpus")
	}
}

func TestDocumentsDiffer(t *testing.T) {
	c, seen := New(7), map[string]bool{}
	for range 2000 {
		d := c.Next()
		if seen[d.Text] || seen[d.Name] {
			t.Fatalf("%s occurs twice", d.Name)
		}
		seen[d.Text], seen[d.Name] = true, true
	}
}
