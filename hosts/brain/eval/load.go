package eval

import (
	"cmp"
	"encoding/json"
	"errors"
	iofs "io/fs"
)

// Load reads the dataset in fsys, in either layout of the package
// documentation, and calls it name. Ids must be unique. Judgements that repeat
// or that name an unknown question or document are counted in Tally, not
// refused. Every error is a *DataError with file and line. All of the corpus is
// held in memory.
func Load(fsys iofs.FS, name string) (*Dataset, error) {
	switch {
	case exists(fsys, corpusFile):
		return loadCorpus(fsys, name)
	case exists(fsys, notesDir):
		notes, err := iofs.Sub(fsys, notesDir)
		if err != nil {
			return nil, place{file: notesDir}.unreadable(err)
		}
		gold, err := iofs.Sub(fsys, goldDir)
		if err != nil {
			return nil, place{file: goldDir}.unreadable(err)
		}
		return LoadNotes(notes, gold, name)
	}
	return nil, &DataError{File: corpusFile, Cause: iofs.ErrNotExist,
		Reason: "is not there, and no folder " + notesDir + " either"}
}

const (
	corpusFile  = "corpus.jsonl"
	queriesFile = "queries.jsonl"
	qrelsFile   = "qrels.tsv"
	notesDir    = "notes"
	goldDir     = "gold"
)

func exists(fsys iofs.FS, name string) bool {
	_, err := iofs.Stat(fsys, name)
	return err == nil
}

func loadCorpus(fsys iofs.FS, name string) (*Dataset, error) {
	d := &Dataset{Name: name}
	seen := map[string]int{}
	total := 0
	err := eachLine(fsys, corpusFile, func(at place, line []byte) error {
		doc, err := parseDocument(at, line)
		if err != nil {
			return err
		}
		if err := unique(at, seen, doc.ID); err != nil {
			return err
		}
		if len(seen) > MaxDocuments {
			return at.tooLarge("documents", int64(len(seen)), MaxDocuments)
		}
		if total += len(doc.Title) + len(doc.Text); total > MaxCorpus {
			return at.tooLarge("corpus", int64(total), MaxCorpus)
		}
		d.Documents = append(d.Documents, doc)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := d.loadGold(fsys); err != nil {
		return nil, err
	}
	return d, nil
}

// loadGold reads questions and judgements from fsys into d, whose documents are
// known.
func (d *Dataset) loadGold(fsys iofs.FS) error {
	seen := map[string]int{}
	err := eachLine(fsys, queriesFile, func(at place, line []byte) error {
		q, err := parseQuery(at, line)
		if err != nil {
			return err
		}
		if err := unique(at, seen, q.ID); err != nil {
			return err
		}
		if len(seen) > MaxQueries {
			return at.tooLarge("queries", int64(len(seen)), MaxQueries)
		}
		d.Queries = append(d.Queries, q)
		return nil
	})
	if err != nil {
		return err
	}
	return d.loadQrels(fsys, seen)
}

// unique notes the line of id and refuses one that was there before.
func unique(at place, seen map[string]int, id string) error {
	if first, ok := seen[id]; ok {
		return at.bad("id", "%q is already on line %d", id, first)
	}
	seen[id] = at.line
	return nil
}

func parseDocument(at place, line []byte) (Document, error) {
	var raw struct {
		ID    *string `json:"id"`
		Title string  `json:"title"`
		Text  *string `json:"text"`
		Scope string  `json:"scope"`
	}
	if err := unmarshal(at, line, &raw); err != nil {
		return Document{}, err
	}
	switch {
	case raw.ID == nil:
		return Document{}, at.bad("id", "is missing")
	case raw.Text == nil:
		return Document{}, at.bad("text", "is missing")
	case len(raw.Title)+len(*raw.Text) > MaxText:
		return Document{}, at.tooLarge("text", int64(len(raw.Title)+len(*raw.Text)), MaxText)
	}
	doc := Document{ID: *raw.ID, Title: raw.Title, Text: *raw.Text, Scope: raw.Scope}
	return doc, cmp.Or(checkID(at, "id", doc.ID), checkLabel(at, "scope", doc.Scope))
}

func parseQuery(at place, line []byte) (Query, error) {
	var raw struct {
		ID         *string `json:"id"`
		Text       *string `json:"text"`
		Category   string  `json:"category"`
		Scope      string  `json:"scope"`
		Answerable *bool   `json:"answerable"`
	}
	if err := unmarshal(at, line, &raw); err != nil {
		return Query{}, err
	}
	switch {
	case raw.ID == nil:
		return Query{}, at.bad("id", "is missing")
	case raw.Text == nil || isBlank(*raw.Text):
		return Query{}, at.bad("text", "is missing or blank")
	case len(*raw.Text) > MaxQueryText:
		return Query{}, at.tooLarge("text", int64(len(*raw.Text)), MaxQueryText)
	}
	q := Query{ID: *raw.ID, Text: *raw.Text, Category: raw.Category, Scope: raw.Scope,
		Answerable: raw.Answerable == nil || *raw.Answerable}
	return q, cmp.Or(checkID(at, "id", q.ID), checkLabel(at, "category", q.Category), checkLabel(at, "scope", q.Scope))
}

// unmarshal reads one JSON object; fields that v does not have are skipped.
func unmarshal(at place, line []byte, v any) error {
	err := json.Unmarshal(line, v)
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &typ) && typ.Field != "":
		return at.bad(typ.Field, "is a JSON %s", typ.Value)
	case errors.As(err, &typ):
		return at.bad("", "is a JSON %s, not an object", typ.Value)
	}
	return &DataError{File: at.file, Line: at.line, Reason: "is not JSON: " + err.Error(), Cause: err}
}
