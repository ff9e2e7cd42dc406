package policy

// Action is one thing that an actor may do. None implies another.
type Action string

// The actions. Whole-brain actions name no document, so no path rule or scoped
// floor can list them.
const (
	Read         Action = "read"    // see content, names, history and statistics of a name
	Propose      Action = "propose" // hand in content that waits for a decision
	Write        Action = "write"   // change content at once, also undo a change
	Forget       Action = "forget"  // retire content from the live view, also undo that
	Review       Action = "review"  // see proposals of others and quarantined content
	Approve      Action = "approve" // let a proposal land
	Reject       Action = "reject"  // turn a proposal down
	Release      Action = "release" // let quarantined content be recalled
	ChangePolicy Action = "policy"  // replace the rules; whole brain
	Audit        Action = "audit"   // read the log; whole brain
)

// Actions returns all actions in the order of this package's table. The slice
// is the caller's.
func Actions() []Action {
	return []Action{Read, Propose, Write, Forget, Review, Approve, Reject, Release, ChangePolicy, Audit}
}

// trait is a row of the table of actions.
type trait struct {
	bit     uint16
	whole   bool // of the whole brain: names no document
	noAgent bool // never an agent's, whatever the rules say
	decides bool // takes a proposal's fate, so never the proposer's
}

// traits returns the row of a; false for a word that is no action.
func (a Action) traits() (trait, bool) {
	switch a {
	case Read:
		return trait{bit: 1 << 0}, true
	case Propose:
		return trait{bit: 1 << 1}, true
	case Write:
		return trait{bit: 1 << 2}, true
	case Forget:
		return trait{bit: 1 << 3}, true
	case Review:
		return trait{bit: 1 << 4, noAgent: true}, true
	case Approve:
		return trait{bit: 1 << 5, noAgent: true, decides: true}, true
	case Reject:
		return trait{bit: 1 << 6, noAgent: true, decides: true}, true
	case Release:
		return trait{bit: 1 << 7, noAgent: true}, true
	case ChangePolicy:
		return trait{bit: 1 << 8, noAgent: true, whole: true}, true
	case Audit:
		return trait{bit: 1 << 9, whole: true}, true
	}
	return trait{}, false
}
