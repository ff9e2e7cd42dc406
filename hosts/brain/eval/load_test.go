package eval

import (
	"errors"
	iofs "io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// folder is a dataset of three documents; files replace or add to it.
func folder(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range map[string]string{
		corpusFile: `{"id":"a","title":"A","text":"alpha","scope":"s1","date":"2024"}` + "\n" +
			`{"id":"b","text":"beta"}` + "\n" + `{"id":"c","title":"","text":"","scope":null}` + "\n",
		queriesFile: `{"id":"q1","text":"alpha?","category":"easy","scope":"s1","answerable":true,"answer":7}` + "\n" +
			`{"id":"q2","text":"nothing?","answerable":false}` + "\n",
		qrelsFile: "q1\ta\t2\nq1\tb\t0\n",
	} {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestLoadCorpus(t *testing.T) {
	want := &Dataset{
		Name:      "set",
		Documents: []Document{{ID: "a", Title: "A", Text: "alpha", Scope: "s1"}, {ID: "b", Text: "beta"}, {ID: "c"}},
		Queries: []Query{{ID: "q1", Text: "alpha?", Category: "easy", Scope: "s1", Answerable: true},
			{ID: "q2", Text: "nothing?"}},
		Grades: map[string]Grades{"q1": {"a": 2, "b": 0}},
		Tally:  Tally{Judgements: 2},
	}
	base := folder(nil)
	variants := map[string]func(string) string{
		"plain":             func(s string) string { return s },
		"CRLF":              func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"byte order mark":   func(s string) string { return "\ufeff" + s },
		"no last line end":  func(s string) string { return strings.TrimSuffix(s, "\n") },
		"blank lines":       func(s string) string { return "\n \n" + strings.ReplaceAll(s, "\n", "\n\n\t\n") },
		"mark and CRLF too": func(s string) string { return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n") },
	}
	for name, change := range variants {
		files := map[string]string{}
		for f, data := range base {
			files[f] = change(string(data.Data))
		}
		got, err := Load(folder(files), "set")
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestLoadCountsWhatIsOdd(t *testing.T) {
	d, err := Load(folder(map[string]string{
		qrelsFile: "q1\ta\t1\nq1\ta\t1\nq9\ta\t1\nq1\tgone\t1\nq2\tb\t1\n",
	}), "set")
	if err != nil {
		t.Fatal(err)
	}
	if want := (Tally{Judgements: 5, Repeated: 1, UnknownQueries: 1, UnknownDocuments: 1}); d.Tally != want {
		t.Errorf("%+v, want %+v", d.Tally, want)
	}
	if g := d.Grades["q1"]; len(g) != 2 || g["gone"] != 1 {
		t.Errorf("a judgement of an unknown document left the denominator: %v", g)
	}
	if _, ok := d.Grades["q9"]; ok {
		t.Error("a judgement of an unknown query was kept")
	}
}

func TestLoadRefuses(t *testing.T) {
	long := strings.Repeat("x", MaxID+1)
	tests := []struct {
		name, file, text string
		line             int
		field            string
		limit            int64
	}{
		{"not JSON", corpusFile, "{\"id\":\"a\",\"text\":\"\"}\n{nope\n", 2, "", 0},
		{"two objects on a line", corpusFile, `{"id":"a","text":""}{}`, 1, "", 0},
		{"an array", corpusFile, `["a"]`, 1, "", 0},
		{"id is a number", corpusFile, `{"id":7,"text":"t"}`, 1, "id", 0},
		{"no id", corpusFile, `{"text":"t"}`, 1, "id", 0},
		{"empty id", corpusFile, `{"id":"","text":"t"}`, 1, "id", 0},
		{"tab in id", corpusFile, `{"id":"a\tb","text":"t"}`, 1, "id", 0},
		{"long id", corpusFile, `{"id":"` + long + `","text":"t"}`, 1, "id", MaxID},
		{"no text", corpusFile, `{"id":"a"}`, 1, "text", 0},
		{"long scope", corpusFile, `{"id":"a","text":"t","scope":"` + long + `"}`, 1, "scope", MaxID},
		{"same document twice", corpusFile, "{\"id\":\"a\",\"text\":\"1\"}\n\n{\"id\":\"a\",\"text\":\"2\"}", 3, "id", 0},
		{"not UTF-8", corpusFile, "{\"id\":\"a\",\"text\":\"\xff\"}", 1, "", 0},
		{"large document", corpusFile, `{"id":"a","text":"` + strings.Repeat("x", MaxText+1) + `"}`, 1, "text", MaxText},
		{"long line", corpusFile, "\n" + strings.Repeat(" ", MaxLine) + "{}", 2, "", MaxLine},
		{"blank question", queriesFile, `{"id":"q","text":"  "}`, 1, "text", 0},
		{"no question", queriesFile, `{"id":"q"}`, 1, "text", 0},
		{"large question", queriesFile, `{"id":"q","text":"` + strings.Repeat("x", MaxQueryText+1) + `"}`, 1, "text", MaxQueryText},
		{"answerable is text", queriesFile, `{"id":"q","text":"t","answerable":"no"}`, 1, "answerable", 0},
		{"long category", queriesFile, `{"id":"q","text":"t","category":"` + long + `"}`, 1, "category", MaxID},
		{"same question twice", queriesFile, "{\"id\":\"q\",\"text\":\"1\"}\n{\"id\":\"q\",\"text\":\"2\"}", 2, "id", 0},
		{"two columns", qrelsFile, "q1\ta\n", 1, "", 0},
		{"spaces for tabs", qrelsFile, "q1 a 1\n", 1, "", 0},
		{"a header", qrelsFile, "query-id\tcorpus-id\tscore\n", 1, "grade", 0},
		{"a fraction", qrelsFile, "q1\ta\t1\nq1\tb\t0.5\n", 2, "grade", 0},
		{"a huge grade", qrelsFile, "q1\ta\t101\n", 1, "grade", MaxGrade},
		{"a tiny grade", qrelsFile, "q1\ta\t-101\n", 1, "grade", MaxGrade},
		{"no query", qrelsFile, "\ta\t1\n", 1, "query", 0},
		{"no document", qrelsFile, "q1\t\t1\n", 1, "document", 0},
		{"contradiction", qrelsFile, "q1\ta\t1\nq1\ta\t2\n", 2, "grade", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Load(folder(map[string]string{tt.file: tt.text}), "set")
			var bad *DataError
			if d != nil || !errors.As(err, &bad) || !errors.Is(err, ErrData) {
				t.Fatalf("%v, %v, want no dataset and a *DataError", d, err)
			}
			if bad.File != tt.file || bad.Line != tt.line || bad.Field != tt.field || bad.Limit != tt.limit {
				t.Errorf("%v (limit %d), want %s:%d %s (limit %d)", bad, bad.Limit, tt.file, tt.line, tt.field, tt.limit)
			}
			if len(bad.Error()) > 500 {
				t.Errorf("message of %d bytes", len(bad.Error()))
			}
		})
	}
}

func TestLoadMissingFiles(t *testing.T) {
	for _, name := range []string{corpusFile, queriesFile, qrelsFile} {
		fsys := folder(nil)
		delete(fsys, name)
		_, err := Load(fsys, "set")
		var bad *DataError
		if !errors.As(err, &bad) || bad.File != name || !errors.Is(err, iofs.ErrNotExist) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestLoadNotes(t *testing.T) {
	files := fstest.MapFS{
		"notes/b.md":             {Data: []byte("# B\n")},
		"notes/a/x.md":           {Data: []byte("---\ntitle: X\n---\nbody\r\n")},
		"notes/a/picture.png":    {Data: []byte{0xff}},
		"notes/.trash/gone.md":   {Data: []byte("gone")},
		"notes/.hidden.md":       {Data: []byte("hidden")},
		"notes/link.md":          {Data: []byte("b.md"), Mode: iofs.ModeSymlink | 0o777},
		"gold/" + queriesFile:    {Data: []byte(`{"id":"q","text":"t"}`)},
		"gold/" + qrelsFile:      {Data: []byte("q\ta/x.md\t2\n")},
		"gold/not-needed/README": {Data: []byte("x")},
	}
	d, err := Load(files, "mine")
	if err != nil {
		t.Fatal(err)
	}
	want := []Document{
		{ID: "a/x.md", Text: "---\ntitle: X\n---\nbody\r\n", MediaType: "text/markdown"},
		{ID: "b.md", Text: "# B\n", MediaType: "text/markdown"},
	}
	if !reflect.DeepEqual(d.Documents, want) || d.Tally != (Tally{Judgements: 1}) {
		t.Errorf("%+v, %+v", d.Documents, d.Tally)
	}

	files["notes/bad.md"] = &fstest.MapFile{Data: []byte{0xc3, 0x28}}
	var bad *DataError
	if _, err := Load(files, "mine"); !errors.As(err, &bad) || bad.File != "bad.md" || bad.Field != "text" {
		t.Errorf("invalid UTF-8 in a note: %v", err)
	}
	files["notes/bad.md"] = &fstest.MapFile{Data: make([]byte, MaxText+1)}
	if _, err := Load(files, "mine"); !errors.As(err, &bad) || bad.Limit != MaxText {
		t.Errorf("large note: %v", err)
	}
}

// FuzzLoad holds that whatever is in the three files, Load neither panics nor
// returns a dataset that breaks its own rules.
func FuzzLoad(f *testing.F) {
	base := folder(nil)
	f.Add(base[corpusFile].Data, base[queriesFile].Data, base[qrelsFile].Data)
	f.Add([]byte("\ufeff{}\r\n"), []byte("null"), []byte("a\tb\t-1\r\n"))
	f.Add([]byte(`{"id":"a","text":"\ud800"}`), []byte(`{"ID":"q","text":"t"}`), []byte("q\ta\t99999999999999999999"))
	f.Fuzz(func(t *testing.T, corpus, queries, qrels []byte) {
		d, err := Load(fstest.MapFS{
			corpusFile:  {Data: corpus},
			queriesFile: {Data: queries},
			qrelsFile:   {Data: qrels},
		}, "fuzz")
		if err != nil {
			if d != nil || !errors.Is(err, ErrData) {
				t.Fatalf("%v, %v", d, err)
			}
			return
		}
		ids := map[string]bool{}
		for _, doc := range d.Documents {
			if doc.ID == "" || ids[doc.ID] {
				t.Fatalf("document id %q", doc.ID)
			}
			ids[doc.ID] = true
		}
		asked := map[string]bool{}
		for _, q := range d.Queries {
			if q.ID == "" || asked[q.ID] || isBlank(q.Text) {
				t.Fatalf("query %+v", q)
			}
			asked[q.ID] = true
		}
		kept, unknown := 0, 0
		for q, g := range d.Grades {
			if !asked[q] {
				t.Fatalf("grades of %q, which is not asked", q)
			}
			for doc := range g {
				kept++
				if !ids[doc] {
					unknown++
				}
			}
		}
		if n := d.Tally; kept+n.Repeated+n.UnknownQueries != n.Judgements || unknown != n.UnknownDocuments {
			t.Fatalf("%d kept, %d unknown, %+v", kept, unknown, n)
		}
	})
}

// FuzzLoadNotes does the same for a note of any bytes under any name.
func FuzzLoadNotes(f *testing.F) {
	f.Add("a.md", []byte("# A\n"))
	f.Add("ü/日記.md", []byte("\ufeff---\nbroken: [\n---\n"))
	f.Add("..md", []byte{0, 0xff})
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if !iofs.ValidPath(name) || name == "." {
			return
		}
		gold := folder(nil)
		d, err := LoadNotes(fstest.MapFS{name: {Data: text}}, gold, "fuzz")
		if err != nil {
			if !errors.Is(err, ErrData) {
				t.Fatal(err)
			}
			return
		}
		for _, doc := range d.Documents {
			if doc.ID != name || doc.Text != string(text) {
				t.Fatalf("%+v", doc)
			}
		}
	})
}
