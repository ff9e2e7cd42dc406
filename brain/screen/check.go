package screen

// MaxFindings is how many findings one call returns at most; the text is as
// suspicious with fewer.
const MaxFindings = 256

// Finding is one run of characters that a reader cannot see.
type Finding struct {
	Rule       string // "tags", "variation-selectors", "bidi" or "zero-width"
	Start, End int    // byte offsets into the text: text[Start:End]
	Reason     string // what it is, in lower case, without any of the text
}

// Check returns the runs in text that no writing accounts for, from left to
// right and without overlap; nil for clean text. A run is found when it holds a
// character that has no innocent use (tags outside a flag, direction overrides,
// embeddings and isolates that are left open or turn text that has no
// right-to-left letter), when it splits a word, or when it counts three
// or more with at most two visible characters between one and the next.
//
// Text need not be valid UTF-8: a byte that is not counts as visible. The time
// is linear in len(text); text that is ASCII costs one look per byte.
func Check(text []byte) []Finding {
	s := scanner{text: text}
	var found []Finding
	var cur run
	flush := func() {
		if f, ok := cur.finding(); ok && len(found) < MaxFindings {
			found = append(found, f)
		}
		cur = run{}
	}
	for s.next() {
		if s.class == visible {
			continue
		}
		d := s.judge()
		if d == clean {
			continue
		}
		if cur.count > 0 && s.seen-cur.lastSeen > maxGap {
			flush()
		}
		cur.add(&s, d)
	}
	flush()
	return found
}
