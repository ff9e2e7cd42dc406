package store

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// model is what an overlay must look like: a plain map.
type model map[string]string

func (m model) scan(lo, hi string) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if k >= lo && (hi == "" || k < hi) {
			out = append(out, k+"="+m[k])
		}
	}
	return out
}

func scanOf(t *rapid.T, r Reader, lo, hi string) (out []string) {
	var end []byte
	if hi != "" {
		end = []byte(hi)
	}
	if err := r.Scan([]byte(lo), end, func(k, v []byte) (bool, error) {
		out = append(out, string(k)+"="+string(v))
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOverlayEqualsModel(t *testing.T) {
	key := rapid.StringMatching(`[a-e]{1,2}`)
	rapid.Check(t, func(t *rapid.T) {
		base := &memorySnapshot{newTreap()}
		m := model{}
		for k, v := range rapid.MapOf(key, rapid.String()).Draw(t, "base") {
			base.data.set(k, entry{value: []byte(v)})
			m[k] = v
		}
		type state struct {
			o overlay
			m model
		}
		cur := state{overlay{newTreap(), base}, m}
		var saved []state
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				k, v := key.Draw(t, "k"), rapid.String().Draw(t, "v")
				cur.o.set(k, entry{value: []byte(v)})
				cur.m[k] = v
			},
			"delete": func(t *rapid.T) {
				k := key.Draw(t, "k")
				cur.o.set(k, entry{deleted: true})
				delete(cur.m, k)
			},
			"fork": func(t *rapid.T) {
				saved = append(saved, state{cur.o.fork(), maps.Clone(cur.m)})
			},
			"undo": func(t *rapid.T) {
				if len(saved) > 0 {
					cur, saved = saved[len(saved)-1], saved[:len(saved)-1]
				}
			},
			"": func(t *rapid.T) {
				for _, s := range append(saved, cur) {
					lo, hi := key.Draw(t, "lo"), key.Draw(t, "hi")
					for _, r := range [][2]string{{"", ""}, {lo, hi}, {lo, ""}} {
						if got, want := scanOf(t, &s.o, r[0], r[1]), s.m.scan(r[0], r[1]); !slices.Equal(got, want) {
							t.Fatalf("scan %q: %q, want %q", r, got, want)
						}
					}
					v, err := s.o.Get([]byte(lo))
					want, ok := s.m[lo]
					if ok != (err == nil) || string(v) != want || err != nil && !errors.Is(err, ErrNotFound) {
						t.Fatalf("get %q: %q, %v, want %q", lo, v, err, want)
					}
				}
			},
		})
	})
}

func TestTreapEqualsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, m := newTreap(), map[string]string{}
		for range rapid.IntRange(0, 200).Draw(t, "n") {
			k := rapid.StringMatching(`[a-d]{1,3}`).Draw(t, "k")
			if rapid.Bool().Draw(t, "remove") {
				tr.remove(k)
				delete(m, k)
			} else {
				tr.set(k, entry{value: []byte(k)})
				m[k] = k
			}
		}
		var got []string
		c := tr.from(nil, nil)
		for n := c.peek(); n != nil; n = c.peek() {
			c.next()
			got = append(got, n.key)
			for _, child := range []*node{n.left, n.right} {
				if child != nil && child.priority > n.priority {
					t.Fatal("heap order is broken")
				}
			}
		}
		if !slices.Equal(got, slices.Sorted(maps.Keys(m))) || tr.n != len(m) {
			t.Fatalf("%q of %d, want %q", got, tr.n, m)
		}
	})
}

func TestScanIsNotDisturbedByItsOwnWrites(t *testing.T) {
	o := overlay{newTreap(), &memorySnapshot{newTreap()}}
	for _, k := range []string{"a", "b", "c"} {
		o.set(k, entry{value: []byte("old")})
	}
	var seen bytes.Buffer
	err := o.Scan(nil, nil, func(k, v []byte) (bool, error) {
		seen.WriteString(string(k) + "=" + string(v) + " ")
		o.set("c", entry{deleted: true})
		o.set("b", entry{value: []byte("new")})
		o.set("bb", entry{value: []byte("new")})
		return true, nil
	})
	if err != nil || seen.String() != "a=old b=old c=old " {
		t.Errorf("scan saw %q, %v", seen.String(), err)
	}
	if v, _ := o.Get([]byte("b")); string(v) != "new" {
		t.Errorf("after the scan: %q", v)
	}
}
