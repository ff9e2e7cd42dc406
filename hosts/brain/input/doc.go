// Package input turns what a user names on a command line into drafts: files,
// folders, standard input, JSON lines. It decides names and reads bytes; what a
// document may be is the library's to say.
//
// A folder is read through one os.Root, so nothing outside it is opened,
// whatever is renamed meanwhile. Symbolic links, pipes and devices are never
// opened. Hidden files and folders (a leading dot) are left out of a folder.
package input

import (
	"errors"
	"fmt"

	"github.com/seed70401ef0/brain-go/brain"
)

// Options say what is read and how it is named. The zero value reads Markdown
// and plain text from folders under the source "notes".
type Options struct {
	Source string // URIs are SOURCE://path. Default "notes"; ignored when Domain is set
	Domain string // URIs are brain://DOMAIN/path
	Root   string // folder that the paths of URIs begin at. Default: the folder named, or the one the file is in

	Extensions []string // of files taken from folders. Default .md .markdown .txt
	MaxBytes   int64    // of one document; larger ones are left out. Default: the library's limit
	Lines      bool     // standard input holds JSON lines; otherwise it is one document

	Draft brain.Draft // its set fields fill those that the input leaves empty; URI names a single document
}

// Item is one document that was read.
type Item struct {
	Place string // where it came from: a path, or a path and a line
	Draft brain.Draft
	Bytes int64 // of input that were consumed for it
}

// Problem is one input that gave no document. Reading goes on after it.
type Problem struct {
	Place   string
	Skipped bool // left out on purpose: a link, pipe or device in a folder, an empty file
	Bytes   int64
	Err     error
}

// Error returns the place and the reason.
func (p *Problem) Error() string { return p.Place + ": " + p.Err.Error() }

// Unwrap returns the reason.
func (p *Problem) Unwrap() error { return p.Err }

func failed(place, format string, args ...any) *Problem {
	return &Problem{Place: place, Err: fmt.Errorf(format, args...)}
}

func skipped(place, reason string) *Problem {
	return &Problem{Place: place, Skipped: true, Err: errors.New(reason)}
}
