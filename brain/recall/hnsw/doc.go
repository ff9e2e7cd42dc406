// Package hnsw finds the nearest of many int8 vectors by cosine without looking
// at most of them: a hierarchical navigable small world graph (Malkov and
// Yashunin, arXiv:1603.09320) over the ordinals of one partition.
//
// # What makes it repeatable
//
// A graph is a function of the vectors, the ids and the options alone. It holds
// exactly the ordinals below Options.End(n) of n vectors. They enter in batches
// of Options.Batch: every member of a batch looks for its neighbours in the
// graph as it was before the batch, and among the members with a lower ordinal
// by exact comparison; then each node that gained links chooses among old and
// new ones, all at once. No step depends on which worker runs it or when, so
// one worker and many, a graph that grew batch by batch and one that was built
// at once have equal bytes. The level of a node comes from a hash of its id
// (Level).
//
// All comparisons are of one key: the product of an exact integer and a rounded
// inverse length, in float32 without a fused operation, then the ordinal. So a
// walk takes the same way on every machine and with every kernel.
//
// # Memory
//
// Links are uint32 in pages of a few nodes; nothing is allocated per node and the
// garbage collector sees one pointer per page. A published View shares its pages
// with the builder, which copies a page before the first change after
// publication. Vectors are not copied: the caller owns them (Vectors).
//
// The package does not know documents, partitions, scopes or the store; it starts
// no goroutine that outlives a call and keeps nothing on disk. Pages and Load
// translate a graph to and from checksummed blobs.
package hnsw
