package main

import (
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/hosts/brain/input"
)

type recallCmd struct {
	Text []string `arg:"" optional:"" help:"The question. No word or sign is an operator."`

	Limit    int     `short:"k" group:"answer" default:"10" placeholder:"N" help:"Hits, 1 to 1000. Default: 10."`
	MinScore float64 `group:"answer" placeholder:"S" help:"Leave out hits below this score, 0 to 1."`
	Explain  bool    `group:"answer" help:"Show what each method thought of a hit, and which words counted."`
	Full     bool    `group:"answer" help:"Print the whole text of each hit in place of a snippet."`

	Mode         string   `group:"match" placeholder:"MODE" help:"hybrid, lexical or vector. Default: hybrid."`
	Phrase       []string `group:"match" sep:"none" help:"Must occur, as words in this order; may be repeated."`
	Exclude      []string `group:"match" sep:"none" placeholder:"WORDS" help:"Must not occur; may be repeated."`
	Code         []string `group:"match" sep:"none" placeholder:"TEXT" help:"Must occur as written, words and punctuation; may be repeated."`
	Hypothetical string   `group:"match" placeholder:"TEXT" help:"Answer as you imagine it; its meaning is searched instead of the question's."`

	Domain []string      `group:"where" placeholder:"D" help:"Only in brain://D/; may be repeated, any counts."`
	Source []string      `group:"where" placeholder:"SLUG" help:"Only in SLUG://; may be repeated, any counts."`
	Kind   []string      `group:"where" help:"Only this kind; may be repeated, any counts."`
	Tag    []string      `group:"where" help:"Only with this tag; may be repeated, all count."`
	Owner  []string      `group:"where" help:"Only of this owner; may be repeated, any counts."`
	Flags  string        `group:"where" placeholder:"exclude|only" help:"Leave out, or show only, content released in spite of a finding."`
	Since  input.Instant `group:"when" placeholder:"TIME" help:"Written at or after."`
	Until  input.Instant `group:"when" placeholder:"TIME" help:"Written before."`
	At     input.Instant `group:"when" placeholder:"TIME" help:"What holds at this time. Default: now."`
	AsOf   uint64        `group:"when" placeholder:"SEQ" help:"What was live just after this commit."`
}

func (c *recallCmd) Help() string {
	return `Each hit shows its title and headings, its source URI@rREVISION#cCHUNK with the byte span in that revision, its
score and the passage. TIME is 2026-11-30 or 2026-11-30T08:00:00Z. Exit code 1 means no hits.

Examples:
  brain recall what do we charge for a second lantern
  brain recall -k 3 --explain "who repairs the buoy"
  brain recall "release plan" --phrase "code freeze" --exclude draft --tag release
  brain recall "gate code" --as-of 120
  brain recall "tide tables" --json | jq '.hits[0].chunk'`
}

// query decodes the flags.
func (c *recallCmd) query() brain.Query {
	return brain.Query{
		Text: strings.Join(c.Text, " "), Limit: c.Limit, Mode: recall.Mode(c.Mode),
		Phrases: c.Phrase, Exclude: c.Exclude, Code: c.Code, Hypothetical: c.Hypothetical,
		Domains: c.Domain, Sources: c.Source, Kinds: c.Kind, Tags: c.Tag, Owners: c.Owner,
		Flags: recall.FlagFilter(c.Flags), Since: c.Since.Time, Until: c.Until.Time,
		At: c.At.Time, AsOf: c.AsOf, MinScore: c.MinScore, Explain: c.Explain,
	}
}

func (c *recallCmd) Run(a *app) error {
	q := c.query()
	if q.Limit == 0 { // to the library zero means its default; here it was typed
		return usagef("--limit: 0 is not between 1 and %d", recall.MaxLimit)
	}
	q.Explain = q.Explain || !a.JSON // which words to mark
	return a.with(func(s *brain.Session) error {
		start := time.Now()
		res, err := s.Recall(a.ctx, q)
		if err != nil {
			return err
		}
		view := hitView{explain: c.Explain, full: c.Full, took: time.Since(start)}
		if err := a.emit(res, func(p *page) { view.print(p, res) }); err != nil {
			return err
		}
		if len(res.Hits) == 0 {
			return negative("")
		}
		return nil
	})
}
