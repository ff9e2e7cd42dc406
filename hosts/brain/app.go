package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/seed70401ef0/brain-go/brain"
	safe "github.com/seed70401ef0/brain-go/hosts/brain/term"
)

// globals are the flags of every command.
type globals struct {
	Dir     string   `group:"global" placeholder:"DIR" help:"The brain's directory. Default: $$BRAIN_DIR, else ./brain-data."`
	As      string   `group:"global" placeholder:"ACTOR" help:"Act as person:NAME or agent:NAME. Default: person:$$USER with the role owner."`
	Role    []string `group:"global" placeholder:"ROLE" help:"A role of the actor that --as names; may be repeated."`
	Posture string   `group:"global" placeholder:"open|review" help:"With review, agents cannot write directly, only propose. Default: open."`
	JSON    bool     `group:"global" name:"json" help:"Write results as JSON, one value a line; errors too, on standard error."`
}

// streams are the standard streams of the process.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// app is what a command runs in.
type app struct {
	streams
	*globals
	ctx    context.Context
	getenv func(string) string
	tty    terminals
	pretty page // standard output for people

	loading *progress // of the index, at open and when it is made again
}

// terminals says which streams are terminals: where a person looks and types.
type terminals struct{ in, out, err bool }

func newApp(ctx context.Context, s streams, getenv func(string) string, g *globals) *app {
	a := &app{streams: s, globals: g, ctx: ctx, getenv: getenv}
	a.tty = terminals{isTerminal(s.in), isTerminal(s.out), isTerminal(s.err)}
	a.pretty = page{w: s.out, Style: safe.NewStyle(a.tty.out && a.colours()), width: a.width()}
	return a
}

// colours reports whether the environment allows them (no-color.org).
func (a *app) colours() bool { return a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb" }

// width returns the columns to wrap to: of the terminal, else $COLUMNS, else 80.
func (a *app) width() int {
	if f, ok := a.out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return min(max(w, 40), 120)
		}
	}
	if w, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil && w > 0 {
		return min(max(w, 40), 120)
	}
	return 80
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// with opens the brain, runs fn as the actor of the command line and closes it.
func (a *app) with(fn func(*brain.Session) error) error {
	return a.open(func(db *brain.DB, s *brain.Session) error { return fn(s) })
}

// open is with for the commands that need the whole brain.
func (a *app) open(fn func(*brain.DB, *brain.Session) error) (err error) {
	dir := a.dir()
	if err := mustHoldBrain(dir); err != nil {
		return err
	}
	return a.openIn(dir, nil, fn)
}

// openIn opens or makes the brain in dir; o may be nil.
func (a *app) openIn(dir string, o *brain.Options, fn func(*brain.DB, *brain.Session) error) (err error) {
	actor, err := a.actor()
	if err != nil {
		return err
	}
	if o == nil {
		o = &brain.Options{}
	}
	if o.Posture, err = a.posture(); err != nil {
		return err
	}
	a.loading = a.progress("loading", "revision", "revisions")
	o.Progress = a.loading.set
	db, err := brain.Open(a.ctx, dir, o)
	if held, _ := holdsBrain(dir); held && brain.Code(err) == brain.ReadOnly { // read what can be read
		o.ReadOnly = true
		db, err = brain.Open(a.ctx, dir, o)
	}
	a.loading.stop()
	if err != nil {
		return err
	}
	defer func() {
		closing := db.Close()
		if brain.Code(err) != brain.Damaged { // else it is the same damage again, and no write is in doubt
			err = errors.Join(err, closing)
		}
	}()
	return fn(db, db.As(actor))
}

// emit writes v as JSON, or lets human write it for people.
func (a *app) emit(v any, human func(*page)) error {
	if a.JSON {
		return safe.JSON(a.out, v)
	}
	human(&a.pretty)
	return a.pretty.err
}

// note writes one line for people on standard error.
func (a *app) note(format string, args ...any) {
	if !a.JSON {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}
