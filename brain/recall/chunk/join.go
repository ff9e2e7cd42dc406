package chunk

// joinSmall joins pieces under the minimum with a neighbour where the cap
// allows it: the piece after, unless that opens a higher section than the small
// piece belongs to and the piece before has room. Entries join nothing.
func joinSmall(s *splitter, in []piece) []piece {
	out := in[:0]
	for _, q := range in {
		for len(out) > 0 && out[len(out)-1].chars < s.lim.min {
			t := out[len(out)-1]
			before := len(out) > 1 && s.joinable(out[len(out)-2], t)
			after := s.joinable(t, q)
			if before && (!after || q.level < t.level) {
				out = out[:len(out)-1]
				out[len(out)-1] = s.joined(out[len(out)-1], t)
				continue // the piece before may have been small as well
			}
			if after {
				q = s.joined(t, q)
				out = out[:len(out)-1]
			} else {
				break
			}
		}
		out = append(out, q)
	}
	if n := len(out); n > 1 && out[n-1].chars < s.lim.min && s.joinable(out[n-2], out[n-1]) {
		out[n-2] = s.joined(out[n-2], out[n-1])
		out = out[:n-1]
	}
	return out
}

func (s *splitter) joinable(a, b piece) bool {
	return a.entry == nil && b.entry == nil &&
		a.chars+b.chars <= s.lim.max && a.chars+b.chars+s.chars(a.end, b.start) <= s.lim.max
}

func (s *splitter) joined(a, b piece) piece {
	a.chars += b.chars + s.chars(a.end, b.start)
	a.end = b.end
	return a
}
