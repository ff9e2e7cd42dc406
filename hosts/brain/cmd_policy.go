package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/hosts/brain/input"
)

type policyCmd struct {
	Show policyShowCmd `cmd:"" help:"Write the rules as a file that policy set takes."`
	Set  policySetCmd  `cmd:"" help:"Replace the rules."`
}

type policyShowCmd struct{}

func (c *policyShowCmd) Help() string {
	return `Example:
  brain policy show > rules.json`
}

func (c *policyShowCmd) Run(a *app) error {
	return a.with(func(s *brain.Session) error {
		set, err := s.Policy(a.ctx)
		if err != nil {
			return err
		}
		text := set.Encode()
		if !a.JSON { // to be read and edited
			var b bytes.Buffer
			if err := json.Indent(&b, text, "", "  "); err != nil {
				return err
			}
			text = append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
		}
		_, err = a.out.Write(text)
		return err
	})
}

type policySetCmd struct {
	File string `arg:"" help:"The rules as JSON, or - for standard input."`
}

func (c *policySetCmd) Help() string {
	return `The new rules hold from the next call on. What they would deny you, you cannot undo yourself.

Example:
  brain policy show > rules.json; edit it; brain policy set rules.json`
}

func (c *policySetCmd) Run(a *app) error {
	set, err := readPolicy(c.File, a.in)
	if err != nil {
		return err
	}
	return a.with(func(s *brain.Session) error {
		r, err := s.SetPolicy(a.ctx, set)
		return a.receipt(r, err)
	})
}

// readPolicy reads rules from a file or, for "-", from standard input.
func readPolicy(file string, stdin io.Reader) (*policy.Set, error) {
	r := stdin
	if file != input.Stdin {
		f, err := os.Open(file)
		if err != nil {
			return nil, usageError{err}
		}
		defer f.Close()
		r = f
	}
	text, err := io.ReadAll(io.LimitReader(r, policy.MaxBytes+1))
	if err != nil {
		return nil, usageError{err}
	}
	set, err := policy.Parse(text)
	if err != nil {
		return nil, usagef("%s: %w", file, err)
	}
	return set, nil
}
