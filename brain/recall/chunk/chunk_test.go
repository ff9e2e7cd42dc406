package chunk

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

func TestRefusals(t *testing.T) {
	tests := []struct {
		name  string
		in    Input
		o     Options
		field string
		limit int64
	}{
		{"body", Input{Body: make([]byte, MaxBody+1)}, Options{}, "body", MaxBody},
		{"media type", Input{MediaType: "application/pdf"}, Options{}, "media_type", 0},
		{"media type syntax", Input{MediaType: ";"}, Options{}, "media_type", 0},
		{"max low", Input{}, Options{MaxTokens: 15}, "max_tokens", minMaxTokens},
		{"max negative", Input{}, Options{MaxTokens: -1}, "max_tokens", minMaxTokens},
		{"max high", Input{}, Options{MaxTokens: MaxBody}, "max_tokens", MaxBody / charsPerToken},
		{"min high", Input{}, Options{MinTokens: 1001}, "min_tokens", 1000},
		{"min negative", Input{}, Options{MinTokens: -1}, "min_tokens", 1000},
		{"chunks negative", Input{}, Options{MaxChunks: -1}, "max_chunks", 0},
		{"chunks", Input{Body: []byte("## [a]\n## [b]\n## [c]\n")}, Options{MaxChunks: 2}, "chunks", 2},
		{"prefixes", Input{}, Options{SkipPrefixes: make([]string, 65)}, "skip_prefixes", 64},
		{"prefix empty", Input{}, Options{SkipPrefixes: []string{""}}, "skip_prefixes", 256},
		{"prefix blank", Input{}, Options{SkipPrefixes: []string{" a"}}, "skip_prefixes", 256},
		{"prefix long", Input{}, Options{SkipPrefixes: []string{strings.Repeat("a", 257)}}, "skip_prefixes", 256},
	}
	for _, tt := range tests {
		d, err := Split(tt.in, &tt.o)
		var e *invalid.Error
		if !errors.As(err, &e) || e.Field != tt.field || e.Limit != tt.limit {
			t.Errorf("%s: error %v (%+v)", tt.name, err, e)
		}
		if d.Chunks != nil || d.Front.Meta != nil {
			t.Errorf("%s: a refused body has chunks", tt.name)
		}
	}
}

func TestMediaTypes(t *testing.T) {
	for mediaType, title := range map[string]string{
		"": "T", "text/markdown": "T", "Text/Markdown; charset=utf-8; variant=GFM": "T", "text/x-markdown": "T",
		"text/plain": "", "text/x-go": "", "text/csv; header=present": "",
	} {
		d, err := Split(Input{Body: []byte("# T\n"), MediaType: mediaType}, nil)
		if err != nil || d.Title != title || len(d.Chunks) != 1 {
			t.Errorf("%q: title %q, %d chunks, %v", mediaType, d.Title, len(d.Chunks), err)
		}
	}
}

func TestEmptyBodies(t *testing.T) {
	for _, body := range []string{"", "\xef\xbb\xbf", " \n\t\r\n", "---\n---\n", "---\ntitle: a\n---", "\u00a0\n\u2003", "<think>x</think>"} {
		d, err := Split(Input{Body: []byte(body)}, nil)
		if err != nil || len(d.Chunks) != 0 {
			t.Errorf("%q: %d chunks, %v", body, len(d.Chunks), err)
		}
	}
}

// The ID stands in stamps of derived state: a change of it rebuilds every store.
func TestID(t *testing.T) {
	tests := []struct {
		o    *Options
		want string
	}{
		{nil, "chunk/1 100-1000"},
		{&Options{}, "chunk/1 100-1000"},
		{&Options{MaxTokens: 200, MaxChunks: 7}, "chunk/1 20-200"},
		{&Options{SkipPrefixes: []string{"a", "b"}}, "chunk/1 100-1000 skip:6a870fc7816a8268"},
		{&Options{SkipPrefixes: []string{"ab"}}, "chunk/1 100-1000 skip:f9ca6d378adafba7"},
		{&Options{MaxTokens: 1}, "chunk/1 invalid"},
	}
	for _, tt := range tests {
		if got := tt.o.ID(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.o, got, tt.want)
		}
	}
}

func TestParserFailureFallsBack(t *testing.T) {
	if _, err := parseYAML([]byte("a: b")); err != nil {
		t.Fatal(err)
	}
	bs, ok := guard(func() []block { panic("a defect of the parser") })
	if ok || bs != nil {
		t.Errorf("got %v, %v", bs, ok)
	}
}

func TestInvalidUTF8IsReportedOnce(t *testing.T) {
	d, err := Split(Input{Body: []byte("ok\n\n\xff\xfe bad \xff")}, nil)
	if err != nil || len(d.Chunks) != 1 || d.Chunks[0].Text != "ok\n\n\ufffd bad \ufffd" {
		t.Fatalf("%+v, %v", d.Chunks, err)
	}
	if len(d.Warnings) != 1 || d.Warnings[0].String() != "invalid_utf8 at byte 0" {
		t.Errorf("%v", d.Warnings)
	}
}

func TestFrontMatterLimits(t *testing.T) {
	tags := strings.Repeat("t, ", 10) + strings.Join(strings.Split(strings.Repeat("abcdefgh", 20), ""), "1,")
	long := strings.Repeat("a", 3000)
	deep := strings.Repeat("[", 30) + strings.Repeat("]", 30)
	d, err := Split(Input{Body: []byte("---\ntags: " + tags + "\ntitle: " + long + "\ndeep: " + deep + "\n---\n# H\n")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Front.Tags) == 0 || len(d.Front.Tags) > maxValues || d.Title != "H" {
		t.Errorf("%d tags, title %q", len(d.Front.Tags), d.Title)
	}
	kinds := 0
	for _, w := range d.Warnings {
		if w.Kind == FrontMatterLimit {
			kinds++
		}
	}
	if kinds != 3 {
		t.Errorf("warnings %v", d.Warnings)
	}
	big := "---\na: " + strings.Repeat("b", MaxFrontMatter) + "\n---\ntext"
	if d, err = Split(Input{Body: []byte(big)}, nil); err != nil || d.Content != 0 || d.Front.Meta != nil {
		t.Errorf("front matter over the limit is read: content at %d, %v", d.Content, err)
	}
}
