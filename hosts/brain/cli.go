package main

import (
	"context"
	"errors"
	"slices"

	"github.com/alecthomas/kong"
)

// cli is the command line.
type cli struct {
	globals

	Demo demoCmd `cmd:"" group:"start" help:"Show everything once, in a temporary brain. Needs nothing."`
	Init initCmd `cmd:"" group:"start" help:"Make a new, empty brain."`
	Info infoCmd `cmd:"" group:"start" help:"Show size, model and limits of the brain."`

	Add     addCmd     `cmd:"" group:"use" help:"Store files, folders, JSON lines or standard input."`
	Recall  recallCmd  `cmd:"" group:"use" help:"Ask a question; answers with sources."`
	Get     getCmd     `cmd:"" group:"use" help:"Write the bytes of a document."`
	List    listCmd    `cmd:"" group:"use" help:"List documents."`
	History historyCmd `cmd:"" group:"use" help:"List the revisions of a document."`
	Forget  forgetCmd  `cmd:"" group:"use" help:"Take a document out of the live view; it can be restored."`
	Restore restoreCmd `cmd:"" group:"use" help:"Make an old revision live again."`

	Propose proposeCmd `cmd:"" group:"govern" help:"Propose a change for a person to decide."`
	Review  reviewCmd  `cmd:"" group:"govern" help:"Read pending proposals and decide."`
	Approve approveCmd `cmd:"" group:"govern" help:"Approve a proposal by its digest."`
	Reject  rejectCmd  `cmd:"" group:"govern" help:"Reject a proposal with a reason."`
	Audit   auditCmd   `cmd:"" group:"govern" help:"Check the audit log."`
	Policy  policyCmd  `cmd:"" group:"govern" help:"Show or replace the rules."`

	Rebuild rebuildCmd `cmd:"" group:"care" help:"Make the search index again from the stored documents."`
	Eval    evalCmd    `cmd:"" group:"care" help:"Measure recall on judged questions."`
}

const about = `Governed memory for AI agents: what goes in has an actor and an audit row, what comes out has a source.

Try it: brain demo. Then: brain init, brain add FOLDER, brain recall "a question".

Exit codes: 0 done, 1 the answer is no (nothing found, not valid), 2 wrong usage, 3 refused by a rule, 4 the store failed.`

// run parses args, runs the command and returns the exit code.
func run(ctx context.Context, args []string, s streams, getenv func(string) string) (code int) {
	var c cli
	a := newApp(ctx, s, getenv, &c.globals)
	left := false
	parser, err := kong.New(&c,
		kong.Name("brain"), kong.Description(about),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.Writers(s.out, s.err), kong.Exit(func(int) { left = true }), kong.Bind(a),
		kong.ExplicitGroups([]kong.Group{
			{Key: "start", Title: "First steps:"}, {Key: "use", Title: "Remember and recall:"},
			{Key: "govern", Title: "Propose, decide, verify:"}, {Key: "care", Title: "Maintenance:"},
			{Key: "global", Title: "For every command:"},
			{Key: "name", Title: "Names:"}, {Key: "read", Title: "What is read:"}, {Key: "doc", Title: "About the documents:"},
			{Key: "answer", Title: "The answer:"}, {Key: "match", Title: "Matching:"}, {Key: "where", Title: "Where to look:"},
			{Key: "when", Title: "When:"},
		}),
	)
	if err != nil {
		return a.fail("", err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
		defer func() { code = exitUsage }() // the help was not asked for
	}
	parsed, err := parser.Parse(args)
	if left { // --help was printed
		return exitOK
	}
	if err != nil {
		c.JSON = slices.Contains(args, "--json") // not decoded yet
		return a.fail(commandOf(err), usageError{err})
	}
	return a.fail(parsed.Selected().FullPath(), parsed.Run())
}

// commandOf returns the command whose arguments were wrong, as it is typed.
func commandOf(err error) string {
	var pe *kong.ParseError
	if errors.As(err, &pe) && pe.Context != nil && pe.Context.Selected() != nil {
		return pe.Context.Selected().FullPath()
	}
	return "brain"
}
