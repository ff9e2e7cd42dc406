package eval

import (
	"math"
	"slices"
)

// NDCG returns the normalised discounted cumulative gain of the first k ranks:
// the sum of grade/log2(rank+1) with ranks from 1, divided by the same sum for
// the best order of all judged documents. The gain is linear, grades below 0
// count as 0. It is 0 when nothing is relevant, else in [0, 1]. ranked must not
// repeat a document. Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, with
// the discount that trec_eval's ndcg_cut uses.
func NDCG(ranked []string, g Grades, k int) float64 {
	ideal := make([]int, 0, len(g))
	for _, grade := range g {
		if grade > 0 {
			ideal = append(ideal, grade)
		}
	}
	if len(ideal) == 0 || k < 1 {
		return 0
	}
	slices.SortFunc(ideal, func(a, b int) int { return b - a })
	ranked = first(ranked, k)
	gains := make([]int, len(ranked))
	for i, doc := range ranked {
		gains[i] = max(g[doc], 0)
	}
	return dcg(gains) / dcg(first(ideal, k))
}

func dcg(gains []int) float64 {
	sum := 0.0
	for i, gain := range gains {
		sum += float64(gain) / math.Log2(float64(i+2))
	}
	return sum
}

// Recall returns the share of the relevant documents that are among the first k
// ranks: 0 when nothing is relevant, else in [0, 1] and never falling with k.
// ranked must not repeat a document.
func Recall(ranked []string, g Grades, k int) float64 {
	relevant := g.relevant()
	if relevant == 0 {
		return 0
	}
	found := 0
	for _, doc := range first(ranked, k) {
		if g[doc] > 0 {
			found++
		}
	}
	return float64(found) / float64(relevant)
}

// ReciprocalRank returns 1/rank of the first relevant document, 0 when there is
// none among the first k ranks. Its mean over questions is MRR@k.
func ReciprocalRank(ranked []string, g Grades, k int) float64 {
	if rank := firstRelevant(first(ranked, k), g); rank > 0 {
		return 1 / float64(rank)
	}
	return 0
}

// firstRelevant returns the rank, from 1, of the first relevant document, 0 for
// none.
func firstRelevant(ranked []string, g Grades) int {
	return 1 + slices.IndexFunc(ranked, func(doc string) bool { return g[doc] > 0 })
}

func first[T any](s []T, k int) []T { return s[:min(max(k, 0), len(s))] }
