package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

// Exit codes that no error of the library stands for.
const (
	exitOK       = 0
	exitNegative = 1
	exitUsage    = 2
)

// usageError is a command line that cannot be run.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// negative is an answer that is "no". An empty one was said already.
type negative string

func (n negative) Error() string { return string(n) }

// failure is an error as --json writes it.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next,omitempty"`
	URI     string `json:"uri,omitempty"`
	Field   string `json:"field,omitempty"`
	Limit   int64  `json:"limit,omitempty"`
	Exit    int    `json:"exit"`
}

// failureOf says what err means to the caller.
func failureOf(command string, err error) failure {
	f := failure{Message: err.Error()}
	var be *brain.Error
	if errors.As(err, &be) {
		f.Field, f.Limit, f.URI = be.Field, be.Limit, be.URI
	}
	var no negative
	var usage usageError
	switch {
	case errors.As(err, &no):
		f.Code, f.Exit = "negative", exitNegative
	case errors.As(err, &usage):
		f.Code, f.Exit, f.Next = "invalid", exitUsage, fmt.Sprintf("%s --help", command)
		if missing := noBrain(""); errors.As(err, &missing) {
			f.Next = "brain init makes one; --dir or $BRAIN_DIR names another"
		}
	default:
		code := brain.Code(err)
		f.Code, f.Exit, f.Next = string(code), code.Exit(), next(code, command)
	}
	return f
}

// fail writes err to standard error, one line, and returns the exit code.
func (a *app) fail(command string, err error) int {
	if err == nil {
		return exitOK
	}
	f := failureOf(command, err)
	switch {
	case f.Message == "":
	case a.JSON:
		// Nothing is left to tell when standard error cannot be written.
		_ = term.JSON(a.err, map[string]failure{"error": f})
	case f.Next == "":
		fmt.Fprintln(a.err, "brain: "+term.Line(f.Message))
	default:
		fmt.Fprintln(a.err, "brain: "+term.Line(strings.TrimRight(f.Message, ".?"))+". Next: "+term.Line(f.Next))
	}
	return f.Exit
}
