package gate

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/codec"
)

// decided returns a proposal with every field of its record set.
func decided() Proposal {
	p := newProposal(scout, Submission{Op: Put, Draft: full(), Prompt: "p", Reason: "r", Held: true}, nil, 3, 7, start, time.Hour)
	p.by.Roles = []string{"a", "b"}
	p.State = Rejected
	p.Decided = &Decided{By: "person:ana", At: start, Reason: "no", Seq: 9}
	return p
}

func TestRecordRefusesWhatEncodeNeverWrites(t *testing.T) {
	for name, change := range map[string]func(*Proposal){
		"state":        func(p *Proposal) { p.State = "maybe" },
		"expired":      func(p *Proposal) { p.State = Expired }, // by the clock alone
		"no state":     func(p *Proposal) { p.State = "" },
		"operation":    func(p *Proposal) { p.Op = "erase" },
		"proposer":     func(p *Proposal) { p.by.ID = "a:b" },
		"no proposer":  func(p *Proposal) { p.by.ID = "" },
		"kind":         func(p *Proposal) { p.by.Kind = 9 },
		"without name": func(p *Proposal) { p.Draft = document.Draft{Body: []byte("x")} },
	} {
		p := decided()
		change(&p)
		if _, err := decode(7, p.encode(), start); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := decided().encode()
	if p, err := decode(7, good, start); err != nil || !bytes.Equal(p.encode(), good) {
		t.Errorf("%+v, %v", p, err)
	}
	for n := range good {
		if _, err := decode(7, good[:n], start); !errors.Is(err, codec.ErrCorrupt) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

// Whatever bytes are stored, decode refuses them by name or gives a proposal
// that is stored again as it was read.
func FuzzDecode(f *testing.F) {
	f.Add(decided().encode())
	p := newProposal(scout, Submission{Op: Forget, Draft: document.Draft{URI: full().URI}}, nil, 1, 2, start, time.Hour)
	f.Add(p.encode())
	f.Add([]byte{0xa0})
	f.Add([]byte{0xa1, 0x00, 0x01})
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := decode(7, data, start)
		if err != nil {
			if !errors.Is(err, codec.ErrCorrupt) {
				t.Fatalf("%v", err)
			}
			return
		}
		_, _ = p.View(), p.digest()
		if p.State == Expired {
			p.State = Pending
		}
		once := p.encode()
		q, err := decode(7, once, start)
		if err != nil {
			t.Fatalf("what was read is refused: %v", err)
		}
		if q.State == Expired {
			q.State = Pending
		}
		if !bytes.Equal(q.encode(), once) {
			t.Fatal("reading and writing changes it")
		}
	})
}
