package eval

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// The expected values are computed by hand; 1/log2(rank+1) is
// 1, .63093, .5, .43068, .38685, .35621 for ranks 1 to 6.
func TestMetricsByHand(t *testing.T) {
	many := make([]string, 12) // n01 … n12
	for i := range many {
		many[i] = "n" + strconv.Itoa(101 + i)[1:]
	}
	tests := []struct {
		name    string
		ranked  []string
		grades  Grades
		ndcg10  float64
		recall  map[int]float64
		mrr10   float64
		hit1    float64
		firstOf int
	}{
		{
			name: "perfect", ranked: []string{"a", "b"}, grades: Grades{"a": 2, "b": 1},
			// DCG = 2·1 + 1·.63093 = 2.63093 = IDCG
			ndcg10: 1, recall: map[int]float64{1: .5, 2: 1, 5: 1}, mrr10: 1, hit1: 1, firstOf: 1,
		},
		{
			name: "grades swapped", ranked: []string{"b", "a"}, grades: Grades{"a": 2, "b": 1},
			// DCG = 1·1 + 2·.63093 = 2.26186; IDCG = 2.63093; .85972
			ndcg10: .85972, recall: map[int]float64{1: .5, 2: 1}, mrr10: 1, hit1: 1, firstOf: 1,
		},
		{
			name: "linear gain, not 2^g-1", ranked: []string{"x", "a", "b"}, grades: Grades{"a": 3, "b": 4},
			// DCG = 3·.63093 + 4·.5 = 3.89279; IDCG = 4·1 + 3·.63093 = 5.89279; .66060
			ndcg10: .66060, recall: map[int]float64{1: 0, 2: .5, 5: 1}, mrr10: .5, hit1: 0, firstOf: 2,
		},
		{
			name: "one of three at rank 4", ranked: []string{"x", "y", "z", "a"}, grades: Grades{"a": 1, "b": 1, "c": 1},
			// DCG = .43068; IDCG = 1 + .63093 + .5 = 2.13093; .20211
			ndcg10: .20211, recall: map[int]float64{2: 0, 5: 1. / 3, 100: 1. / 3}, mrr10: .25, hit1: 0, firstOf: 4,
		},
		{
			name:   "grade 0 and below are not relevant and gain nothing",
			ranked: []string{"zero", "minus", "a"}, grades: Grades{"zero": 0, "minus": -2, "a": 1},
			// DCG = .5; IDCG = 1
			ndcg10: .5, recall: map[int]float64{1: 0, 2: 0, 5: 1}, mrr10: 1. / 3, hit1: 0, firstOf: 3,
		},
		{
			name: "rank 10 counts", ranked: append(slices.Clone(many[:9]), "a"), grades: Grades{"a": 1},
			// DCG = 1/log2(11) = 1/3.45943 = .28906
			ndcg10: .28906, recall: map[int]float64{5: 0, 10: 1}, mrr10: .1, hit1: 0, firstOf: 10,
		},
		{
			name: "rank 11 is beyond the cut", ranked: append(slices.Clone(many[:10]), "a"), grades: Grades{"a": 1},
			ndcg10: 0, recall: map[int]float64{10: 0, 20: 1}, mrr10: 0, hit1: 0, firstOf: 11,
		},
		{
			name: "the ideal is cut at 10 too", ranked: many,
			grades: Grades{"n01": 1, "n02": 1, "n03": 1, "n04": 1, "n05": 1, "n06": 1,
				"n07": 1, "n08": 1, "n09": 1, "n10": 1, "n11": 1, "n12": 1},
			ndcg10: 1, recall: map[int]float64{1: 1. / 12, 10: 10. / 12, 20: 1}, mrr10: 1, hit1: 1, firstOf: 1,
		},
		{name: "nothing found", ranked: nil, grades: Grades{"a": 1}, recall: map[int]float64{100: 0}},
		{name: "nothing relevant", ranked: []string{"a"}, grades: Grades{"a": 0}, recall: map[int]float64{100: 0}},
		{name: "no judgements", ranked: []string{"a"}, grades: nil, recall: map[int]float64{100: 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			near(t, "ndcg@10", NDCG(tt.ranked, tt.grades, 10), tt.ndcg10)
			for k, want := range tt.recall {
				near(t, "recall@"+strconv.Itoa(k), Recall(tt.ranked, tt.grades, k), want)
			}
			near(t, "mrr@10", ReciprocalRank(tt.ranked, tt.grades, 10), tt.mrr10)
			near(t, "hit@1", ScoresOf(tt.ranked, tt.grades).Hit1, tt.hit1)
			if got := firstRelevant(tt.ranked, tt.grades); got != tt.firstOf {
				t.Errorf("first relevant rank %d, want %d", got, tt.firstOf)
			}
		})
	}
}

func TestCutsOutsideTheList(t *testing.T) {
	g := Grades{"a": 1}
	for _, k := range []int{-1, 0} {
		if s := NDCG([]string{"a"}, g, k) + Recall([]string{"a"}, g, k) + ReciprocalRank([]string{"a"}, g, k); s != 0 {
			t.Errorf("k = %d: %v, want 0", k, s)
		}
	}
	near(t, "huge k", NDCG([]string{"a"}, g, math.MaxInt), 1)
}

func TestMeans(t *testing.T) {
	outcomes := []Outcome{
		{Category: "a", Scores: ScoresOf([]string{"d"}, Grades{"d": 1})},      // all 1
		{Category: "b", Scores: ScoresOf([]string{"x", "d"}, Grades{"d": 1})}, // mrr .5, ndcg .63093
		{Category: "", Scores: ScoresOf(nil, Grades{"d": 1})},                 // all 0
	}
	all := meanOf(outcomes)
	if all.Queries != 3 {
		t.Errorf("%d queries, want 3", all.Queries)
	}
	near(t, "ndcg@10", all.NDCG10, (1+.63093)/3)
	near(t, "mrr@10", all.MRR10, .5)
	near(t, "recall@1", all.Recall1, 1./3)
	near(t, "recall@2", all.Recall2, 2./3)
	by := byCategory(outcomes)
	if len(by) != 2 || by["a"].Queries != 1 || by["b"].MRR10 != .5 {
		t.Errorf("by category: %+v", by)
	}
	if (meanOf(nil) != Scores{}) {
		t.Error("the mean over nothing is not zero")
	}
}

// judged draws grades and a ranking of some of the judged and other documents.
func judged(t *rapid.T) ([]string, Grades) {
	ids := rapid.SliceOfNDistinct(rapid.IntRange(0, 300), 0, 150, rapid.ID).Draw(t, "ranked")
	ranked := make([]string, len(ids))
	for i, id := range ids {
		ranked[i] = strconv.Itoa(id)
	}
	g := Grades{}
	for _, id := range rapid.SliceOfN(rapid.IntRange(0, 300), 0, 40).Draw(t, "judged") {
		g[strconv.Itoa(id)] = rapid.IntRange(-1, 4).Draw(t, "grade")
	}
	return ranked, g
}

func TestMetricProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranked, g := judged(t)
		s := ScoresOf(ranked, g)
		for i, f := range s.figures() {
			if !(*f >= 0 && *f <= 1+1e-12) {
				t.Fatalf("figure %d is %v", i, *f)
			}
		}
		if s.Recall1 > s.Recall2 || s.Recall2 > s.Recall5 || s.Recall5 > s.Recall10 ||
			s.Recall10 > s.Recall20 || s.Recall20 > s.Recall100 || s.Hit1 > s.MRR10 {
			t.Fatalf("not monotone: %+v", s)
		}
		// The best order of the judged documents is perfect.
		best := slices.SortedFunc(maps.Keys(g), func(a, b string) int { return g[b] - g[a] })
		if top := NDCG(best, g, 10); g.relevant() > 0 && math.Abs(top-1) > 1e-12 {
			t.Fatalf("ideal order has ndcg %v", top)
		}
	})
}

// Renaming the documents, reordering what lies below the cut, and swapping
// documents of one grade change no figure.
func TestMetricsIgnoreNamesAndTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranked, g := judged(t)
		want := ScoresOf(ranked, g)

		renamed, grades := make([]string, len(ranked)), Grades{}
		for i, id := range ranked {
			renamed[i] = "doc/" + id
		}
		for id, grade := range g {
			grades["doc/"+id] = grade
		}
		if got := ScoresOf(renamed, grades); got != want {
			t.Fatalf("renamed: %+v, want %+v", got, want)
		}

		if len(ranked) > 100 {
			tail := append(slices.Clone(ranked[:100]), rapid.Permutation(ranked[100:]).Draw(t, "tail")...)
			if got := ScoresOf(tail, g); got != want {
				t.Fatalf("tail reordered: %+v, want %+v", got, want)
			}
		}

		if len(ranked) > 1 {
			i, j := rapid.IntRange(0, len(ranked)-1).Draw(t, "i"), rapid.IntRange(0, len(ranked)-1).Draw(t, "j")
			if max(g[ranked[i]], 0) == max(g[ranked[j]], 0) {
				swapped := slices.Clone(ranked)
				swapped[i], swapped[j] = swapped[j], swapped[i]
				if got := ScoresOf(swapped, g); got != want {
					t.Fatalf("equal grades swapped: %+v, want %+v", got, want)
				}
			}
		}
	})
}

// The order of the questions changes a mean by rounding at most.
func TestMeanIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var outcomes []Outcome
		for range rapid.IntRange(0, 12).Draw(t, "n") {
			outcomes = append(outcomes, Outcome{Scores: ScoresOf(judged(t))})
		}
		a, b := meanOf(outcomes), meanOf(rapid.Permutation(outcomes).Draw(t, "order"))
		for i := range a.figures() {
			if math.Abs(*a.figures()[i]-*b.figures()[i]) > 1e-12 {
				t.Fatalf("%+v, %+v", a, b)
			}
		}
	})
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 5e-6 {
		t.Errorf("%s = %.6f, want %.6f", what, got, want)
	}
}
