package policy

// membership is the groups of a document, child to parents.
type membership struct {
	parents map[subject][]string // of an actor or a group: the groups that list it
	cyclic  map[string]bool      // groups that contain themselves at any depth
}

// held is the subjects that an actor is. The value says whether a grant to the
// subject reaches the actor; false means that only denials do.
type held struct {
	subjects map[subject]bool
	cut      bool // some membership grants nothing: too deep, or through a cycle
}

// of returns everything that a is, in time linear in the groups it reaches.
// Chains of up to MaxNesting acyclic groups grant; all others only deny, so
// that a group made too deep or cyclic by mistake never opens what it closed.
func (m *membership) of(a Actor) held {
	self := subject{subjectKind(a.Kind), a.ID}
	h := held{subjects: map[subject]bool{
		self:                       true,
		{subKind, a.Kind.String()}: true,
		{kind: subAny}:             true,
	}}
	for _, r := range a.Roles {
		h.subjects[subject{subRole, r}] = true
	}
	// Breadth first, so the first visit is by the shortest chain; granting
	// chains first, so a group is reached by one of those if it can be.
	for _, grants := range []bool{true, false} {
		level := []subject{self}
		seen := map[string]bool{}
		for depth := 1; len(level) > 0 && (!grants || depth <= MaxNesting); depth++ {
			var next []subject
			for _, s := range level {
				for _, g := range m.parents[s] {
					if seen[g] || grants && m.cyclic[g] {
						continue
					}
					seen[g] = true
					up := subject{subGroup, g}
					next = append(next, up)
					if !h.subjects[up] {
						h.subjects[up] = grants
						h.cut = h.cut || !grants
					}
				}
			}
			level = next
		}
	}
	return h
}

// findCycles returns the groups that lie on a cycle: the members of strongly
// connected components of more than one group, and those that list themselves
// (Tarjan 1972, with a stack of our own so that depth is no stack depth).
func findCycles(parents map[subject][]string, names []string) map[string]bool {
	cyclic := map[string]bool{}
	index, low := map[string]int{}, map[string]int{}
	onStack := map[string]bool{}
	var stack []string
	type frame struct {
		name string
		next int // of parents
	}
	for _, root := range names {
		if index[root] != 0 {
			continue
		}
		work := []frame{{name: root}}
		for len(work) > 0 {
			f := &work[len(work)-1]
			if f.next == 0 {
				index[f.name] = len(index) + 1
				low[f.name] = index[f.name]
				stack = append(stack, f.name)
				onStack[f.name] = true
			}
			up := parents[subject{subGroup, f.name}]
			if f.next < len(up) {
				p := up[f.next]
				f.next++
				switch {
				case p == f.name:
					cyclic[p] = true
				case index[p] == 0:
					work = append(work, frame{name: p})
				case onStack[p]:
					low[f.name] = min(low[f.name], index[p])
				}
				continue
			}
			done := f.name
			work = work[:len(work)-1]
			if len(work) > 0 {
				below := work[len(work)-1].name
				low[below] = min(low[below], low[done])
			}
			if low[done] != index[done] {
				continue
			}
			size := 0
			for i := len(stack) - 1; ; i-- {
				size++
				onStack[stack[i]] = false
				if stack[i] == done {
					if size > 1 {
						for _, g := range stack[i:] {
							cyclic[g] = true
						}
					}
					stack = stack[:i]
					break
				}
			}
		}
	}
	return cyclic
}
