// Package brain is governed memory for AI agents, as a library: open a
// directory, store documents in it, recall them with provenance, let agents
// propose and people decide, and verify afterwards what happened.
//
//	db, err := brain.Open(ctx, "memory", nil)
//	s := db.As(brain.Person("ana", "owner"))
//	_, err = s.Put(ctx, brain.Draft{URI: u, Body: []byte("# Pricing\n…")})
//	res, err := s.Recall(ctx, brain.Query{Text: "what do we charge?"})
//
// DB belongs to the program that embeds the library: it opens, verifies and
// closes, and returns no content. Session is one actor's view; every method
// checks the policy at the moment of the call, and every change has one row in
// the audit log, in the same commit.
//
// # Words
//
// One word per thing, in code, documentation and logs.
//
//	brain       one store directory: one tenant, one audit log
//	domain      a named part of a brain, first segment of brain://DOMAIN/…
//	source      a registered origin of content; its URIs begin SLUG://
//	document    addressed content; its states are revisions
//	revision    one immutable state of a document
//	chunk       the unit indexed and returned, a byte span of a revision
//	leg         one retrieval method; fusion joins them
//	proposal    content that waits for a decision; approve or reject
//	receipt     proof of a commit: sequence number, head, digest
//	digest      SHA-256 of bytes; a commitment is a salted digest
//	row, head   one audit record; (Seq, root) after it
//	actor       who acts: id, kind (person, agent, system), roles
//	scope       the compiled answer to "what may this actor read here"
//	forget      leave the live view; stays in history and can be restored
//
// The package starts no goroutine that outlives Close, writes to no standard
// stream, never ends the process and holds no global state.
package brain
