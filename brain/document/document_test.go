package document

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// open returns a store in memory whose clock advances a minute per commit.
func open(t *testing.T) *store.DB {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	db, err := store.Open(t.TempDir(), &store.Options{
		Primary: new(store.Memory).Open(), Derived: new(store.Memory).Open(),
		MinFreeBytes: -1, BallastBytes: -1,
		Now: func() time.Time { now = now.Add(time.Minute); return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func update(t *testing.T, db *store.DB, fn func(*store.Tx) error) error {
	t.Helper()
	_, err := db.Update(context.Background(), store.Event{Actor: "person:ana", Op: "test", Class: audit.Change}, fn)
	return err
}

// put stores a body at name and returns what came of it.
func put(t *testing.T, db *store.DB, d Draft, quota int64) (rev Revision, outcome Outcome, err error) {
	t.Helper()
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	err = update(t, db, func(tx *store.Tx) error {
		var err error
		rev, outcome, err = Put(tx, "person:ana", d, quota)
		return err
	})
	return rev, outcome, err
}

func note(name, body string) Draft {
	return Draft{URI: uri.MustParse(name), Body: []byte(body)}
}

func TestPutKeepsALineOfRevisions(t *testing.T) {
	db := open(t)
	steps := []struct {
		body    string
		outcome Outcome
		live    uint64
		repeats uint64
	}{
		{"one", Created, 1, 0},
		{"one", Repeated, 1, 1},
		{"one", Repeated, 1, 2},
		{"two", Updated, 2, 0},
		{"one", Updated, 3, 0},
	}
	u := uri.MustParse("brain://a/b")
	for i, s := range steps {
		rev, outcome, err := put(t, db, note("brain://a/b", s.body), 0)
		if err != nil || outcome != s.outcome || rev.N != s.live || rev.Repeats != s.repeats {
			t.Fatalf("step %d: revision %d, repeats %d, %v, %v", i, rev.N, rev.Repeats, outcome, err)
		}
	}
	snap := db.Snapshot()
	defer snap.Close()
	all, err := History(snap, u)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d revisions, %v", len(all), err)
	}
	for i, r := range all {
		if live := i == 2; r.Live() != live || r.N != uint64(i+1) {
			t.Errorf("revision %d: live %v", r.N, r.Live())
		}
		if body, err := Content(snap, r); err != nil || DigestOf(body) != r.Digest {
			t.Errorf("revision %d: %q, %v", r.N, body, err)
		}
	}
	if all[0].Retired != all[1].Seq || !all[0].At(all[0].Seq) || all[0].At(all[1].Seq) {
		t.Errorf("revision 1 lives in [%d, %d)", all[0].Seq, all[0].Retired)
	}
	for seq, want := range map[uint64]uint64{all[0].Seq - 1: 0, all[0].Seq: 1, all[1].Seq: 2, all[2].Seq: 3} {
		live := uint64(0)
		for _, r := range all {
			if r.At(seq) {
				live = r.N
			}
		}
		if live != want {
			t.Errorf("as of %d: revision %d, want %d", seq, live, want)
		}
	}
}

func TestForgetKeepsHistory(t *testing.T) {
	db := open(t)
	u := uri.MustParse("brain://a/b")
	if err := update(t, db, func(tx *store.Tx) error { _, err := Forget(tx, u, nil, ""); return err }); !errors.Is(err, ErrNotFound) {
		t.Fatalf("forgot what never was: %v", err)
	}
	if _, _, err := put(t, db, note("brain://a/b", "one"), 0); err != nil {
		t.Fatal(err)
	}
	if err := update(t, db, func(tx *store.Tx) error { _, err := Forget(tx, u, nil, "wrong\nand old"); return err }); err != nil {
		t.Fatal(err)
	}
	snap := db.Snapshot()
	if _, err := Get(snap, u, 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("still live: %v", err)
	}
	if r, err := Get(snap, u, 1); err != nil || r.Reason != "wrong\nand old" || r.Live() || r.RetiredAt.IsZero() {
		t.Errorf("%+v, %v", r, err)
	}
	snap.Close()
	if rev, outcome, err := put(t, db, note("brain://a/b", "one"), 0); err != nil || outcome != Created || rev.N != 2 {
		t.Errorf("written again: revision %d, %v, %v", rev.N, outcome, err)
	}
}

func TestBaseIsChecked(t *testing.T) {
	db := open(t)
	base := func(n uint64) *uint64 { return &n }
	d := note("brain://a/b", "one")
	d.Base = base(1)
	if _, _, err := put(t, db, d, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("base 1 of nothing: %v", err)
	}
	d.Base = base(0)
	if _, _, err := put(t, db, d, 0); err != nil {
		t.Fatal(err)
	}
	d.Body = []byte("two")
	if _, _, err := put(t, db, d, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("base 0 where 1 is live: %v", err)
	}
	d.Base = base(1)
	if _, outcome, err := put(t, db, d, 0); err != nil || outcome != Updated {
		t.Errorf("%v, %v", outcome, err)
	}
}

func TestQuotaIsPerActorAndDay(t *testing.T) {
	db := open(t)
	for i := range 3 {
		_, _, err := put(t, db, note(fmt.Sprintf("brain://a/%d", i), "12345"), 10)
		var bad *invalid.Error
		if over := i == 2; errors.Is(err, ErrQuota) != over || over && (!errors.As(err, &bad) || bad.Limit != 10) {
			t.Errorf("document %d: %v", i, err)
		}
	}
	snap := db.Snapshot()
	defer snap.Close()
	if _, err := Get(snap, uri.MustParse("brain://a/2"), 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("stored over quota: %v", err)
	}
}

func TestOwnerStays(t *testing.T) {
	db := open(t)
	d := note("brain://a/b", "one")
	d.Owner = "person:bo"
	if _, _, err := put(t, db, d, 0); err != nil {
		t.Fatal(err)
	}
	if rev, _, err := put(t, db, note("brain://a/b", "two"), 0); err != nil || rev.Owner != "person:bo" {
		t.Errorf("owner %q, %v", rev.Owner, err)
	}
	if rev, _, err := put(t, db, note("brain://a/c", "two"), 0); err != nil || rev.Owner != "person:ana" {
		t.Errorf("owner %q, %v", rev.Owner, err)
	}
}

func TestListIsInOrderAndByPrefix(t *testing.T) {
	db := open(t)
	for _, n := range []string{"brain://b/1", "brain://a/2", "brain://a/10", "notes://x", "brain://a2/1"} {
		if _, _, err := put(t, db, note(n, "x"), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := update(t, db, func(tx *store.Tx) error { _, err := Forget(tx, uri.MustParse("brain://a2/1"), nil, ""); return err }); err != nil {
		t.Fatal(err)
	}
	snap := db.Snapshot()
	defer snap.Close()
	for _, tt := range []struct {
		prefix, from string
		want         string
	}{
		{"", "", "brain://a/10 brain://a/2 brain://b/1 notes://x"},
		{"brain://a", "", "brain://a/10 brain://a/2"},
		{"", "brain://a/2", "brain://a/2 brain://b/1 notes://x"},
		{"brain://a", "brain://a/2", "brain://a/2"},
		{"zzz", "", ""},
	} {
		var got []string
		if err := List(snap, tt.prefix, tt.from, func(r Revision) (bool, error) {
			got = append(got, r.URI.String())
			return true, nil
		}); err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%q from %q: %v, %v; want %s", tt.prefix, tt.from, got, err, tt.want)
		}
	}
}

func TestContentWithAnotherDigestIsRefused(t *testing.T) {
	db := open(t)
	rev, _, err := put(t, db, note("brain://a/b", "one"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := update(t, db, func(tx *store.Tx) error {
		return tx.Set(revisionKey(store.Content, rev.URI, rev.N), []byte("0ne"))
	}); err != nil {
		t.Fatal(err)
	}
	snap := db.Snapshot()
	defer snap.Close()
	if body, err := Content(snap, rev); !errors.Is(err, codec.ErrCorrupt) {
		t.Errorf("%q, %v", body, err)
	}
}

func TestCheckRefuses(t *testing.T) {
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		field string
		edit  func(*Draft)
	}{
		{"uri", func(d *Draft) { d.URI = uri.URI{} }},
		{"body", func(d *Draft) { d.Body = nil }},
		{"body", func(d *Draft) { d.Body = make([]byte, MaxBody+1) }},
		{"media_type", func(d *Draft) { d.MediaType = "text/html" }},
		{"title", func(d *Draft) { d.Title = strings.Repeat("x", MaxTitle+1) }},
		{"title", func(d *Draft) { d.Title = "a\x1b[2J" }},
		{"title", func(d *Draft) { d.Title = "\xff" }},
		{"owner", func(d *Draft) { d.Owner = strings.Repeat("x", MaxOwner+1) }},
		{"kind", func(d *Draft) { d.Kind = "Note" }},
		{"kind", func(d *Draft) { d.Kind = strings.Repeat("k", MaxKind+1) }},
		{"tags", func(d *Draft) { d.Tags = make([]string, MaxTags+1) }},
		{"tags", func(d *Draft) { d.Tags = []string{""} }},
		{"tags", func(d *Draft) { d.Tags = []string{strings.Repeat("t", MaxTag+1)} }},
		{"valid_to", func(d *Draft) { d.ValidFrom, d.ValidTo = day, day }},
		{"valid_from", func(d *Draft) { d.ValidFrom = time.Date(10001, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"expires", func(d *Draft) { d.Expires = time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC) }},
	}
	for _, tt := range tests {
		d := note("brain://a/b", "x")
		tt.edit(&d)
		var bad *invalid.Error
		if err := d.Check(); !errors.As(err, &bad) || bad.Field != tt.field {
			t.Errorf("%s: %v", tt.field, err)
		}
	}
	d := note("brain://a/b", "x")
	d.Tags = []string{"b", "a", "b"}
	if err := d.Check(); err != nil || d.Kind != "note" || d.MediaType != Markdown || strings.Join(d.Tags, "") != "ab" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestRecordRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		instant := func(name string) time.Time {
			if rapid.Bool().Draw(t, name+" set") {
				return time.Time{}
			}
			return time.UnixMicro(rapid.Int64Range(-1<<52, 1<<52).Draw(t, name)).UTC()
		}
		want := Revision{
			URI: uri.MustParse("notes://Über/x y.md"), N: 7, Seq: rapid.Uint64().Draw(t, "seq"),
			Time: time.UnixMicro(5).UTC(), Actor: "agent:x", Digest: DigestOf([]byte("b")), Size: 1,
			MediaType: Plain, Title: rapid.String().Draw(t, "title"), Kind: "note",
			Tags: rapid.SliceOf(rapid.String()).Draw(t, "tags"), Lang: "de", Owner: "person:y",
			ValidFrom: instant("from"), ValidTo: instant("to"), Expires: instant("expires"),
			Flags: []string{"bidi"}, Repeats: 3, Retired: 9, RetiredAt: instant("retired"), Reason: "r",
		}
		got, err := decode(7, encode(want))
		if err != nil {
			t.Fatal(err)
		}
		byName := cmp.Comparer(func(a, b uri.URI) bool { return a.String() == b.String() })
		if d := cmp.Diff(want, got, byName, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(Revision{URI: uri.MustParse("brain://a"), Kind: "note", Owner: "o", MediaType: Plain}))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(1, data)
		if err != nil {
			return
		}
		if again, err := decode(1, encode(r)); err != nil || again.Digest != r.Digest {
			t.Fatalf("%+v, written back: %v", r, err)
		}
	})
}
