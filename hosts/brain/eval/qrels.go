package eval

import (
	iofs "io/fs"
	"strconv"
	"strings"
)

// loadQrels reads the judgements; queries holds the known query ids.
func (d *Dataset) loadQrels(fsys iofs.FS, queries map[string]int) error {
	docs := make(map[string]bool, len(d.Documents))
	for i := range d.Documents {
		docs[d.Documents[i].ID] = true
	}
	d.Grades = map[string]Grades{}
	return eachLine(fsys, qrelsFile, func(at place, line []byte) error {
		j, err := parseJudgement(at, string(line))
		if err != nil {
			return err
		}
		if d.Tally.Judgements++; d.Tally.Judgements > MaxJudgements {
			return at.tooLarge("judgements", int64(d.Tally.Judgements), MaxJudgements)
		}
		if _, ok := queries[j.query]; !ok {
			d.Tally.UnknownQueries++
			return nil
		}
		g := d.Grades[j.query]
		if g == nil {
			g = Grades{}
			d.Grades[j.query] = g
		}
		if old, ok := g[j.doc]; ok {
			if old != j.grade {
				return at.bad("grade", "%d contradicts an earlier %d for the same query and document", j.grade, old)
			}
			d.Tally.Repeated++
			return nil
		}
		if !docs[j.doc] {
			d.Tally.UnknownDocuments++
		}
		g[j.doc] = j.grade
		return nil
	})
}

type judgement struct {
	query, doc string
	grade      int
}

// parseJudgement reads "query TAB document TAB grade".
func parseJudgement(at place, line string) (judgement, error) {
	col := strings.Split(line, "\t")
	if len(col) != 3 {
		return judgement{}, at.bad("", "has %d columns, not 3 separated by tabs", len(col))
	}
	if err := checkID(at, "query", col[0]); err != nil {
		return judgement{}, err
	}
	if err := checkID(at, "document", col[1]); err != nil {
		return judgement{}, err
	}
	grade, err := strconv.Atoi(col[2])
	if err != nil {
		return judgement{}, at.bad("grade", "is not a whole number")
	}
	if grade > MaxGrade || grade < -MaxGrade {
		return judgement{}, at.tooLarge("grade", int64(grade), MaxGrade)
	}
	return judgement{col[0], col[1], grade}, nil
}
