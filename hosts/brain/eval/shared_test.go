package eval

import (
	"os"
	"path/filepath"
	"testing"
)

// shared returns the folder of judged data beside the checkout, or skips.
func shared(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../../shared/data")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the judged data are not beside this checkout")
	}
	return dir
}

// The public sets are read whole: the counts are those of their descriptions.
func TestLoadSharedSets(t *testing.T) {
	root := shared(t)
	tests := []struct {
		set                                            string
		docs, queries, ranked, unanswerable, judgement int
	}{
		{"ir/scifact", 5183, 300, 300, 0, 339},
		{"ir/cranfield", 1400, 225, 225, 0, 1837},
		{"ir/med", 1033, 30, 30, 0, 696},
		{"ir/cisi", 1460, 112, 76, 0, 3114},
		{"ir/adi", 82, 35, 35, 0, 170},
		{"ir/bs25", 25, 106, 105, 0, 126},
		{"ir/brainkit", 25, 21, 18, 3, 18},
		{"conv/locomo", 5882, 1986, 1536, 446, 2820},
		{"multihop/musique200", 3141, 200, 200, 0, 478},
	}
	for _, tt := range tests {
		t.Run(tt.set, func(t *testing.T) {
			d, err := Load(os.DirFS(filepath.Join(root, filepath.FromSlash(tt.set))), filepath.Base(tt.set))
			if err != nil {
				t.Fatal(err)
			}
			ranked, unanswerable, unjudged := d.asked()
			if len(d.Documents) != tt.docs || len(d.Queries) != tt.queries || len(ranked) != tt.ranked ||
				len(unanswerable) != tt.unanswerable || unjudged != tt.queries-tt.ranked-tt.unanswerable ||
				d.Tally != (Tally{Judgements: tt.judgement}) {
				t.Errorf("%d documents, %d queries, %d ranked, %d unanswerable, %d unjudged, %+v; want %+v",
					len(d.Documents), len(d.Queries), len(ranked), len(unanswerable), unjudged, d.Tally, tt)
			}
		})
	}
}
