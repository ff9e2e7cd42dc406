//go:build !race

package embed

// raceEnabled says that tests run many times slower.
const raceEnabled = false
