// Package invariant checks in test builds what must always hold. Without the
// build tag "invariant" every check compiles to nothing; with it a broken one
// panics, because the state of the program is then unknown.
package invariant

import "fmt"

// Check panics with the formatted message when ok is false and the build has
// the tag "invariant". Arguments are evaluated in every build: guard costly
// ones with [Enabled].
func Check(ok bool, format string, args ...any) {
	if Enabled && !ok {
		panic(fmt.Sprintf("invariant broken: "+format, args...))
	}
}
