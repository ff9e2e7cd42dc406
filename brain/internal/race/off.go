//go:build !race

// Package race tells tests whether the race detector is on: it makes them many
// times slower, and sync.Pool drop what it holds.
package race

// Enabled reports whether the race detector is compiled in.
const Enabled = false
