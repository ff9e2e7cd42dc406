package uri

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"pgregory.net/rapid"
)

func mustPattern(t testing.TB, s string) Pattern {
	t.Helper()
	p, err := ParsePattern(s)
	if err != nil {
		t.Fatalf("ParsePattern(%q): %v", s, err)
	}
	return p
}

func TestPatternMatch(t *testing.T) {
	tests := []struct {
		pattern string
		yes, no []string
	}{
		{"wiki://**", []string{"wiki://a", "wiki://a/b", "WIKI://a"}, []string{"mem://a"}},
		{"wiki://docs/**", []string{"wiki://docs", "wiki://docs/a", "wiki://docs/a/b"}, []string{"wiki://doc", "wiki://docsx", "wiki://DOCS/a"}},
		{"wiki://docs/*", []string{"wiki://docs/a"}, []string{"wiki://docs", "wiki://docs/a/b"}},
		{"wiki://*/x/**", []string{"wiki://a/x", "wiki://b/x/y"}, []string{"wiki://x", "wiki://a/b/x"}},
		{"WIKI://cafe\u0301", []string{"wiki://caf\u00e9"}, []string{"wiki://cafe"}},
		{`wiki://\*-algebra`, []string{"wiki://*-algebra"}, []string{"wiki://C-algebra"}},
		{"wiki://*", []string{"wiki://a"}, []string{"wiki://a/b"}},
	}
	for _, tt := range tests {
		p := mustPattern(t, tt.pattern)
		for _, s := range tt.yes {
			if !p.Match(MustParse(s)) {
				t.Errorf("%q does not match %q", tt.pattern, s)
			}
		}
		for _, s := range tt.no {
			if p.Match(MustParse(s)) {
				t.Errorf("%q matches %q", tt.pattern, s)
			}
		}
	}
	if (Pattern{}).Match(MustParse("a://b")) || (Pattern{}).Match(URI{}) || (Pattern{}).String() != "" || mustPattern(t, "a://**").Match(URI{}) {
		t.Error("the zero value matches")
	}
}

func TestPatternRefuses(t *testing.T) {
	for _, s := range []string{
		"", "**", "*", "*://**", "w*://a", "wiki:", "wiki://", "wiki://a/", "wiki://**/a", "wiki://a/**/b", "wiki://*.md",
		"wiki://a/***", "wiki://../**", "wiki://a?", `wiki://a\b`, `wiki://\\*`, "wiki://%2e%2e/**", "wiki://a@b/**", "wiki:////**",
		"wiki://" + strings.Repeat("*/", MaxDepth) + "*", strings.Repeat("x", 3*MaxBytes),
	} {
		p, err := ParsePattern(s)
		var bad *invalid.Error
		if !errors.As(err, &bad) || bad.Field != "pattern" || !errors.Is(err, ErrInvalid) || p.String() != "" {
			t.Errorf("ParsePattern(%q) = %q, %v", s, p, err)
		}
	}
}

func TestSpecificityOrder(t *testing.T) {
	// Each is more specific than the next; all but the marked match w://a/b.
	order := []string{"w://a/b", "w://a/b/**", "w://a/*", "w://a/*/**", "w://a/**", "w://*/b", "w://*/b/**", "w://*/*", "w://*/**", "w://**"}
	u := MustParse("w://a/b")
	for i, s := range order {
		if !mustPattern(t, s).Match(u) {
			t.Errorf("%q does not match", s)
		}
		for _, weaker := range order[i+1:] {
			if mustPattern(t, s).Specificity() <= mustPattern(t, weaker).Specificity() {
				t.Errorf("%q is not more specific than %q", s, weaker)
			}
		}
	}
}

// patterns draws patterns over a small alphabet, so that they meet.
func patterns() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		segs := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "*", `\*`}), 1, 4).Draw(t, "segs")
		if rapid.Bool().Draw(t, "deep") {
			segs[len(segs)-1] = "**"
		}
		return "w://" + strings.Join(segs, "/")
	})
}

// matchSpec is the definition of a match, by recursion over segments.
func matchSpec(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return true
	case len(name) == 0:
		return false
	}
	return (pattern[0] == "*" || strings.ReplaceAll(pattern[0], `\*`, "*") == name[0]) && matchSpec(pattern[1:], name[1:])
}

func TestPatternProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps, qs := patterns().Draw(t, "p"), patterns().Draw(t, "q")
		p, err := ParsePattern(ps)
		if err != nil || p.String() != ps {
			t.Fatalf("%q: %q, %v", ps, p, err)
		}
		q, _ := ParsePattern(qs)
		u := MustParse("w://" + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "*"}), 1, 4).Draw(t, "u"), "/"))
		name := slices.Collect(u.Segments())
		if want := matchSpec(strings.Split(ps[4:], "/"), name); p.Match(u) != want {
			t.Fatalf("%q match %q: want %v", ps, u, want)
		}
		if p.Match(u) && q.Match(u) && p.Specificity() == q.Specificity() && ps != qs {
			t.Fatalf("%q and %q both match %q with one specificity", ps, qs, u)
		}
	})
}

func FuzzParsePattern(f *testing.F) {
	for _, s := range []string{"wiki://docs/**", "w://*/a", `w://\*`, "w://cafe\u0301/**", "w://**"} {
		f.Add(s, "wiki://docs/a")
	}
	f.Fuzz(func(t *testing.T, s, name string) {
		p, err := ParsePattern(s)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		again, err := ParsePattern(p.String())
		if err != nil || again.String() != p.String() || again.Specificity() != p.Specificity() {
			t.Errorf("%q: %q does not parse to itself: %v", s, p, err)
		}
		if u, err := Parse(name); err == nil && p.Match(u) != again.Match(u) {
			t.Errorf("%q and its canonical form differ on %q", s, u)
		}
	})
}
