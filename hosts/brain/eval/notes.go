package eval

import (
	iofs "io/fs"
	"path"
	"strings"
	"unicode/utf8"
)

// LoadNotes reads a folder of Markdown notes and the questions about it, and
// calls the set name. The documents are the files of notes that end in ".md", in
// the order of their paths, each with its path as id and its bytes as text.
// Hidden files and folders and everything that is not a regular file are left
// out. gold holds queries.jsonl and qrels.tsv.
func LoadNotes(notes, gold iofs.FS, name string) (*Dataset, error) {
	d := &Dataset{Name: name}
	total := 0
	err := iofs.WalkDir(notes, ".", func(p string, e iofs.DirEntry, err error) error {
		at := place{file: p}
		switch {
		case err != nil:
			return at.unreadable(err)
		case p != "." && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return iofs.SkipDir
			}
			return nil
		case !e.Type().IsRegular() || path.Ext(p) != ".md":
			return nil
		}
		doc, err := readNote(notes, at, e)
		if err != nil {
			return err
		}
		if len(d.Documents) == MaxDocuments {
			return at.tooLarge("documents", MaxDocuments+1, MaxDocuments)
		}
		if total += len(doc.Text); total > MaxCorpus {
			return at.tooLarge("corpus", int64(total), MaxCorpus)
		}
		d.Documents = append(d.Documents, doc)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := d.loadGold(gold); err != nil {
		return nil, err
	}
	return d, nil
}

func readNote(fsys iofs.FS, at place, e iofs.DirEntry) (Document, error) {
	info, err := e.Info()
	if err != nil {
		return Document{}, at.unreadable(err)
	}
	if info.Size() > MaxText {
		return Document{}, at.tooLarge("text", info.Size(), MaxText)
	}
	if err := checkID(at, "path", at.file); err != nil {
		return Document{}, err
	}
	text, err := iofs.ReadFile(fsys, at.file)
	if err != nil {
		return Document{}, at.unreadable(err)
	}
	if !utf8.Valid(text) {
		return Document{}, at.bad("text", "is not valid UTF-8")
	}
	return Document{ID: at.file, Text: string(text), MediaType: "text/markdown"}, nil
}
