package recall

import (
	"strings"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/recall/chunk"
)

// describe completes d with what its front matter says, where the draft itself
// says nothing: title, tags, language, validity. A value that is out of a
// document's limits is left out with a warning, so that a note is never refused
// for its front matter. The result holds all warnings about the content.
func describe(d *document.Draft, cut chunk.Document) []string {
	var warnings []string
	for _, w := range cut.Warnings {
		warnings = append(warnings, w.String())
	}
	f := cut.Front
	try := func(empty bool, set func(*document.Draft)) {
		if !empty {
			return
		}
		next := *d
		set(&next)
		if err := next.Check(); err != nil {
			warnings = append(warnings, "front matter: "+err.Error()+"; left out")
			return
		}
		*d = next
	}
	try(d.Title == "", func(d *document.Draft) { d.Title = oneLine(cut.Title) })
	try(len(d.Tags) == 0, func(d *document.Draft) { d.Tags = f.Tags })
	try(d.Lang == "", func(d *document.Draft) { d.Lang = f.Lang })
	try(d.ValidFrom.IsZero() && d.ValidTo.IsZero(), func(d *document.Draft) {
		d.ValidFrom, d.ValidTo = f.ValidFrom, f.ValidUntil
	})
	return warnings
}

// oneLine folds white space and cuts a heading to the length of a title.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > document.MaxTitle {
		s = strings.ToValidUTF8(s[:document.MaxTitle], "")
	}
	return s
}

// joinHeadings makes the text of the headings field: one heading a line, so
// that no phrase runs over two.
func joinHeadings(h []string) string { return strings.Join(h, "\n") }
