package input

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

func (o *Options) fill() {
	if o.Source == "" {
		o.Source = "notes"
	}
	if len(o.Extensions) == 0 {
		o.Extensions = []string{".md", ".markdown", ".txt"}
	}
	o.Extensions = slices.Clone(o.Extensions)
	for i, e := range o.Extensions {
		o.Extensions[i] = "." + strings.ToLower(strings.TrimPrefix(e, "."))
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = document.MaxBody
	}
}

// check tries the naming once, so that a bad option is one error and not one
// per file.
func (o *Options) check(args []string) error {
	n := 0
	for _, a := range args {
		if a == Stdin {
			n++
		}
	}
	if n > 1 {
		return fmt.Errorf("standard input can be named once, not %d times", n)
	}
	if _, err := o.uri("x"); err != nil {
		return fmt.Errorf("cannot name documents after %q: %w", o.prefix(), err)
	}
	return nil
}

func (o *Options) prefix() string {
	if o.Domain != "" {
		return "brain://" + o.Domain + "/"
	}
	return o.Source + "://"
}

// uri names the document at a path.
func (o *Options) uri(path string) (uri.URI, error) { return uri.Parse(o.prefix() + path) }
