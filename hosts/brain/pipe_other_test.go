//go:build !unix

package main

import "github.com/rogpeppe/go-internal/testscript"

func pipeCmd(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no named pipes here: guard the script with [unix]")
}
