package hnsw

import "github.com/seed70401ef0/brain-go/brain/recall/vek"

// dots writes the exact dot product of q with row ids[i] of v to out[i]. It is
// the one place where a walk, a scan and the builder touch vectors.
func (v *Vectors) dots(q []int8, ids []uint32, out []int32) {
	vek.DotBatch(q, v.Base, v.Stride, ids, out)
}
