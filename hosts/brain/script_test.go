package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed70401ef0/brain-go/brain"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"brain": func() { os.Exit(process()) }})
}

// TestScript runs the scripts of testdata/script. Their commands beside those
// of testscript:
//
//	exit N command…      runs it and wants exit code N
//	capture NAME KEY     sets $NAME to a top-level value of the JSON on stdout
//	ids NAME NAME        sets the id and digest of the last proposal on stdout
//	readenv NAME FILE    sets $NAME to the content of a file
//	keys KEY…            the JSON object on stdout has exactly these keys, in order
//	bytes FILE TEXT      writes a file from a quoted Go string
//	pipe FILE            makes a named pipe
//	raw TEXT             stdout or stderr holds the characters of a quoted Go string
//	hold DIR             opens the brain in DIR in this process
//	release              closes it
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("USER", "ana")
			env.Setenv("BRAIN_DIR", env.WorkDir+"/brain")
			env.Values[held{}] = &holder{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": exitCmd, "capture": captureCmd, "ids": idsCmd, "readenv": readenvCmd, "keys": keysCmd, "bytes": bytesCmd, "pipe": pipeCmd, "raw": rawCmd,
			"hold": holdCmd, "release": releaseCmd,
		},
	})
}

func exitCmd(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ee *exec.ExitError
		if !errors.As(err, &ee) {
			ts.Fatalf("%v", err)
		}
		got = ee.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func captureCmd(ts *testscript.TestScript, _ bool, args []string) {
	var v map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	value, ok := v[args[1]]
	if !ok {
		ts.Fatalf("no key %q", args[1])
	}
	if s, ok := value.(string); ok {
		ts.Setenv(args[0], s)
		return
	}
	text, err := json.Marshal(value)
	ts.Check(err)
	ts.Setenv(args[0], string(text))
}

func idsCmd(ts *testscript.TestScript, _ bool, args []string) {
	var page brain.ProposalPage
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &page))
	if len(page.Proposals) == 0 {
		ts.Fatalf("no proposals")
	}
	p := page.Proposals[len(page.Proposals)-1]
	ts.Setenv(args[0], strconv.FormatUint(p.ID, 10))
	ts.Setenv(args[1], p.Digest.String())
}

func readenvCmd(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], ts.ReadFile(args[1]))
}

func keysCmd(ts *testscript.TestScript, _ bool, args []string) {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	var got []string
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			break
		}
		switch d, isDelim := token.(json.Delim); {
		case isDelim && (d == '{' || d == '['):
			depth++
		case isDelim:
			depth--
		case depth == 1:
			got = append(got, token.(string))
			var skip json.RawMessage
			ts.Check(dec.Decode(&skip))
		}
	}
	if !slices.Equal(got, args) {
		ts.Fatalf("keys %q\nwant %q", got, args)
	}
}

func bytesCmd(ts *testscript.TestScript, _ bool, args []string) {
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

func rawCmd(ts *testscript.TestScript, neg bool, args []string) {
	text, err := strconv.Unquote(`"` + args[0] + `"`)
	ts.Check(err)
	if strings.Contains(ts.ReadFile("stdout")+ts.ReadFile("stderr"), text) == neg {
		ts.Fatalf("output holds %q: %v", text, neg)
	}
}

// held is the key of the brain that a script holds open.
type held struct{}

func holdCmd(ts *testscript.TestScript, _ bool, args []string) {
	db, err := brain.Open(context.Background(), ts.MkAbs(args[0]), nil)
	ts.Check(err)
	ts.Value(held{}).(*holder).db = db
	ts.Defer(func() { db.Close() })
}

func releaseCmd(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Value(held{}).(*holder).db.Close())
}

type holder struct{ db *brain.DB }
