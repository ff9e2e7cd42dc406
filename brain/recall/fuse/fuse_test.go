package fuse

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestScore(t *testing.T) {
	scale := Scale{BM25: 8, Cosine: 0.7}
	tests := []struct {
		name string
		w    Weights
		s    Scores
		want float64
	}{
		{"best of both legs", Hybrid, Scores{8, 0.7, true}, 1},
		{"half and half", Hybrid, Scores{4, 0.3, true}, 0.5*0.5 + 0.5*0.5},
		{"text only", Hybrid, Scores{8, 0, false}, 0.5},
		{"no query term", Hybrid, Scores{0, 0.7, true}, 0.5},
		{"opposed vector counts nothing", Hybrid, Scores{0, -0.9, true}, 0},
		{"at the floor", Hybrid, Scores{0, -0.1, true}, 0},
		{"lexical alone", Weights{1, 0}, Scores{4, 0.7, true}, 0.5},
		{"vector alone", Weights{0, 1}, Scores{8, 0.3, true}, 0.5},
	}
	for _, tt := range tests {
		if got := scale.Score(tt.w, tt.s); math.Abs(got-tt.want) > 1e-15 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestEmptyLegs(t *testing.T) {
	for _, scale := range []Scale{{}, {Cosine: -0.1}, {Cosine: -1}} {
		if got := scale.Score(Hybrid, Scores{0, -1, true}); got != 0 {
			t.Errorf("%+v: %v, want 0", scale, got)
		}
	}
}

// The bound that search stops at needs a score that never falls with a leg.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(0, 1)
		scale := Scale{BM25: f.Draw(t, "max bm25") * 30, Cosine: f.Draw(t, "max cos")}
		b, c := f.Draw(t, "b")*scale.BM25, f.Draw(t, "c")*scale.Cosine
		lo := Scores{b * f.Draw(t, "down"), c - f.Draw(t, "less"), true}
		hi := Scores{b, c, true}
		low, high := scale.Score(Hybrid, lo), scale.Score(Hybrid, hi)
		if low > high || high > 1+1e-12 || low < 0 {
			t.Fatalf("%v for %+v, %v for %+v in %+v", low, lo, high, hi, scale)
		}
	})
}
