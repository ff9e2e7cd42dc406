//go:build race

package bm25

const raceEnabled = true // the detector makes sync.Pool drop what it holds
