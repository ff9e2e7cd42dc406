package main

import "github.com/seed70401ef0/brain-go/brain"

// answer is a result as --json writes it: chunks by their name, so that they
// can be typed back.
type answer struct {
	Hits []answerHit `json:"hits"`
	brain.Result
}

type answerHit struct {
	Chunk string `json:"chunk"` // URI@rREVISION#cN
	brain.Hit
}

func answerOf(res brain.Result) answer {
	hits := make([]answerHit, len(res.Hits))
	for i, h := range res.Hits {
		hits[i] = answerHit{h.Chunk.String(), h}
	}
	return answer{hits, res}
}
