//go:build invariant

package invariant

// Enabled reports whether the build checks invariants.
const Enabled = true
