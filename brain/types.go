package brain

import (
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/gate"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// The types of the packages below that appear in this API, so that most
// programs import brain alone.
type (
	// Draft is content that somebody wants to store at a URI.
	Draft = document.Draft
	// Revision describes one immutable state of a document.
	Revision = document.Revision
	// Digest is a SHA-256 of bytes.
	Digest = document.Digest
	// Query is one question to Session.Recall.
	Query = recall.Query
	// Result answers a Query.
	Result = recall.Result
	// Hit is one chunk of a Result.
	Hit = recall.Hit
	// Proposal is content that waits for a decision, or one that was decided.
	Proposal = gate.Proposal
	// Decision approves or rejects a Proposal.
	Decision = gate.Decision
	// Actor is who acts.
	Actor = policy.Actor
)

// Person returns the actor of a person with the given roles.
func Person(id string, roles ...string) Actor {
	return Actor{ID: id, Kind: policy.Person, Roles: roles}
}

// Agent returns the actor of an AI agent with the given roles.
func Agent(id string, roles ...string) Actor {
	return Actor{ID: id, Kind: policy.Agent, Roles: roles}
}

// Receipt is the proof of one commit. Keep it: it shows later that the log
// still contains this commit, whatever happened to the disk.
type Receipt struct {
	URI      uri.URI    `json:"uri"`
	Seq      uint64     `json:"seq"`                // of the commit
	Time     time.Time  `json:"time"`               // of the commit
	Head     audit.Head `json:"head"`               // of the log just after it
	Row      audit.Hash `json:"row"`                // leaf hash of its audit row
	Digest   Digest     `json:"digest"`             // of the stored bytes; of the proposal when it is held
	Outcome  Outcome    `json:"outcome"`            // what the call did
	Revision uint64     `json:"revision,omitempty"` // that was written, repeated or retired
	Proposal uint64     `json:"proposal,omitempty"` // that was made or decided
	Warnings []string   `json:"warnings,omitempty"` // about the content, such as front matter that is not YAML
	Pending  bool       `json:"pending,omitempty"`  // the embedder failed: found by text now, by meaning after Rebuild
}

// Outcome is what a change did, as a word.
type Outcome string

// The outcomes.
const (
	Created  Outcome = "created"  // first live revision of a document
	Updated  Outcome = "updated"  // a new revision; the one before is retired
	Repeated Outcome = "repeated" // the same bytes again: counted, nothing else
	Held     Outcome = "held"     // the screen found something: waits for review, not stored as a document yet
	Forgot   Outcome = "forgotten"
	Proposed Outcome = "proposed"
	Approved Outcome = "approved"
	Rejected Outcome = "rejected"
	Changed  Outcome = "changed" // the policy
)

// Document is one revision with its bytes.
type Document struct {
	Revision
	Body []byte `json:"body"`
}

// ListQuery selects live documents. The zero value selects all that the actor
// may read.
type ListQuery struct {
	Prefix string   // URI prefix such as "brain://sales/"; "" = all
	Kinds  []string // any of these
	Tags   []string // all of these
	Owner  string   // exactly this one
	Limit  int      // documents in the page, default 100, at most 1,000
	Cursor string   // Next of the page before; "" = from the start
}

// Page is one page of a list.
type Page struct {
	Documents []Revision `json:"documents"`
	Next      string     `json:"next,omitempty"` // cursor of the next page; "" = this is the last
}

// ProposalQuery selects proposals that the actor may see: those it made and
// those it may decide.
type ProposalQuery struct {
	State  string // "pending" (default), "approved", "rejected", "expired" or "all"
	Domain string // only proposals for this domain; "" = all
	Limit  int    // proposals in the page, default 50, at most 200
	After  uint64 // id of the last proposal of the page before; 0 = from the start
}

// ProposalPage is one page of proposals, ordered by id.
type ProposalPage struct {
	Proposals []Proposal `json:"proposals"`
	Next      uint64     `json:"next,omitempty"` // After of the next page; 0 = this is the last
}
