package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"golang.org/x/text/unicode/norm"
)

// Kind is what sort of actor acts. The zero value is no kind, and denied.
type Kind uint8

// The kinds of actors.
const (
	Person Kind = iota + 1 // a human who answers for what it does
	Agent                  // a program that acts on instructions, also a model
	System                 // the service itself: mounts, schedules
)

// String returns "person", "agent" or "system"; "" for any other value.
func (k Kind) String() string {
	switch k {
	case Person:
		return "person"
	case Agent:
		return "agent"
	case System:
		return "system"
	}
	return ""
}

func parseKind(s string) (Kind, bool) {
	for k := Person; k <= System; k++ {
		if k.String() == s {
			return k, true
		}
	}
	return 0, false
}

const (
	maxNameBytes = 128
	maxRoles     = 64
)

// Actor is who acts, as the host has authenticated it. The zero value is
// anonymous and denied everything. Roles are the host's word; groups come from
// the rules. An Actor is read-only to this package.
type Actor struct {
	ID    string   // opaque; at most 128 bytes, printable, in NFC, without ":" and "/"
	Kind  Kind     // Person, Agent or System
	Roles []string // at most 64, spelled as IDs are
}

// String returns kind and ID, "person:alice": the actor's text in the log.
func (a Actor) String() string { return a.Kind.String() + ":" + a.ID }

// ParseActor is the inverse of [Actor.String]; roles are not part of the text.
// The error is an *invalid.Error of field "actor".
func ParseActor(s string) (Actor, error) {
	kind, id, ok := strings.Cut(s, ":")
	k, known := parseKind(kind)
	if !ok || !known {
		return Actor{}, invalid.New("actor", "want person:ID, agent:ID or system:ID")
	}
	a := Actor{ID: id, Kind: k}
	return a, a.Check()
}

// Check returns an *invalid.Error of field "actor" for an actor that every
// request of is denied, and nil otherwise. One case only the rules can tell:
// an ID that is also the name of a group.
func (a Actor) Check() error {
	switch {
	case a.Kind.String() == "":
		return invalid.New("actor", "no kind: want person, agent or system")
	case len(a.Roles) > maxRoles:
		return invalid.TooLarge("actor", int64(len(a.Roles)), maxRoles)
	}
	if why := checkName(a.ID); why != "" {
		return invalid.New("actor", "id: %s", why)
	}
	for _, role := range a.Roles {
		if why := checkName(role); why != "" {
			return invalid.New("actor", "role: %s", why)
		}
	}
	return nil
}

// checkName says what is wrong with the name of an actor, group or role; "" if
// nothing. Two names that look the same are the same bytes as far as NFC and
// invisible characters go; look-alike letters are the host's to judge.
func checkName(s string) string {
	switch {
	case s == "":
		return "empty"
	case len(s) > maxNameBytes:
		return "over 128 bytes"
	case !utf8.ValidString(s):
		return "not valid UTF-8"
	case strings.TrimSpace(s) != s:
		return "space at an end"
	case !norm.NFC.IsNormalString(s):
		return "not in NFC"
	}
	for _, r := range s {
		if r == ':' || r == '/' || r == '\\' || r == utf8.RuneError || !unicode.IsPrint(r) ||
			unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return "a character that names may not hold"
		}
	}
	return ""
}
