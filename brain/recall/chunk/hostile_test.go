package chunk

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// input is one body that is meant to hurt, with the number of chunks it makes
// under the defaults (-1 where that says nothing).
type input struct {
	name   string
	body   func() []byte
	chunks int
}

func rep(s string, n int) func() []byte {
	return func() []byte { return bytes.Repeat([]byte(s), n) }
}

func hostile() []input {
	const mib = 1 << 20
	return []input{
		{"one line of 1 MiB", func() []byte { return append([]byte("Header "), bytes.Repeat([]byte("a"), mib)...) }, 263},
		{"ten characters, space, 5000 a", func() []byte { return []byte("0123456789 " + strings.Repeat("a", 5000)) }, 2},
		{"one line of words", rep("word ", mib/5), -1},
		{"1 MiB heading", func() []byte { return append([]byte("# "), bytes.Repeat([]byte("h"), mib)...) }, -1},
		{"spaces then a letter", func() []byte { return append(bytes.Repeat([]byte(" "), mib), 'a') }, 1},
		{"blank lines", rep("\n", 2*mib), 0},
		{"item and blank lines", func() []byte { return append([]byte("- - - - - - - a"), bytes.Repeat([]byte("\n"), mib-15)...) }, 1},
		{"quote marks on one line", rep(">", 100_000), -1},
		{"quote marks, 2 MiB", rep(">", 2*mib), -1},
		{"quote lines", rep(">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>\n", 30_000), -1},
		{"brackets", rep("[", 100_000), -1},
		{"bracket pairs", rep("[a](", 100_000), -1},
		{"stars", rep("*", 100_000), -1},
		{"star words", rep("*a ", 100_000), -1},
		{"backticks of growing length", backticks, -1},
		{"tags and backticks", rep("<think>`", 100_000), -1},
		{"open traces", rep("<think>\n", mib/8), 0},
		{"nested items", rep("- ", mib/2), -1},
		{"ladder of items", ladder, -1},
		{"items", rep("- a\n", mib/4), -1},
		{"angle brackets", rep("<", mib), -1},
		{"html comments", rep("<!--\n", mib/5), -1},
		{"link references", rep("[a]: <b> 'c\n", 80_000), -1},
		{"setext underlines", rep("a\n===\n", mib/6), -1},
		{"headings", func() []byte { return numbered("## h%d\n", 30_000) }, -1},
		{"deep headings", rep("### a\n#### b\n##### c\n###### d\n\nx\n", 30_000), -1},
		{"table of 20000 rows", func() []byte {
			return append([]byte("| id | name | value |\n|---|:-:|--:|\n"), numbered("| %d | some name here | some value there |\n", 20_000)...)
		}, -1},
		{"table of 100000 columns", func() []byte {
			b := bytes.Repeat([]byte("|a"), 100_000)
			b = append(append(b, '\n'), bytes.Repeat([]byte("|-"), 100_000)...)
			return append(append(b, '\n'), bytes.Repeat([]byte("x\n"), 100_000)...)
		}, -1},
		{"open fence", func() []byte { return append([]byte("```\n"), bytes.Repeat([]byte("code\n"), mib/6)...) }, -1},
		{"outline: lines", rep("aa\n", mib), -1},
		{"outline: headings", func() []byte { return numbered("# h%d\n\ntext\n\n", 100_000) }, -1},
		{"outline: tables", rep("|a|b|\n|-|-|\n|c|d|\n", mib/4), -1},
		{"garbage, 10 MiB", func() []byte { return garbage(10 * mib) }, -1},
		{"garbage, 1 MiB", func() []byte { return garbage(mib) }, -1},
		{"NUL", rep("\x00", mib), -1},
		{"invalid UTF-8", rep("\xff\xfe", mib/2), -1},
		{"combining marks", func() []byte { return append([]byte("e"), bytes.Repeat([]byte("\u0301"), 300_000)...) }, -1},
		{"families", rep("👩‍👩‍👧‍👦", 20_000), -1},
		{"flags", rep("🇩🇪", 50_000), -1},
		{"carriage returns", rep("# a\rtext\r\r", 50_000), -1},
		{"front matter never closed", func() []byte { return append([]byte("---\n"), bytes.Repeat([]byte("a: b\n"), mib/5)...) }, -1},
		{"front matter of brackets", func() []byte { return []byte("---\na: " + strings.Repeat("[", 60_000) + "\n---\nbody") }, 1},
		{"alias bomb", func() []byte { return []byte("---\n" + bomb() + "---\nbody") }, 1},
	}
}

func backticks() []byte {
	var b bytes.Buffer
	b.WriteString("<think>\na")
	for i := 1; i < 1200; i++ {
		b.WriteString(strings.Repeat("`", i) + " <think> ")
	}
	return b.Bytes()
}

func ladder() []byte {
	var b bytes.Buffer
	for i := range 1000 {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.Bytes()
}

func numbered(format string, n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.Bytes()
}

func garbage(n int) []byte {
	r := rand.New(rand.NewPCG(7, 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func bomb() string {
	s := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 12; i++ {
		s += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ","))
	}
	return s + "tags: *a11\ntitle: *a11\n"
}

func TestHostileInput(t *testing.T) {
	for _, h := range hostile() {
		t.Run(h.name, func(t *testing.T) {
			in := Input{Body: h.body()}
			o := &Options{MaxChunks: 1 << 20}
			d, err := Split(in, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := check(in, o, d); err != nil {
				t.Error(err)
			}
			if h.chunks >= 0 && len(d.Chunks) != h.chunks {
				t.Errorf("%d chunks, want %d", len(d.Chunks), h.chunks)
			}
		})
	}
}

func TestTableHeaderIsRepeated(t *testing.T) {
	const header = "| id | name |\n|---|:-:|\n"
	for _, prefix := range []string{"", "> ", "  "} {
		rows := strings.TrimSpace(header + string(numbered("| %d | some name |\n", 20_000)))
		body := []byte("# Table\n\n" + prefix + strings.ReplaceAll(rows, "\n", "\n"+prefix))
		d, err := Split(Input{Body: body}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Chunks) < 50 {
			t.Fatalf("%d chunks", len(d.Chunks))
		}
		for _, c := range d.Chunks[1:] {
			if !strings.HasPrefix(c.Text, prefix+"| id | name |\n"+prefix+"|---|:-:|\n"+prefix+"| ") {
				t.Fatalf("%q: chunk %d starts with %.60q", prefix, c.N, c.Text)
			}
		}
	}
}
