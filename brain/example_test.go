package brain_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// open makes a brain in a temporary directory for an example.
func open() (db *brain.DB, done func()) {
	dir, err := os.MkdirTemp("", "brain-example")
	if err != nil {
		log.Fatal(err)
	}
	db, err = brain.Open(context.Background(), dir, &brain.Options{BallastBytes: -1, MinFreeBytes: -1})
	if err != nil {
		log.Fatal(err)
	}
	return db, func() {
		if err := db.Close(); err != nil {
			log.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			log.Fatal(err)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// A program that remembers, asks, lets an agent propose, and verifies.
func Example() {
	ctx := context.Background()
	dir := must(os.MkdirTemp("", "brain"))
	defer os.RemoveAll(dir)
	db := must(brain.Open(ctx, dir, nil))
	defer db.Close()

	ana := db.As(brain.Person("ana", "owner"))
	price := uri.MustParse("brain://sales/rope-price")
	must(ana.Put(ctx, brain.Draft{URI: price, Body: []byte("# Rope price\n\nA metre of rope costs 12 euro.")}))

	agent := db.As(brain.Agent("scout"))
	res := must(agent.Recall(ctx, brain.Query{Text: "what does rope cost?"}))
	fmt.Println(res.Hits[0].Chunk, res.Hits[0].Title)

	p := must(agent.Propose(ctx, brain.Draft{URI: price, Body: []byte("# Rope price\n\nA metre of rope costs 14 euro.")}, "supplier's mail"))
	must(ana.Decide(ctx, brain.Decision{ID: p.ID, Approve: true, Digest: p.Digest}))
	res = must(agent.Recall(ctx, brain.Query{Text: "what does rope cost?"}))
	fmt.Println(res.Hits[0].Chunk, res.Hits[0].Actor)

	report := must(db.Verify(ctx))
	fmt.Println("rows verified:", report.Head.Seq)
	// Output:
	// brain://sales/rope-price@r1#c0 Rope price
	// brain://sales/rope-price@r2#c0 agent:scout
	// rows verified: 4
}

func ExampleOpen() {
	dir := must(os.MkdirTemp("", "brain"))
	defer os.RemoveAll(dir)
	db := must(brain.Open(context.Background(), dir, &brain.Options{Posture: brain.ReviewPosture}))
	_, err := brain.Open(context.Background(), dir, nil)
	fmt.Println(brain.Code(err))
	fmt.Println(db.Close())
	// Output:
	// held
	// <nil>
}

func ExampleRepair() {
	ctx, ana := context.Background(), brain.Person("ana", "owner")
	dir := must(os.MkdirTemp("", "brain"))
	defer os.RemoveAll(dir)
	if err := must(brain.Open(ctx, dir, nil)).Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "HEAD")); err != nil {
		log.Fatal(err)
	}
	_, err := brain.Open(ctx, dir, nil)
	fmt.Println(brain.Code(err))
	fmt.Println("epoch", must(brain.Repair(ctx, dir, ana, nil)).Epoch)
	fmt.Println(must(brain.Open(ctx, dir, nil)).Close())
	// Output:
	// damaged
	// epoch 2
	// <nil>
}

func ExampleSession_Put() {
	db, done := open()
	defer done()
	s := db.As(brain.Person("ana", "owner"))
	note := brain.Draft{URI: uri.MustParse("brain://ops/pumps"), Body: []byte("The bilge pump is on the port side.")}
	for range 2 {
		r := must(s.Put(context.Background(), note))[0]
		fmt.Println(r.Outcome, "revision", r.Revision)
	}
	_, err := db.As(brain.Agent("scout")).Put(context.Background(), note)
	fmt.Println(brain.Code(err))
	// Output:
	// created revision 1
	// repeated revision 1
	// denied
}

func ExampleSession_Get() {
	db, done := open()
	defer done()
	ctx, s, u := context.Background(), db.As(brain.Person("ana", "owner")), uri.MustParse("brain://ops/pumps")
	must(s.Put(ctx, brain.Draft{URI: u, Body: []byte("one")}))
	must(s.Put(ctx, brain.Draft{URI: u, Body: []byte("two")}))
	fmt.Printf("%s, before that %s\n", must(s.Get(ctx, u, 0)).Body, must(s.Get(ctx, u, 1)).Body)
	_, err := s.Get(ctx, uri.MustParse("brain://ops/nothing"), 0)
	fmt.Println(brain.Code(err))
	// Output:
	// two, before that one
	// not_found
}

func ExampleSession_List() {
	db, done := open()
	defer done()
	ctx, s := context.Background(), db.As(brain.Person("ana", "owner"))
	for _, n := range []string{"brain://ops/a", "brain://ops/b", "brain://ops/c"} {
		must(s.Put(ctx, brain.Draft{URI: uri.MustParse(n), Body: []byte(n)}))
	}
	q := brain.ListQuery{Prefix: "brain://ops/", Limit: 2}
	for {
		page := must(s.List(ctx, q))
		for _, d := range page.Documents {
			fmt.Println(d.URI)
		}
		if page.Next == "" {
			break
		}
		q.Cursor = page.Next
	}
	// Output:
	// brain://ops/a
	// brain://ops/b
	// brain://ops/c
}

func ExampleSession_Forget() {
	db, done := open()
	defer done()
	ctx, s, u := context.Background(), db.As(brain.Person("ana", "owner")), uri.MustParse("brain://ops/pumps")
	must(s.Put(ctx, brain.Draft{URI: u, Body: []byte("The pump is blue.")}))
	must(s.Forget(ctx, u, "it was painted"))
	_, err := s.Get(ctx, u, 0)
	fmt.Println(brain.Code(err))
	fmt.Println(must(s.Restore(ctx, u, 1)).Outcome)
	// Output:
	// not_found
	// created
}

func ExampleSession_Restore() {
	db, done := open()
	defer done()
	ctx, s, u := context.Background(), db.As(brain.Person("ana", "owner")), uri.MustParse("brain://ops/pumps")
	must(s.Put(ctx, brain.Draft{URI: u, Body: []byte("good")}))
	must(s.Put(ctx, brain.Draft{URI: u, Body: []byte("bad")}))
	r := must(s.Restore(ctx, u, 1))
	fmt.Printf("revision %d: %s\n", r.Revision, must(s.Get(ctx, u, 0)).Body)
	// Output:
	// revision 3: good
}

func ExampleSession_History() {
	db, done := open()
	defer done()
	ctx, s, u := context.Background(), db.As(brain.Person("ana", "owner")), uri.MustParse("brain://ops/pumps")
	must(s.Put(ctx, brain.Draft{URI: u, Body: []byte("one")}))
	must(s.Put(ctx, brain.Draft{URI: u, Body: []byte("two")}))
	for _, r := range must(s.History(ctx, u)) {
		fmt.Println(r.N, r.Actor, r.Size, "bytes, live:", r.Live())
	}
	// Output:
	// 1 person:ana 3 bytes, live: false
	// 2 person:ana 3 bytes, live: true
}

func ExampleSession_Recall() {
	db, done := open()
	defer done()
	ctx, s := context.Background(), db.As(brain.Person("ana", "owner"))
	must(s.Put(ctx,
		brain.Draft{URI: uri.MustParse("brain://ops/pumps"), Tags: []string{"engine"}, Body: []byte("Prime the bilge pump before starting it.")},
		brain.Draft{URI: uri.MustParse("brain://ops/ferry"), Tags: []string{"timetable"}, Body: []byte("The last ferry leaves at ten.")},
	))
	res := must(s.Recall(ctx, brain.Query{Text: "starting a pump", Limit: 1, Explain: true}))
	h := res.Hits[0]
	fmt.Printf("%s bytes %d to %d: %s\n", h.Chunk, h.Start, h.End, h.Text)
	fmt.Printf("best of both legs: %v\n", h.Legs[0].Rank == 1 && h.Legs[1].Rank == 1)
	fmt.Println(len(must(s.Recall(ctx, brain.Query{Text: "pump", Tags: []string{"timetable"}})).Hits), "hit with another tag")
	// Output:
	// brain://ops/pumps@r1#c0 bytes 0 to 40: Prime the bilge pump before starting it.
	// best of both legs: true
	// 1 hit with another tag
}

func ExampleSession_Propose() {
	db, done := open()
	defer done()
	ctx, agent := context.Background(), db.As(brain.Agent("scout"))
	p := must(agent.Propose(ctx, brain.Draft{URI: uri.MustParse("brain://ops/pumps"), Body: []byte("The pump\u202e is new.")}, "heard at the quay"))
	fmt.Print(must(agent.Proposal(ctx, p.ID)).View())
	res := must(agent.Recall(ctx, brain.Query{Text: "pump"}))
	fmt.Println(len(res.Hits), "hits before the approval")
	// Output:
	// operation  put
	// uri        brain://ops/pumps
	// replaces   nothing: a new document
	// proposer   agent:scout
	// prompt     heard at the quay
	// kind       note
	// owner      agent:scout
	// media type text/markdown
	// finding    bidi at bytes 8 to 11: 1 invisible characters that no writing uses here
	//
	//   | The pump⟨U+202E⟩ is new.
	// 0 hits before the approval
}

func ExampleSession_ProposeForget() {
	db, done := open()
	defer done()
	ctx, ana, agent := context.Background(), db.As(brain.Person("ana", "owner")), db.As(brain.Agent("scout"))
	u := uri.MustParse("brain://ops/pumps")
	must(ana.Put(ctx, brain.Draft{URI: u, Body: []byte("The pump is old.")}))
	p := must(agent.ProposeForget(ctx, u, "sold", ""))
	must(ana.Decide(ctx, brain.Decision{ID: p.ID, Approve: true, Digest: p.Digest}))
	_, err := agent.Get(ctx, u, 0)
	fmt.Println(brain.Code(err))
	// Output:
	// not_found
}

func ExampleSession_Proposals() {
	db, done := open()
	defer done()
	ctx, ana, agent := context.Background(), db.As(brain.Person("ana", "owner")), db.As(brain.Agent("scout"))
	for _, body := range []string{"one", "two"} {
		must(agent.Propose(ctx, brain.Draft{Body: []byte(body)}, ""))
	}
	page := must(ana.Proposals(ctx, brain.ProposalQuery{}))
	fmt.Println(len(page.Proposals), "wait")
	_, err := db.As(brain.Person("eve")).Proposal(ctx, page.Proposals[0].ID)
	fmt.Println(brain.Code(err))
	// Output:
	// 2 wait
	// not_found
}

func ExampleSession_Proposal() {
	db, done := open()
	defer done()
	ctx, agent := context.Background(), db.As(brain.Agent("scout"))
	id := must(agent.Propose(ctx, brain.Draft{Body: []byte("one")}, "")).ID
	p := must(agent.Proposal(ctx, id))
	fmt.Println(p.State, p.Op, string(p.Draft.Body))
	// Output:
	// pending put one
}

func ExampleSession_Decide() {
	db, done := open()
	defer done()
	ctx, ana, agent := context.Background(), db.As(brain.Person("ana", "owner")), db.As(brain.Agent("scout"))
	p := must(agent.Propose(ctx, brain.Draft{URI: uri.MustParse("brain://ops/pumps"), Body: []byte("The pump is new.")}, ""))

	_, err := agent.Decide(ctx, brain.Decision{ID: p.ID, Approve: true, Digest: p.Digest})
	fmt.Println("by the agent:", brain.Code(err))
	_, err = ana.Decide(ctx, brain.Decision{ID: p.ID, Approve: true, Digest: brain.Digest{1}})
	fmt.Println("by another digest:", brain.Code(err))
	r := must(ana.Decide(ctx, brain.Decision{ID: p.ID, Approve: true, Digest: p.Digest}))
	fmt.Println(r.Outcome, r.URI, "revision", r.Revision)
	// Output:
	// by the agent: denied
	// by another digest: digest_mismatch
	// approved brain://ops/pumps revision 1
}

func ExampleSession_Policy() {
	db, done := open()
	defer done()
	ctx, ana := context.Background(), db.As(brain.Person("ana", "owner"))
	set := must(ana.Policy(ctx))
	_, err := db.As(brain.Agent("scout")).Policy(ctx)
	fmt.Println(set.Digest() == policy.Default().Digest(), brain.Code(err))
	// Output:
	// true denied
}

func ExampleSession_SetPolicy() {
	db, done := open()
	defer done()
	ctx, ana, agent := context.Background(), db.As(brain.Person("ana", "owner")), db.As(brain.Agent("scout"))
	u := uri.MustParse("brain://private/diary")
	must(ana.Put(ctx, brain.Draft{URI: u, Body: []byte("Rain again.")}))

	rules := must(ana.Policy(ctx)).Document()
	rules.Paths = append(rules.Paths, policy.Rule{
		ID: "diary", Effect: "deny", Who: []string{"kind:agent"}, Do: []policy.Action{policy.Read}, On: []string{"brain://private/**"},
	})
	must(ana.SetPolicy(ctx, must(policy.New(rules))))
	_, err := agent.Get(ctx, u, 0)
	fmt.Println(brain.Code(err))
	fmt.Println(len(must(agent.Recall(ctx, brain.Query{Text: "rain"})).Hits), "hits")
	// Output:
	// not_found
	// 0 hits
}

func ExampleDB_Verify() {
	db, done := open()
	defer done()
	ctx := context.Background()
	r := must(db.As(brain.Person("ana", "owner")).Put(ctx, brain.Draft{Body: []byte("one")}))[0]
	report := must(db.Verify(ctx))
	fmt.Println(report.Head.Seq, "rows; the receipt is the head:", report.Head == r.Head)
	// Output:
	// 2 rows; the receipt is the head: true
}

func ExampleDB_Rebuild() {
	db, done := open()
	defer done()
	ctx, s := context.Background(), db.As(brain.Person("ana", "owner"))
	must(s.Put(ctx, brain.Draft{Body: []byte("The pump is blue.")}))
	fmt.Println(db.Rebuild(ctx), len(must(s.Recall(ctx, brain.Query{Text: "pump"})).Hits))
	// Output:
	// <nil> 1
}

func ExampleDB_Stats() {
	db, done := open()
	defer done()
	ctx := context.Background()
	must(db.As(brain.Person("ana", "owner")).Put(ctx, brain.Draft{Body: []byte("one")}))
	s := must(db.Stats(ctx))
	fmt.Println(s.Index.Chunks, "chunk,", s.Store.Head.Seq, "rows, anchored:", s.Anchored)
	// Output:
	// 1 chunk, 2 rows, anchored: false
}

func ExampleDB_Metrics() {
	db, done := open()
	defer done()
	must(db.As(brain.Person("ana", "owner")).Put(context.Background(), brain.Draft{Body: []byte("one")}))
	fmt.Println(db.Metrics().Puts)
	// Output:
	// 1
}

func ExampleCode() {
	db, done := open()
	defer done()
	_, err := db.As(brain.Person("ana", "owner")).Recall(context.Background(), brain.Query{Text: "x", Limit: 5000})
	var e *brain.Error
	if errors.As(err, &e) {
		fmt.Println(brain.Code(err), e.Field, e.Limit, brain.Code(err).Exit())
	}
	// Output:
	// invalid limit 1000 2
}

// Validity is part of a document: an answer at another day is another answer.
func ExampleQuery() {
	db, done := open()
	defer done()
	ctx, s := context.Background(), db.As(brain.Person("ana", "owner"))
	day := func(d int) time.Time { return time.Date(2026, 5, d, 0, 0, 0, 0, time.UTC) }
	must(s.Put(ctx,
		brain.Draft{URI: uri.MustParse("brain://ops/berth-old"), Body: []byte("We lie at berth 4."), ValidTo: day(10)},
		brain.Draft{URI: uri.MustParse("brain://ops/berth-new"), Body: []byte("We lie at berth 9."), ValidFrom: day(10)},
	))
	for _, at := range []time.Time{day(1), day(20)} {
		fmt.Println(must(s.Recall(ctx, brain.Query{Text: "at which berth do we lie", At: at})).Hits[0].Text)
	}
	// Output:
	// We lie at berth 4.
	// We lie at berth 9.
}
