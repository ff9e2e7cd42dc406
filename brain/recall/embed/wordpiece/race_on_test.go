//go:build race

package wordpiece

// raceEnabled says that tests run many times slower.
const raceEnabled = true
