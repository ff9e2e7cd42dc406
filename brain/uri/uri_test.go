package uri

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"pgregory.net/rapid"
)

func TestParseAccepts(t *testing.T) {
	for _, s := range []string{
		"brain://sales/pricing/2026-11",
		"notes://projects/Überblick 2026.md",
		"notes://日記/二月.md", "notes://Заметки/план.md", "notes://ملاحظات/اليوم.md",
		"notes://می\u200cخواهم.md", "notes://क्\u200dष.md", // joiners that spelling needs
		"notes://👨‍👩‍👧.md", "notes://❤️ list.md", "notes://1️⃣ first.md", "notes://👁️‍🗨️.md",
		"notes://100%", "notes://100%25 sure", "notes://a%20b", "notes://50% off.md", "notes://%zz",
		"notes://Re: plan.md", "notes://people/@ana.md", "notes://x/10:30",
		"notes://…/..a", "notes://a..b/.hidden", "notes://C*-algebras.md",
		"a+b-c.9://x", "notes://" + strings.Repeat("s", MaxSegmentBytes),
		"notes://" + strings.Repeat("a/", MaxDepth-1) + "a",
		"notes://Screenshot 10.00 AM.png", "notes://a|b<c>\"'`$&;~^{}[]",
	} {
		u, err := Parse(s)
		if err != nil {
			t.Errorf("Parse(%q): %v", s, err)
		} else if u.String() != s {
			t.Errorf("Parse(%q).String() = %q", s, u.String())
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		name  string
		limit int64
		in    []string
	}{
		{"scheme", 0, []string{"", "a", "/a", "://a", "1a://x", "a b://x", "é://x", "*://x", "a_b://x", "mailto:x", "a:/x", "ſ://x"}},
		{"long scheme", maxSchemeBytes, []string{strings.Repeat("a", maxSchemeBytes+1) + "://x"}},
		{"no segment", 0, []string{"wiki://"}},
		{"empty segment", 0, []string{"wiki:///a", "wiki://docs//a", "wiki://a/"}},
		{"dot segment", 0, []string{"wiki://.", "wiki://a/..", "wiki://docs/../secret", "wiki://a/./b", "wiki://a/.. /b", "wiki://a/ ", "wiki://a/...", "wiki://a/\u3000"}},
		{"query, fragment", 0, []string{"wiki://a?x=1#f", "wiki://a?", "wiki://a#"}},
		{"backslash", 0, []string{`wiki://a\b`, `wiki://..\a`}},
		{"control", 0, []string{"wiki://a\x00.png", "wiki://d/a\nb", "wiki://\x7f", "wiki://\u0085", "wiki://a\u2028b", "wiki://a\x1b]0;"}},
		{"utf-8", 0, []string{"wiki://a\xff", "wiki://\xc0\xae", "wiki://\xed\xa0\x80"}},
		{"authority", 0, []string{"wiki://user@host/a", "wiki://host:80/a", "wiki://host:/a", "wiki://@host", "wiki://u:p@h", "wiki://user%40host/a", "wiki://host%3a80/a", "wiki://[::1]:80"}},
		{"bidi", 0, []string{"wiki://a\u202egpj.exe", "wiki://a\u2066b", "wiki://\u200fa", "wiki://\u061ca"}},
		{"invisible", 0, []string{"wiki://.g\u200cit/x", "wiki://a\u200b", "wiki://a\u00adb", "wiki://\ufeffa", "wiki://a\u2060", "wiki://a\U000e0041", "wiki://a\ufe0f", "wiki://❤️️", "wiki://葛\U000e0100", "wiki://\u3164", "wiki://م\u200c", "wiki://a\ufe0f\u20e3", "wiki://a\U000e0fff", "wiki://a\u200db", "wiki://\ufe0f", "wiki://1\ufe0f"}},
		{"noncharacter", 0, []string{"wiki://\ufffe", "wiki://\ufdd0", "wiki://\U0010ffff"}},
		{"escape", 0, []string{
			"wiki://docs/%2e%2e/secret", "wiki://docs/.%2E/secret", "wiki://a%2fb", "wiki://%252e%252e/x",
			"wiki://%c0%ae%c0%ae", "wiki://a%00", "wiki://%u002e%u002e/x", "wiki://a%u2215/%U005cb", "wiki://a%5cb",
			"wiki://a%3fx", "wiki://a%23f", "wiki://%e2%80%ae", "wiki://%20", "wiki://%ff", "wiki://%ud800",
			"wiki://%%32%65%%32%65", "wiki://%u0025%u0032f", "wiki://%" + strings.Repeat("25", 20) + "2e",
		}},
		{"bytes", MaxBytes, []string{"wiki://" + strings.Repeat("a/", MaxBytes)}},
		{"segment bytes", MaxSegmentBytes, []string{"wiki://" + strings.Repeat("x", MaxSegmentBytes+1)}},
		{"depth", MaxDepth, []string{"wiki://" + strings.Repeat("a/", MaxDepth) + "a"}},
		{"NFC grows", MaxSegmentBytes, []string{"wiki://" + strings.Repeat("\u0958", 80)}},
	}
	for _, tt := range tests {
		for _, s := range tt.in {
			u, err := Parse(s)
			var bad *invalid.Error
			switch {
			case err == nil:
				t.Errorf("%s: Parse(%q) = %q, want refused", tt.name, s, u)
			case !errors.Is(err, ErrInvalid) || !errors.Is(err, invalid.Err) || !errors.As(err, &bad):
				t.Errorf("%s: Parse(%q): untyped error %v", tt.name, s, err)
			case bad.Field != "uri" || bad.Limit != tt.limit:
				t.Errorf("%s: Parse(%q): field %q, limit %d, want limit %d", tt.name, s, bad.Field, bad.Limit, tt.limit)
			case !u.IsZero():
				t.Errorf("%s: Parse(%q) returned a value beside its error", tt.name, s)
			}
		}
	}
}

// TestEdges holds what is just inside of a limit; TestParseRefuses what is not.
func TestEdges(t *testing.T) {
	full := "s://" + strings.Repeat(strings.Repeat("x", 255)+"/", 15) + strings.Repeat("x", 252) // 4,096 bytes
	grown := "s://" + strings.Repeat(strings.Repeat("\u0958", 42)+"/", 16)
	grown += strings.Repeat("x", MaxBytes-len(grown)-16*42*3) // 4,096 bytes in NFC
	for _, s := range []string{full, grown, strings.Repeat("s", maxSchemeBytes) + "://x", "s://a\u00a0b"} {
		if u, err := Parse(s); err != nil || len(s) > MaxBytes || s != "s://a\u00a0b" && len(s) > 100 && len(u.Key()) != MaxBytes {
			t.Errorf("%d bytes, %d in the key: %v", len(s), len(u.Key()), err)
		}
	}
	for _, s := range []string{full + "x", grown + "x"} {
		if _, err := Parse(s); err == nil {
			t.Errorf("%d bytes accepted", len(s))
		}
	}
	cut := strings.LastIndex(full, "/")
	if u, err := MustParse(full[:cut]).Join(full[cut+1:]); err != nil || u.String() != full {
		t.Errorf("joining up to the limit: %v", err)
	}
	deep := "s://" + strings.Repeat("*/", MaxDepth-1) + "a"
	if p, err := ParsePattern(deep); err != nil || p.String() != deep {
		t.Errorf("a pattern as deep as a name: %v", err)
	}
}

func TestKeyIsNFC(t *testing.T) {
	nfc, nfd := MustParse("WIKI://caf\u00e9/\u1e69"), MustParse("wiki://cafe\u0301/s\u0307\u0323")
	if nfc.Key() != nfd.Key() {
		t.Errorf("keys differ: %q, %q", nfc.Key(), nfd.Key())
	}
	if nfd.String() != "wiki://cafe\u0301/s\u0307\u0323" {
		t.Errorf("bytes are not kept: %q", nfd)
	}
	if MustParse("wiki://docs/a").Key() == MustParse("wiki://DOCS/a").Key() {
		t.Error("the path is folded")
	}
	if got := MustParse("WiKi://A/b").String(); got != "wiki://A/b" {
		t.Errorf("scheme not folded: %q", got)
	}
}

func TestParts(t *testing.T) {
	tests := []struct {
		in, scheme, domain, title string
		segs                      []string
	}{
		{"brain://sales/pricing/2026.11", "brain", "sales", "2026.11", []string{"sales", "pricing", "2026.11"}},
		{"BRAIN://cafe\u0301", "brain", "caf\u00e9", "cafe\u0301", []string{"cafe\u0301"}},
		{"notes://projects/x.md", "notes", "", "x", []string{"projects", "x.md"}},
		{"notes://.env", "notes", "", ".env", []string{".env"}},
		{"notes://a/b.c.tar7", "notes", "", "b.c", []string{"a", "b.c.tar7"}},
		{"notes://a/end. of", "notes", "", "end. of", []string{"a", "end. of"}},
		{"notes://a/b.longer", "notes", "", "b.longer", []string{"a", "b.longer"}},
	}
	for _, tt := range tests {
		u := MustParse(tt.in)
		if u.Scheme() != tt.scheme || u.Source() != tt.scheme || u.Domain() != tt.domain || u.Title() != tt.title {
			t.Errorf("%q: %q %q %q %q", tt.in, u.Scheme(), u.Source(), u.Domain(), u.Title())
		}
		if got := slices.Collect(u.Segments()); !slices.Equal(got, tt.segs) {
			t.Errorf("%q: segments %q", tt.in, got)
		}
		for range u.Segments() {
			break
		}
	}
	var zero URI
	if !zero.IsZero() || zero.String()+zero.Key()+zero.Scheme()+zero.Domain()+zero.Title() != "" || len(slices.Collect(zero.Segments())) != 0 {
		t.Error("the zero value has parts")
	}
}

func TestUnder(t *testing.T) {
	tests := []struct {
		u, p string
		want bool
	}{
		{"a://x/y", "a://x", true},
		{"a://x", "a://x", true},
		{"a://xy", "a://x", false},
		{"a://x", "a://x/y", false},
		{"b://x/y", "a://x", false},
		{"a://cafe\u0301/y", "a://caf\u00e9", true},
	}
	for _, tt := range tests {
		if got := MustParse(tt.u).Under(MustParse(tt.p)); got != tt.want {
			t.Errorf("%q under %q: %v", tt.u, tt.p, got)
		}
	}
	if MustParse("a://x").Under(URI{}) || (URI{}).Under(URI{}) {
		t.Error("something lies under no name")
	}
}

func TestJoin(t *testing.T) {
	base := MustParse("notes://a")
	u, err := base.Join("b c", "d.md")
	if err != nil || u.String() != "notes://a/b c/d.md" {
		t.Errorf("%q, %v", u, err)
	}
	if u, err := base.Join(); err != nil || u != base {
		t.Errorf("joining nothing: %q, %v", u, err)
	}
	for _, seg := range []string{"", "..", "b/c", "/", "a?b", strings.Repeat("x", MaxBytes)} {
		if u, err := base.Join("ok", seg); !errors.Is(err, ErrInvalid) || !u.IsZero() {
			t.Errorf("Join(%q) = %q, %v", seg, u, err)
		}
	}
	if _, err := (URI{}).Join("a"); !errors.Is(err, ErrInvalid) {
		t.Errorf("joined to no name: %v", err)
	}
}

func TestJSON(t *testing.T) {
	type doc struct{ U, Zero URI }
	in := doc{U: MustParse("notes://a/é")}
	data, err := json.Marshal(in)
	if err != nil || string(data) != `{"U":"notes://a/é","Zero":""}` {
		t.Fatalf("%s, %v", data, err)
	}
	var out doc
	if err := json.Unmarshal(data, &out); err != nil || out != in {
		t.Errorf("%+v, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"U":"notes://../x"}`), &out); !errors.Is(err, ErrInvalid) {
		t.Errorf("a refused name came in by JSON: %v", err)
	}
}

func TestMustParsePanicsOnRefusal(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	MustParse("no scheme")
}

// checkLaws holds for whatever Parse accepts.
func checkLaws(t interface{ Errorf(string, ...any) }, u URI) {
	if again, err := Parse(u.String()); err != nil || again != u {
		t.Errorf("%q does not parse to itself: %v", u, err)
	}
	if k, err := Parse(u.Key()); err != nil || k.Key() != u.Key() || k.String() != u.Key() {
		t.Errorf("the key of %q does not parse to itself: %v", u, err)
	}
	segs := slices.Collect(u.Segments())
	if u.Scheme()+"://"+strings.Join(segs, "/") != u.String() {
		t.Errorf("the parts of %q do not join to it", u)
	}
	if !u.Under(u) || !u.Under(MustParse(u.Scheme()+"://"+segs[0])) {
		t.Errorf("%q is not under its own start", u)
	}
	for _, r := range u.String() + u.Key() {
		if r < ' ' || r == '?' || r == '#' || r == '\\' || isBidi(r) {
			t.Errorf("%q holds %U", u, r)
		}
	}
}

func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seg := rapid.StringMatching(`[a-z.%0-9u ]{1,6}|[\p{L}\p{M}\p{So}\x{200c}\x{200d}\x{fe0f}]{1,5}`)
		s := "s://" + strings.Join(rapid.SliceOfN(seg, 1, 5).Draw(t, "segs"), "/")
		if u, err := Parse(s); err == nil {
			checkLaws(t, u)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"brain://a/b", "WIKI://%2e%2e/x", "n://cafe\u0301", "n://👨‍👩‍👧", "n://%u0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := Parse(s)
		if err != nil {
			if !errors.Is(err, ErrInvalid) || !u.IsZero() {
				t.Errorf("%q: %v, %q", s, err, u)
			}
			return
		}
		checkLaws(t, u)
	})
}

func BenchmarkParse(b *testing.B) {
	for _, s := range []string{"notes://projects/2026/review of the quarter.md", "notes://日記/二月/cafe\u0301.md"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
