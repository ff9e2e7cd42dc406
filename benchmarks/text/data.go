package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// doc is a document or a query with its tag.
type doc struct {
	ID        int
	Text, Tag string
}

// answer is the exact ranking of one query, [document, score] pairs.
type answer struct{ All, Tag [][2]float64 }

// read decodes the JSON lines of a file.
func read[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []T
	s := bufio.NewScanner(f)
	s.Buffer(make([]byte, 1<<20), 1<<24)
	for s.Scan() {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, v)
	}
	return out, s.Err()
}

// agreement is the share of the ten answers whose reference score is at least
// that of the tenth reference answer, with the slack of half a percent that the
// peers have.
func agreement(got [][]int, want [][][2]float64) float64 {
	ok, total := 0, 0
	for i, ref := range want {
		k := min(10, len(ref))
		if k == 0 {
			continue
		}
		score := map[int]float64{}
		for _, r := range ref {
			score[int(r[0])] = r[1]
		}
		least := ref[k-1][1] * .995
		for _, id := range got[i][:min(k, len(got[i]))] {
			if score[id] >= least {
				ok++
			}
		}
		total += k
	}
	return float64(ok) / float64(total)
}
