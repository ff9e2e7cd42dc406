package eval

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func sets() (*Dataset, *Dataset) {
	one := &Dataset{Name: "one",
		Documents: []Document{{ID: "1", Text: "x"}, {ID: "2", Text: "y", Scope: "s"}},
		Queries:   []Query{{ID: "1", Text: "?", Answerable: true, Scope: "s"}},
		Grades:    map[string]Grades{"1": {"2": 1}},
		Tally:     Tally{Judgements: 1},
	}
	two := &Dataset{Name: "two",
		Documents: []Document{{ID: "1", Text: "z"}},
		Queries:   []Query{{ID: "1", Text: "??", Answerable: true}},
		Grades:    map[string]Grades{"1": {"1": 2}},
		Tally:     Tally{Judgements: 2, Repeated: 1},
	}
	return one, two
}

func TestCombine(t *testing.T) {
	one, two := sets()
	docs := []Document{{ID: "one/1", Text: "x"}, {ID: "one/2", Text: "y", Scope: "one/s"}, {ID: "two/1", Text: "z"}}
	q1 := Query{ID: "one/1", Text: "?", Answerable: true, Scope: "one/s"}
	q2 := Query{ID: "two/1", Text: "??", Answerable: true}
	tests := []struct {
		asking Asking
		want   *Dataset
	}{
		{AskFirst, &Dataset{Name: "one+two", Documents: docs, Queries: []Query{q1},
			Grades: map[string]Grades{"one/1": {"one/2": 1}}, Tally: Tally{Judgements: 1}}},
		{AskAll, &Dataset{Name: "one+two", Documents: docs, Queries: []Query{q1, q2},
			Grades: map[string]Grades{"one/1": {"one/2": 1}, "two/1": {"two/1": 2}},
			Tally:  Tally{Judgements: 3, Repeated: 1}}},
	}
	for _, tt := range tests {
		got, err := Combine(tt.asking, one, two)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%+v, %v\nwant %+v", got, err, tt.want)
		}
	}
	a, b := sets()
	if !reflect.DeepEqual(a, one) || !reflect.DeepEqual(b, two) {
		t.Error("the sets were changed")
	}
	if alone, err := Combine(AskAll, one); err != nil || alone != one {
		t.Errorf("one alone: %v, %v", alone, err)
	}
}

func TestCombineRefusesNames(t *testing.T) {
	one, two := sets()
	for _, name := range []string{"", "one", "a/b"} {
		two.Name = name
		if _, err := Combine(AskFirst, one, two); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "dataset name") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := Combine(AskAll); !errors.Is(err, ErrOption) {
		t.Errorf("no datasets: %v", err)
	}
}
