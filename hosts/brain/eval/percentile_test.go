package eval

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPercentileNearestRank(t *testing.T) {
	five := []time.Duration{35, 20, 15, 50, 40}
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100 - i)
	}
	tests := []struct {
		name string
		d    []time.Duration
		p    int
		want time.Duration
	}{
		// sorted 15 20 35 40 50: ⌈.05·5⌉ = 1st, ⌈.3·5⌉ = 2nd, ⌈.4·5⌉ = 2nd, ⌈.5·5⌉ = 3rd
		{"5 of 5", five, 5, 15},
		{"30 of 5", five, 30, 20},
		{"40 of 5", five, 40, 20},
		{"50 of 5", five, 50, 35},
		{"100 of 5", five, 100, 50},
		{"99 of 5", five, 99, 50}, // ⌈4.95⌉ = 5th
		{"50 of 100", hundred, 50, 50},
		{"95 of 100", hundred, 95, 95},
		{"99 of 100", hundred, 99, 99},
		{"one value", []time.Duration{7}, 1, 7},
		{"two values", []time.Duration{2, 1}, 50, 1}, // ⌈1.0⌉ = 1st
		{"none", nil, 50, 0},
		{"below", five, -3, 15},
		{"above", five, 300, 50},
	}
	for _, tt := range tests {
		if got := Percentile(tt.d, tt.p); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	if five[0] != 35 {
		t.Error("the argument was sorted in place")
	}
}

func TestPercentileProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d []time.Duration
		for _, n := range rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 60).Draw(t, "d") {
			d = append(d, time.Duration(n))
		}
		p := rapid.IntRange(1, 100).Draw(t, "p")
		got := Percentile(d, p)
		if !slices.Contains(d, got) {
			t.Fatalf("%d is not a value", got)
		}
		atMost, below := 0, 0
		for _, v := range d {
			if v <= got {
				atMost++
			}
			if v < got {
				below++
			}
		}
		if atMost*100 < p*len(d) || below*100 >= p*len(d) {
			t.Fatalf("p%d = %d: %d of %d at most it, %d below", p, got, atMost, len(d), below)
		}
		if shuffled := Percentile(rapid.Permutation(d).Draw(t, "order"), p); shuffled != got {
			t.Fatalf("%d in another order, was %d", shuffled, got)
		}
	})
}
