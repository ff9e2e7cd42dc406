package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestAgreement(t *testing.T) {
	ref := [][][2]float64{
		{{1, 9}, {2, 8}, {3, 7.999}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}, {9, 1}, {10, 1}, {11, .999}, {12, .9}},
		{{7, 2}},
		{},
	}
	for _, tt := range []struct {
		got  [][]int
		want float64
	}{
		{[][]int{{1, 2, 3, 4, 5, 6, 7, 8, 9, 11}, {7}, {}}, 1},         // a tie within the slack
		{[][]int{{1, 2, 3, 4, 5, 6, 7, 8, 9, 12}, {7}, {4}}, 10. / 11}, // one too low
		{[][]int{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {8}, {}}, 10. / 11},  // one that is no answer
		{[][]int{{}, {}, {}}, 0},
	} {
		if got := agreement(tt.got, ref); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%v agree by %v, want %v", tt.got, got, tt.want)
		}
	}
}

func TestDistinct(t *testing.T) {
	if got := distinct("b a  b c"); got != "a b c" {
		t.Errorf("%q", got)
	}
}

// The whole command runs over a small set.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"x.jsonl":         `{"id":0,"text":"a cat","tag":"p"}` + "\n" + `{"id":1,"text":"a dog","tag":"q"}` + "\n",
		"x.queries.jsonl": `{"id":0,"text":"cat cat","tag":"p"}` + "\n",
		"x.ref.jsonl":     `{"all":[[0,1.5]],"tag":[[0,1.5]]}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(config{dir: dir, k: 10, reps: 1, profile: filepath.Join(dir, "cpu")}, []string{"x"}); err != nil {
		t.Fatal(err)
	}
	if err := run(config{dir: dir, k: 10, reps: 1}, []string{"absent"}); err == nil {
		t.Error("a set that is not there is no error")
	}
}
