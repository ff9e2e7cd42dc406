package policy

// Default returns the policy of a brain that was given none: the role "owner"
// may do everything, and an agent may read and propose. Everybody else is denied
// until a rule says otherwise.
func Default() *Set {
	s, err := New(Document{
		Version: version,
		Roles:   []Rule{{ID: "owner", Effect: "allow", Who: []string{"role:owner"}, Do: Actions()}},
		Defaults: []Rule{{
			ID: "agents", Effect: "allow", Who: []string{"kind:agent"}, Do: []Action{Read, Propose},
		}},
	})
	if err != nil {
		panic("policy: the default policy is not valid: " + err.Error()) // a constant, held by a test
	}
	return s
}
