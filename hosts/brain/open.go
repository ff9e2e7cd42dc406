package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/policy"
)

// dir returns the brain's directory.
func (a *app) dir() string {
	if a.Dir != "" {
		return a.Dir
	}
	if d := a.getenv("BRAIN_DIR"); d != "" {
		return d
	}
	return "brain-data"
}

// formatFile is what every brain has in its directory from its first moment.
const formatFile = "FORMAT"

// holdsBrain reports whether there is a brain in dir.
func holdsBrain(dir string) (bool, error) {
	_, err := os.Lstat(filepath.Join(dir, formatFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// mustHoldBrain refuses a directory without a brain, so that a mistyped --dir
// does not make a second, empty one.
func mustHoldBrain(dir string) error {
	ok, err := holdsBrain(dir)
	switch {
	case err != nil:
		return usagef("cannot look into %s: %w", dir, err)
	case !ok:
		return usageError{noBrain(dir)}
	}
	return nil
}

// noBrain is a directory that holds no brain.
type noBrain string

func (d noBrain) Error() string { return fmt.Sprintf("there is no brain in %s", string(d)) }

// actor returns who acts.
func (a *app) actor() (brain.Actor, error) {
	if a.As == "" {
		if len(a.Role) > 0 {
			return brain.Actor{}, usagef("--role: needs --as")
		}
		return a.user(), nil
	}
	actor, err := policy.ParseActor(a.As)
	if err != nil {
		return brain.Actor{}, usagef("--as: %w", err)
	}
	if actor.Kind == policy.System {
		return brain.Actor{}, usagef("--as: system actors are services; name person:NAME or agent:NAME")
	}
	actor.Roles = a.Role
	if err := actor.Check(); err != nil {
		return brain.Actor{}, usagef("--role: %w", err)
	}
	return actor, nil
}

// user returns the person at the keyboard, who owns what lies in its files.
func (a *app) user() brain.Actor {
	for _, v := range []string{"USER", "LOGNAME", "USERNAME"} {
		if p := brain.Person(a.getenv(v), "owner"); p.Check() == nil {
			return p
		}
	}
	return brain.Person("local", "owner")
}

// posture returns what --posture names.
func (a *app) posture() (brain.Posture, error) {
	switch a.Posture {
	case "", "open":
		return brain.OpenPosture, nil
	case "review":
		return brain.ReviewPosture, nil
	}
	return brain.OpenPosture, usagef("--posture: %q is not open or review", a.Posture)
}
