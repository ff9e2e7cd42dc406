package brain

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

var modes = []recall.Mode{recall.Lexical, recall.Vector, recall.Hybrid}

func TestTheSameFactAgain(t *testing.T) {
	db := openNew(t)
	s := db.As(ana)
	fact := Draft{Body: []byte("Ana works at Acme.")}
	var rs []Receipt
	for range 3 {
		rs = append(rs, put(t, s, fact)...)
	}
	for i, want := range []Outcome{Created, Repeated, Repeated} {
		if rs[i].Outcome != want || rs[i].URI != rs[0].URI || rs[i].Revision != 1 {
			t.Errorf("write %d: %+v", i, rs[i])
		}
	}
	if d, err := s.Get(bg, rs[0].URI, 0); err != nil || d.Repeats != 2 || d.Owner != "person:ana" {
		t.Errorf("%+v, %v", d.Revision, err)
	}
	other := put(t, db.As(Person("ben", "owner")), fact)[0]
	if other.URI == rs[0].URI || other.Outcome != Created {
		t.Errorf("another owner: %+v", other)
	}
	batch := put(t, s, fact, fact, Draft{Body: []byte("run 41: 0.912")}, Draft{Body: []byte("run 42: 0.921")})
	for i, want := range []Outcome{Repeated, Repeated, Created, Created} {
		if batch[i].Outcome != want {
			t.Errorf("batch, draft %d: %+v", i, batch[i])
		}
	}
	if p, err := s.List(bg, ListQuery{}); err != nil || len(p.Documents) != 4 {
		t.Errorf("%d documents, %v", len(p.Documents), err)
	}
	if r := recallIn(t, s, Query{Text: "Ana works at Acme"}); len(r.Hits) != 4 || !strings.Contains(r.Hits[0].Text, "Acme") {
		t.Errorf("%d hits", len(r.Hits))
	}
}

func TestBatches(t *testing.T) {
	db := openNew(t)
	s := db.As(ana)
	u := name("brain://a/b")
	before := seq(db)
	rs := put(t, s, Draft{URI: u, Body: []byte("one")}, Draft{URI: u, Body: []byte("two")}, note("brain://a/c", "three"))
	if len(rs) != 3 || rs[0].Revision != 1 || rs[1].Revision != 2 || rs[1].Outcome != Updated || rs[2].Seq != before+3 || seq(db) != before+3 {
		t.Errorf("%+v", rs)
	}
	if r := recallIn(t, s, Query{Text: "one two three"}); len(r.Hits) != 2 {
		t.Errorf("%d hits", len(r.Hits))
	}
	two := uint64(2)
	one := uint64(1)
	for _, tt := range []struct {
		name  string
		bad   Draft
		code  ErrorCode
		field string
	}{
		{"no body", Draft{URI: name("brain://bad/x")}, Invalid, "body"},
		{"no body and no URI", Draft{}, Invalid, "uri"},
		{"media type", Draft{URI: name("brain://bad/x"), Body: []byte("x"), MediaType: "image/png"}, Invalid, "media_type"},
		{"title", Draft{URI: name("brain://bad/x"), Body: []byte("x"), Title: strings.Repeat("x", 501)}, Invalid, "title"},
		{"title with NUL", Draft{URI: name("brain://bad/x"), Body: []byte("x"), Title: "a\x00b"}, Invalid, "title"},
		{"tags", Draft{URI: name("brain://bad/x"), Body: []byte("x"), Tags: make([]string, 65)}, Invalid, "tags"},
		{"kind", Draft{URI: name("brain://bad/x"), Body: []byte("x"), Kind: "A B"}, Invalid, "kind"},
		{"owner", Draft{URI: name("brain://bad/x"), Body: []byte("x"), Owner: "\xff"}, Invalid, "owner"},
		{"expires", Draft{URI: name("brain://bad/x"), Body: []byte("x"), Expires: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, Invalid, "expires"},
		{"too large", Draft{URI: name("brain://bad/x"), Body: make([]byte, document.MaxBody+1)}, Invalid, "body"},
		{"base that is not live", Draft{URI: u, Body: []byte("x"), Base: &one}, Conflict, ""},
		{"base of what is not there", Draft{URI: name("brain://bad/x"), Body: []byte("x"), Base: &two}, Conflict, ""},
	} {
		before := seq(db)
		_, err := s.Put(bg, note("brain://good/1", "x"), tt.bad, note("brain://good/2", "x"))
		refused(t, tt.name, err, tt.code, tt.field)
		var e *Error
		if errors.As(err, &e) && e.URI != tt.bad.URI.String() {
			t.Errorf("%s: the error is about %q", tt.name, e.URI)
		}
		if seq(db) != before {
			t.Errorf("%s: %d rows", tt.name, seq(db)-before)
		}
	}
	// Two for one name on one base: the second is a conflict with the first.
	_, err := s.Put(bg, Draft{URI: u, Body: []byte("x"), Base: &two}, Draft{URI: u, Body: []byte("y"), Base: &two})
	refused(t, "one base twice", err, Conflict, "")
	_, err = s.Put(bg)
	refused(t, "no drafts", err, Invalid, "drafts")
	many := make([]Draft, MaxDrafts+1)
	for i := range many {
		many[i] = note(fmt.Sprintf("brain://many/%d", i), "x")
	}
	_, err = s.Put(bg, many...)
	refused(t, "1,001 drafts", err, Invalid, "drafts")
	if rs := put(t, s, many[:MaxDrafts]...); len(rs) != MaxDrafts {
		t.Errorf("%d receipts", len(rs))
	}
	if p, err := s.List(bg, ListQuery{Prefix: "brain://good/"}); err != nil || len(p.Documents) != 0 {
		t.Errorf("%d documents of refused batches, %v", len(p.Documents), err)
	}
}

func TestFlagsAreNotTheCallers(t *testing.T) {
	db := openNew(t)
	d := note("brain://a/b", "tide")
	d.Flags = []string{"bidi"}
	put(t, db.As(ana), d)
	if got, err := db.As(ana).Get(bg, d.URI, 0); err != nil || len(got.Flags) != 0 {
		t.Errorf("%v, %v", got.Flags, err)
	}
}

func TestQuota(t *testing.T) {
	o, c := small(), newClock()
	o.DailyBytes, o.Now = 100, c.time
	db := openAt(t, t.TempDir(), o)
	s := db.As(ana)
	put(t, s, note("brain://a/1", strings.Repeat("x", 60)))
	_, err := s.Put(bg, note("brain://a/2", "small"), note("brain://a/3", strings.Repeat("x", 60)))
	refused(t, "over the quota", err, Quota, "bytes per actor and day")
	if _, err := s.Get(bg, name("brain://a/2"), 0); Code(err) != NotFound {
		t.Errorf("%v", err)
	}
	put(t, db.As(Person("ben", "owner")), note("brain://a/3", strings.Repeat("x", 60)))
	c.advance(12 * time.Hour)
	put(t, s, note("brain://a/4", strings.Repeat("x", 60)))
}

// A context that has ended refuses; one that ends inside the slow work refuses
// too; one that ends during the commit gets the true outcome.
func TestEndedContexts(t *testing.T) {
	o := small()
	e := &slow{}
	o.Embedder = e
	db := openAt(t, t.TempDir(), o)
	if _, err := db.As(scout).Propose(bg, note("brain://a/p", "pump"), ""); err != nil {
		t.Fatal(err)
	}
	s := db.As(ana)
	put(t, s, note("brain://a/b", "tide"))
	put(t, s, note("brain://a/b", "ebb"))
	ended, cancel := context.WithCancel(bg)
	cancel()
	before := seq(db)
	for what, call := range verbs(s) {
		refused(t, what, call(ended), Canceled, "")
	}
	refused(t, "rebuild", db.Rebuild(ended), Canceled, "")
	_, err := db.Verify(ended)
	refused(t, "verify", err, Canceled, "")
	_, err = db.Stats(ended)
	refused(t, "stats", err, Canceled, "")
	past, cancel := context.WithDeadline(bg, time.Unix(0, 0))
	defer cancel()
	_, err = s.Recall(past, Query{Text: "tide"})
	refused(t, "a deadline", err, Canceled, "")

	p, err := db.As(scout).Propose(bg, note("brain://a/q", "buoy"), "")
	if err != nil {
		t.Fatal(err)
	}
	before++
	for what, call := range map[string]func(context.Context) error{
		"put":     func(c context.Context) error { _, err := s.Put(c, note("brain://a/c", "x")); return err },
		"recall":  func(c context.Context) error { _, err := s.Recall(c, Query{Text: "x"}); return err },
		"restore": func(c context.Context) error { _, err := s.Restore(c, name("brain://a/b"), 1); return err },
		"decide": func(c context.Context) error {
			_, err := s.Decide(c, Decision{ID: p.ID, Approve: true, Digest: p.Digest})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(bg)
		e.set(cancel)
		refused(t, what+", while it embeds", call(ctx), Canceled, "")
		e.set(nil)
	}
	if seq(db) != before {
		t.Errorf("%d rows", seq(db)-before)
	}
}

// Once the store has taken a change, an ended context no longer stops it, and
// the answer says so. The store asks for the time after it took the change.
func TestOutcomeIsTrueWhenTheContextEndsInTheCommit(t *testing.T) {
	o, e, c := small(), &slow{}, newClock()
	var armed atomic.Bool
	var cancel context.CancelFunc
	o.Embedder = e
	o.Now = func() time.Time {
		if armed.CompareAndSwap(true, false) {
			cancel()
		}
		return c.time()
	}
	db := openAt(t, t.TempDir(), o)
	s, agent := db.As(ana), db.As(scout)
	p, err := agent.Propose(bg, note("brain://a/p", "pump"), "")
	if err != nil {
		t.Fatal(err)
	}
	e.set(func() { armed.Store(true) }) // the slow work is over with it
	for what, call := range map[string]func(context.Context) (uri.URI, error){
		"put": func(ctx context.Context) (uri.URI, error) {
			u := name("brain://a/put")
			_, err := s.Put(ctx, Draft{URI: u, Body: []byte("tide")})
			return u, err
		},
		"decide": func(ctx context.Context) (uri.URI, error) {
			_, err := s.Decide(ctx, Decision{ID: p.ID, Approve: true, Digest: p.Digest})
			return p.Draft.URI, err
		},
	} {
		ctx, stop := context.WithCancel(bg)
		cancel = stop
		u, err := call(ctx)
		stop()
		if err != nil || armed.Load() {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := s.Get(bg, u, 0); err != nil {
			t.Errorf("%s did not land: %v", what, err)
		}
		if r := recallIn(t, s, Query{Text: "tide pump", Mode: recall.Lexical}); !has(r, u) {
			t.Errorf("%s is not recalled", what)
		}
	}
}

// hostile returns the strings that have broken other systems.
func hostile(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(testdata.Shared(t, "data", "spec", "blns.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	list = append(list,
		`"--error-on-warnings"`, "don't use agents", `say "hi`, "memory:safe", "(python", "foo AND bar", "pre-edit", "C++", "GB/s",
		"what's the budget, roughly?", "_", strings.Repeat("(", 10_000), "the is", "the science is", "!!! ...",
		"我们最近配置的 rerank 精排是什么模型", "精排", "模型", "rerank", "国際標準化に関する動向", "国際標準化", "학점인정", "학점", "grössen", "gro\u0308ssen",
		"\u1112\u1161\u11a8\u110c\u1165\u11b7", "🙂🙂🙂", "👩‍👩‍👧", "the of and", "a", ":", "*", "\\", "%00", "\t", "NEAR(a b)", "a:b^2~")
	slices.Sort(list)
	return slices.Compact(list)
}

// Every hostile string is taken as content and as a query, or refused by the
// name of the field; and the note that holds it is found.
func TestHostileStrings(t *testing.T) {
	db := openNew(t)
	s := db.As(ana)
	list := hostile(t)
	where := map[string]uri.URI{}
	var drafts []Draft
	for i, x := range list {
		d := note(fmt.Sprintf("brain://naughty/%04d", i), x)
		if x == "" {
			_, err := s.Put(bg, d)
			refused(t, "an empty note", err, Invalid, "body")
			continue
		}
		drafts = append(drafts, d)
		where[x] = d.URI
	}
	held := 0
	for i, r := range put(t, s, drafts...) {
		if r.Outcome == Held { // release it, to have it recalled
			held++
			if _, err := s.Decide(bg, Decision{ID: r.Proposal, Approve: true, Digest: r.Digest}); err != nil {
				t.Fatalf("%q: %v", drafts[i].Body, err)
			}
		}
	}
	t.Logf("%d strings, %d held back", len(drafts), held)
	for i, x := range list {
		if u, ok := where[x]; ok {
			if d, err := s.Get(bg, u, 0); err != nil || string(d.Body) != x {
				t.Errorf("%q became %q, %v", x, d.Body, err)
			}
		}
		for _, m := range modes {
			k := 60
			if len(x) < 3 { // in many of them
				k = 1000
			}
			r, err := s.Recall(bg, Query{Text: x, Mode: m, Limit: k})
			if strings.TrimSpace(x) == "" {
				refused(t, fmt.Sprintf("%q", x), err, Invalid, "text")
				continue
			}
			if err != nil {
				t.Errorf("%s %q: %v", m, x, err)
				continue
			}
			seen := map[string]bool{}
			for _, h := range r.Hits {
				if seen[h.Chunk.String()] {
					t.Fatalf("%s %q: %s twice", m, x, h.Chunk)
				}
				seen[h.Chunk.String()] = true
			}
			if x != "\ufeff" && !has(r, where[x]) { // a byte order mark alone is no text
				t.Errorf("%s %q: not found among %d", m, x, len(r.Hits))
			}
		}
		if i%5 != 0 {
			continue
		}
		for field, q := range map[string]Query{
			"phrases": {Phrases: []string{x}}, "exclude": {Text: "tide", Exclude: []string{x}}, "code": {Code: []string{x}},
			"hypothetical": {Hypothetical: x}, "tags": {Text: "tide", Tags: []string{x}}, "domains": {Text: "tide", Domains: []string{x}},
		} {
			if _, err := s.Recall(bg, q); err != nil {
				var e *Error
				if Code(err) != Invalid || !errors.As(err, &e) || e.Field == "" {
					t.Errorf("%s %q: %v", field, x, err)
				}
			}
		}
	}
	if _, err := db.Verify(bg); err != nil {
		t.Error(err)
	}
}

func TestHostileBodies(t *testing.T) {
	db := openNew(t)
	s := db.As(ana)
	binary := make([]byte, 200_000)
	rng := rand.NewChaCha8([32]byte{1})
	_, _ = rng.Read(binary)
	line := bytes.Repeat([]byte("x"), 1<<20)
	for what, body := range map[string][]byte{
		"10 MB":                bytes.Repeat([]byte("tide "+strings.Repeat("x", 994)+"\n\n"), 10<<20/1001),
		"one line":             append([]byte("Header "), line...),
		"binary":               binary,
		"invalid UTF-8":        []byte("tide \xff\xfe\xc3\x28 table"),
		"NUL":                  []byte("tide\x00table"),
		"only NULs":            make([]byte, 1000),
		"only emoji":           []byte("🙂🙃🙂🙃"),
		"only stop words":      []byte("the is of and a"),
		"only white space":     []byte(" \n\t\r\n "),
		"only front matter":    []byte("---\ntitle: x\n---\n"),
		"broken front matter":  []byte("---\ntitle: \"A\" (x)\ntags: [\n---\nbody of the note"),
		"hostile front matter": []byte("---\ntitle: \"a\\0b\"\ntags: [\"\", \"\\u202e\"]\nlang: " + strings.Repeat("x", 1000) + "\n---\nbody of the note"),
	} {
		u := name("brain://body/" + strings.ReplaceAll(what, " ", "-"))
		rs, err := s.Put(bg, Draft{URI: u, Body: body})
		if err != nil {
			var e *Error
			if Code(err) != Invalid || !errors.As(err, &e) || e.Field == "" {
				t.Errorf("%s: %v", what, err)
			} else {
				t.Logf("%s: refused, %v", what, err)
			}
			continue
		}
		if rs[0].Outcome == Held {
			t.Logf("%s: held", what)
			continue
		}
		if d, err := s.Get(bg, u, 0); err != nil || !bytes.Equal(d.Body, body) {
			t.Errorf("%s: other bytes, %v", what, err)
		}
	}
	for what, tt := range map[string]struct {
		q     Query
		field string
	}{
		"10 MB":            {Query{Text: strings.Repeat("tide ", 2<<20)}, "text"},
		"invalid UTF-8":    {Query{Text: "tide \xff"}, "text"},
		"NUL":              {Query{Text: "tide\x00"}, "text"},
		"empty":            {Query{}, "text"},
		"white space":      {Query{Text: " \n"}, "text"},
		"negative k":       {Query{Text: "tide", Limit: -1}, "limit"},
		"k over the limit": {Query{Text: "tide", Limit: 1001}, "limit"},
		"mode":             {Query{Text: "tide", Mode: "graph"}, "mode"},
		"as of the future": {Query{Text: "tide", AsOf: 1 << 60}, "as_of"},
	} {
		_, err := s.Recall(bg, tt.q)
		refused(t, what, err, Invalid, tt.field)
	}
	for _, q := range []string{"🙂", "the is", "!!! ...", "of"} {
		for _, m := range modes {
			if _, err := s.Recall(bg, Query{Text: q, Mode: m}); err != nil {
				t.Errorf("%s %q: %v", m, q, err)
			}
		}
	}
}

func TestLimitZeroAndOverTheCount(t *testing.T) {
	db := openNew(t)
	s := db.As(ana)
	var drafts []Draft
	for i := range 15 {
		drafts = append(drafts, note(fmt.Sprintf("brain://a/%02d", i), fmt.Sprintf("tide number %d", i)))
	}
	put(t, s, drafts...)
	for k, want := range map[int]int{0: recall.DefaultLimit, 1: 1, 15: 15, 1000: 15} {
		for _, m := range modes {
			if r := recallIn(t, s, Query{Text: "tide", Limit: k, Mode: m}); len(r.Hits) != want {
				t.Errorf("%s, limit %d: %d hits, want %d", m, k, len(r.Hits), want)
			}
		}
	}
	for k, want := range map[int]int{0: 15, 1: 1, 15: 15, 1000: 15} {
		if p, err := s.List(bg, ListQuery{Limit: k}); err != nil || len(p.Documents) != want || (p.Next != "") != (want < 15) {
			t.Errorf("list, limit %d: %d, next %q, %v", k, len(p.Documents), p.Next, err)
		}
	}
	for what, q := range map[string]ListQuery{"limit": {Limit: 1001}, "cursor": {Cursor: "!"}, "prefix": {Prefix: strings.Repeat("x", 5000)}} {
		_, err := s.List(bg, q)
		refused(t, what, err, Invalid, what)
	}
	_, err := s.List(bg, ListQuery{Limit: -1})
	refused(t, "negative limit", err, Invalid, "limit")
	for what, q := range map[string]ProposalQuery{"limit": {Limit: 201}, "state": {State: "maybe"}} {
		_, err := s.Proposals(bg, q)
		refused(t, what, err, Invalid, what)
	}
}

// Both spellings of a letter are one name and one word.
func TestComposedAndDecomposed(t *testing.T) {
	db := openNew(t)
	s := db.As(ana)
	nfc, nfd := "brain://maße/gr\u00f6ssen", "brain://maße/gro\u0308ssen"
	put(t, s, note(nfd, "Die Gro\u0308ssen und 학점인정"))
	if d, err := s.Get(bg, name(nfc), 0); err != nil || d.URI.String() != nfd {
		t.Errorf("%s, %v", d.URI, err)
	}
	for _, q := range []string{"gr\u00f6ssen", "gro\u0308ssen", "\u1112\u1161\u11a8\u110c\u1165\u11b7\u110b\u1175\u11ab\u110c\u1165\u11bc"} {
		if r := recallIn(t, s, Query{Text: q, Mode: recall.Lexical}); len(r.Hits) != 1 {
			t.Errorf("%q: %d hits", q, len(r.Hits))
		}
	}
	for _, prefix := range []string{"brain://maße/gr\u00f6", "brain://maße/gro\u0308"} {
		if p, err := s.List(bg, ListQuery{Prefix: prefix}); err != nil || len(p.Documents) != 1 {
			t.Errorf("%q: %d documents, %v", prefix, len(p.Documents), err)
		}
	}
}

// Path tricks are refused as names, or are names and nothing else.
func TestPathTraversal(t *testing.T) {
	f, err := os.Open(testdata.Shared(t, "data", "spec", "path-traversal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	db := openNew(t)
	s := db.As(ana)
	var drafts []Draft
	seen := map[string]bool{}
	n, taken := 0, 0
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var row struct{ Payload string }
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		n++
		u, err := uri.Parse("brain://files/" + row.Payload)
		if err != nil {
			if !errors.Is(err, uri.ErrInvalid) {
				t.Fatalf("%q: %v", row.Payload, err)
			}
			continue
		}
		taken++
		if u.Domain() != "files" {
			t.Fatalf("%q left its domain: %s", row.Payload, u)
		}
		for seg := range u.Segments() {
			if seg == "" || seg == "." || seg == ".." {
				t.Fatalf("%q has the segment %q", row.Payload, seg)
			}
		}
		if taken%9 == 0 && len(drafts) < 200 && !seen[u.Key()] {
			seen[u.Key()] = true
			drafts = append(drafts, Draft{URI: u, Body: []byte("payload " + row.Payload)})
		}
	}
	if err := in.Err(); err != nil || n < 20_000 {
		t.Fatalf("%d rows, %v", n, err)
	}
	put(t, s, drafts...)
	p, err := s.List(bg, ListQuery{Prefix: "brain://files/", Limit: 1000})
	if err != nil || len(p.Documents) != len(drafts) {
		t.Fatalf("%d of %d stored, %v", len(p.Documents), len(drafts), err)
	}
	for _, d := range drafts {
		if got, err := s.Get(bg, d.URI, 0); err != nil || !bytes.Equal(got.Body, d.Body) {
			t.Errorf("%s: %v", d.URI, err)
		}
	}
	t.Logf("%d payloads, %d are names, %d stored", n, taken, len(drafts))
}

func TestDeniedActorsWriteNothing(t *testing.T) {
	db := openNew(t)
	put(t, db.As(ana), note("brain://a/b", "tide"))
	for _, a := range []Actor{{}, eve, {ID: "a:b", Kind: policy.Person, Roles: []string{"owner"}}, {ID: "x", Kind: 9}, Agent("")} {
		for what, call := range verbs(db.As(a)) {
			code := Code(call(bg))
			switch what {
			case "list", "recall", "proposals":
				if code != OK {
					t.Errorf("%q %s: %s", a, what, code)
				}
			default:
				if code != Denied && code != NotFound {
					t.Errorf("%q %s: %s", a, what, code)
				}
			}
		}
		if r := recallIn(t, db.As(a), Query{Text: "tide"}); len(r.Hits) != 0 || r.Stats.Corpus != 0 {
			t.Errorf("%q recalls %+v", a, r)
		}
	}
	for _, r := range rows(t, db, 0) {
		if r.Class.String() == "change" && r.Actor != "person:ana" && r.Actor != self {
			t.Errorf("%s", r)
		}
	}
}
