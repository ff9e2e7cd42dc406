package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/hosts/brain/eval"
	"github.com/seed70401ef0/brain-go/hosts/brain/input"
)

// subject is a brain that eval measures. A scope of the set is a domain, read
// by an actor that may read nothing else, so that statistics are of the scope.
type subject struct {
	db    *brain.DB
	owner *brain.Session
	names map[string]string // id of a document by its URI
	scope map[string]int    // number of a scope
}

func newSubject(db *brain.DB, set *eval.Dataset) *subject {
	return &subject{
		db: db, owner: db.As(brain.Person("eval", "owner")),
		names: make(map[string]string, len(set.Documents)), scope: scopes(set),
	}
}

// scopes numbers the scopes of a set; the empty one is 0.
func scopes(set *eval.Dataset) map[string]int {
	out := map[string]int{"": 0}
	add := func(s string) {
		if _, ok := out[s]; !ok {
			out[s] = len(out)
		}
	}
	for i := range set.Documents {
		add(set.Documents[i].Scope)
	}
	for i := range set.Queries {
		add(set.Queries[i].Scope)
	}
	return out
}

func domainOf(scope int) string { return fmt.Sprintf("scope-%d", scope) }

func readerOf(scope int) brain.Actor { return brain.Person(fmt.Sprintf("reader-%d", scope)) }

// scopeRules is the default policy and one reader for each scope.
func scopeRules(set *eval.Dataset) (*policy.Set, error) {
	doc := policy.Default().Document()
	for name, n := range scopes(set) {
		if name != "" {
			doc.Paths = append(doc.Paths, policy.Rule{
				ID: domainOf(n), Effect: "allow", Do: []policy.Action{policy.Read},
				Who: []string{readerOf(n).String()}, On: []string{"brain://" + domainOf(n) + "/**"},
			})
		}
	}
	return policy.New(doc)
}

// always is a beginning before any note. The questions about notes name no
// instant, so a note is measured as if it always held, in place of what its
// front matter says; else the figures would depend on the day of the run.
const always = "0001-01-02"

// Add implements eval.System: the documents become JSON lines and go in as
// brain add takes them.
func (s *subject) Add(ctx context.Context, docs []eval.Document) error {
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, d := range docs {
		text := d.Text
		if text == "" {
			text = d.Title
		}
		u := fmt.Sprintf("brain://%s/d%d", domainOf(s.scope[d.Scope]), len(s.names))
		s.names[u] = d.ID
		line := map[string]string{"uri": u, "title": d.Title, "text": text, "media_type": d.MediaType}
		if d.MediaType != "" {
			line["valid_from"] = always
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	plan, err := input.NewPlan([]string{input.Stdin}, input.Options{Lines: true})
	if err != nil {
		return err
	}
	ad := &adder{ctx: ctx, session: s.owner, bar: &progress{}, tell: func(string, string) {}}
	if err := ad.all(plan.Read(&lines)); err != nil {
		return err
	}
	if n := ad.report.Failed + ad.report.Held; n > 0 {
		p := ad.report.Problems[0]
		return fmt.Errorf("%d of %d documents were not stored, first %s: %s", n, len(docs), p.Place, p.Reason)
	}
	return nil
}

// Search implements eval.System.
func (s *subject) Search(ctx context.Context, r eval.Request) (eval.Result, error) {
	session := s.owner
	if r.Scope != "" {
		session = s.db.As(readerOf(s.scope[r.Scope]))
	}
	res, err := session.Recall(ctx, brain.Query{Text: r.Text, Limit: r.Limit, Mode: recall.Mode(r.Mode)})
	if err != nil {
		return eval.Result{}, err
	}
	ids := make([]string, len(res.Hits))
	for i, h := range res.Hits {
		ids[i] = s.names[h.Chunk.URI.String()]
	}
	return eval.Result{Documents: ids}, nil
}

// IndexSize implements eval.Sizer.
func (s *subject) IndexSize(ctx context.Context) (bytes, chunks int64, err error) {
	st, err := s.db.Stats(ctx)
	return int64(st.Index.Bytes), int64(st.Index.Chunks), err
}
