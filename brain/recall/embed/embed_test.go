package embed

import (
	"errors"
	"math"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

func TestCheckNamesTheVector(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	tests := []struct {
		name       string
		vectors    [][]float32
		texts, dim int
		at         int
		reason     string
	}{
		{"fine", [][]float32{{1, 2}, {0, 0}}, 2, 2, -1, ""},
		{"any length", [][]float32{{1, 2}, {0, 0}}, 2, 0, -1, ""},
		{"none", nil, 0, 0, -1, ""},
		{"too few", [][]float32{{1, 2}}, 2, 2, -1, "1 vectors for 2 texts"},
		{"too many", [][]float32{{1, 2}}, 0, 2, -1, "1 vectors for 0 texts"},
		{"other length", [][]float32{{1, 2}, {1}}, 2, 0, 1, "vector 1 has 1 components, want 2"},
		{"other dimension", [][]float32{{1, 2}}, 1, 3, 0, "vector 0 has 2 components, want 3"},
		{"empty vector", [][]float32{{}}, 1, 0, 0, "vector 0 has 0 components, want 0"},
		{"NaN", [][]float32{{1, 2}, {3, nan}}, 2, 2, 1, "vector 1, component 1 is NaN"},
		{"Inf", [][]float32{{inf, 2}}, 1, 2, 0, "vector 0, component 0 is -Inf"},
	}
	for _, tt := range tests {
		at, err := Check(tt.vectors, tt.texts, tt.dim)
		if at != tt.at || (err == nil) != (tt.reason == "") {
			t.Errorf("%s: %d, %v", tt.name, at, err)
			continue
		}
		var bad *invalid.Error
		if err != nil && (!errors.As(err, &bad) || bad.Field != "embedding" || bad.Reason != tt.reason) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.reason)
		}
	}
}
