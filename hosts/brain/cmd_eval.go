package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/hosts/brain/demo"
	"github.com/seed70401ef0/brain-go/hosts/brain/eval"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

type evalCmd struct {
	Data     []string `type:"existingdir" placeholder:"DIR" help:"A judged set; may be repeated: all go into one brain, the first asks. Default: the demo notes."`
	Mode     string   `default:"hybrid" placeholder:"MODE" help:"hybrid, lexical or vector. Default: hybrid."`
	K        int      `name:"k" default:"10" placeholder:"N" help:"Hits of the calls whose time is measured. Default: 10."`
	AskAll   bool     `help:"Ask the questions of every set, not only of the first."`
	Outcomes bool     `help:"Also one line for each question."`
}

func (c *evalCmd) Help() string {
	return `DIR holds corpus.jsonl, queries.jsonl and qrels.tsv, or the folders notes and gold. The documents go into a
temporary brain the way brain add takes JSON lines, 100 a commit. Where the set has scopes, each is a domain and its
questions are asked by an actor that may read only there.

Examples:
  brain eval
  brain eval --data data/scifact --mode lexical --json`
}

func (c *evalCmd) Run(a *app) error {
	o := &eval.Options{Mode: eval.Mode(c.Mode), K: c.K, Batch: batchDocuments}
	if _, err := eval.ParseMode(c.Mode); err != nil {
		return usagef("--mode: %q is not hybrid, lexical or vector", c.Mode)
	}
	if c.K < 1 || c.K > 1000 {
		return usagef("--k: %d is not between 1 and 1000", c.K)
	}
	set, err := c.load()
	if err != nil {
		return usageError{err}
	}
	report, err := a.measure(set, o)
	if err != nil {
		return err
	}
	return a.emit(report, func(p *page) { c.print(p, report) })
}

// load reads the sets that are named, or the one that is compiled in.
func (c *evalCmd) load() (*eval.Dataset, error) {
	if len(c.Data) == 0 {
		return eval.LoadNotes(demo.Notes(), demo.Gold(), "demo")
	}
	var sets []*eval.Dataset
	for _, dir := range c.Data {
		set, err := eval.Load(os.DirFS(dir), filepath.Base(dir))
		if err != nil {
			return nil, errors.New(dir + ": " + err.Error())
		}
		sets = append(sets, set)
	}
	asking := eval.AskFirst
	if c.AskAll {
		asking = eval.AskAll
	}
	return eval.Combine(asking, sets...)
}

// measure runs set in a temporary brain.
func (a *app) measure(set *eval.Dataset, o *eval.Options) (report *eval.Report, err error) {
	dir, err := os.MkdirTemp("", "brain-eval-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	rules, err := scopeRules(set)
	if err != nil {
		return nil, err
	}
	db, err := brain.Open(a.ctx, dir, &brain.Options{Policy: rules})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return eval.Run(a.ctx, newSubject(db, set), set, o)
}

func (c *evalCmd) print(p *page, r *eval.Report) {
	var b strings.Builder // whose writes do not fail
	_ = r.WriteTable(&b)
	if rss := residentKiB(); rss > 0 {
		b.WriteString("memory      " + bytesText(rss<<10) + " resident\n")
	}
	if c.Outcomes {
		b.WriteString("\n")
		_ = r.WriteOutcomes(&b)
	}
	p.printf("%s", term.Block(b.String()))
}
