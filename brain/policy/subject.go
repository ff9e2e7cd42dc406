package policy

import "strings"

// tier says which subjects a list of rules may name.
type tier uint8

const (
	tierFloor tier = iota
	tierPath
	tierUser
	tierRole
	tierDefault
)

// subject is who a rule speaks of. Actors, groups and roles are different
// types: the same name in two of them is two subjects.
type subject struct {
	kind subjectKind
	name string // of an actor, group or role; the kind's word; "" for any
}

type subjectKind uint8

const (
	subPerson subjectKind = subjectKind(Person)
	subAgent  subjectKind = subjectKind(Agent)
	subSystem subjectKind = subjectKind(System)
	subGroup  subjectKind = iota + 10
	subRole
	subKind
	subAny
)

func (s subject) isActor() bool { return s.kind <= subSystem }

// parseSubject reads "any", "kind:agent" or TYPE:NAME; otherwise it says what
// is wrong.
func parseSubject(text string) (s subject, why string) {
	if text == "any" {
		return subject{kind: subAny}, ""
	}
	word, name, ok := strings.Cut(text, ":")
	if !ok {
		return subject{}, "want TYPE:NAME or any"
	}
	switch word {
	case "group":
		s.kind = subGroup
	case "role":
		s.kind = subRole
	case "kind":
		if _, known := parseKind(name); !known {
			return subject{}, "unknown kind"
		}
		return subject{subKind, name}, ""
	default:
		k, known := parseKind(word)
		if !known {
			return subject{}, "unknown type of subject"
		}
		s.kind = subjectKind(k)
	}
	s.name = name
	return s, checkName(name)
}

// fits reports whether a rule of tier t may name the subject.
func (s subject) fits(t tier) bool {
	switch t {
	case tierUser:
		return s.isActor() || s.kind == subGroup
	case tierRole:
		return s.kind == subRole
	case tierDefault:
		return s.kind == subKind || s.kind == subAny
	}
	return true
}
