package vek

// DotBatch writes the exact dot product of q with row ids[i] of base to out[i];
// row r is the len(q) components from base[r*stride]. Rows that are scattered in
// memory are fetched ahead of their turn, so one long list costs less than many
// short ones. ids may repeat. An id whose row does not end within base, a stride
// below len(q) and an out shorter than ids panic as an index out of range does.
// Safe for concurrent use; it does not allocate.
func DotBatch(q, base []int8, stride int, ids []uint32, out []int32) {
	out = out[:len(ids)]
	for i, id := range ids {
		at := int(id) * stride
		out[i] = Dot(q, base[at:at+len(q)])
	}
}
