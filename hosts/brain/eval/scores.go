package eval

// Scores are the quality figures of one question or the means over many. All
// but Queries are in [0, 1]. hit@1 is the share of questions whose first rank is
// relevant.
type Scores struct {
	Queries   int     `json:"queries"` // how many questions were ranked
	NDCG10    float64 `json:"ndcg@10"`
	Recall1   float64 `json:"recall@1"`
	Recall2   float64 `json:"recall@2"`
	Recall5   float64 `json:"recall@5"`
	Recall10  float64 `json:"recall@10"`
	Recall20  float64 `json:"recall@20"`
	Recall100 float64 `json:"recall@100"`
	MRR10     float64 `json:"mrr@10"`
	Hit1      float64 `json:"hit@1"`
}

// ScoresOf returns the figures of one question from the documents in the order
// of their ranks, none twice, and its judgements.
func ScoresOf(ranked []string, g Grades) Scores {
	return Scores{
		Queries:   1,
		NDCG10:    NDCG(ranked, g, 10),
		Recall1:   Recall(ranked, g, 1),
		Recall2:   Recall(ranked, g, 2),
		Recall5:   Recall(ranked, g, 5),
		Recall10:  Recall(ranked, g, 10),
		Recall20:  Recall(ranked, g, 20),
		Recall100: Recall(ranked, g, 100),
		MRR10:     ReciprocalRank(ranked, g, 10),
		Hit1:      ReciprocalRank(ranked, g, 1),
	}
}

// figures returns the means in the order of the struct, for sums and tables.
func (s *Scores) figures() [9]*float64 {
	return [...]*float64{&s.NDCG10, &s.Recall1, &s.Recall2, &s.Recall5, &s.Recall10,
		&s.Recall20, &s.Recall100, &s.MRR10, &s.Hit1}
}

// meanOf returns the mean of figures of single questions, the zero Scores for
// none.
func meanOf(outcomes []Outcome) Scores {
	var sum Scores
	for i := range outcomes {
		for j, f := range outcomes[i].Scores.figures() {
			*sum.figures()[j] += *f
		}
	}
	if len(outcomes) == 0 {
		return sum
	}
	sum.Queries = len(outcomes)
	for _, f := range sum.figures() {
		*f /= float64(len(outcomes))
	}
	return sum
}

// byCategory returns the means per category; questions without one are in none.
func byCategory(outcomes []Outcome) map[string]Scores {
	groups := map[string][]Outcome{}
	for _, o := range outcomes {
		if o.Category != "" {
			groups[o.Category] = append(groups[o.Category], o)
		}
	}
	out := make(map[string]Scores, len(groups))
	for name, group := range groups {
		out[name] = meanOf(group)
	}
	return out
}
