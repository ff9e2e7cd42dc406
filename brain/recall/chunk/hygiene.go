package chunk

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// traceTags are the elements that hold a model's reasoning.
var traceTags = [...]string{"think", "thinking", "reasoning", "reflection", "analysis"}

// maxTag is the longest tag that is recognised, attributes included, in bytes.
const maxTag = 256

const (
	maxTags      = 1 << 18 // tags of one document; more are text
	maxCodeSpans = 1 << 20 // bytes of the longest paragraph in which code spans are told from text
)

// tag is one opening or closing tag of a trace.
type tag struct {
	span
	name  int // index in traceTags
	close bool
	first bool // it starts its line, white space and quote marks aside
	leaf  int  // where the block without child blocks that it lies in ends
}

// scanTags returns the trace tags in src, in order.
func scanTags(src []byte) []tag {
	var out []tag
	for pos := 0; ; {
		i := bytes.IndexByte(src[pos:], '<')
		if i < 0 || len(out) == maxTags {
			return out
		}
		pos += i
		if t, ok := parseTag(src, pos); ok {
			out = append(out, t)
			pos = t.end
		} else {
			pos++
		}
	}
}

func parseTag(src []byte, pos int) (tag, bool) {
	t := tag{span: span{start: pos}}
	i := pos + 1
	if i < len(src) && src[i] == '/' {
		t.close = true
		i++
	}
	word := i
	for i < len(src) && i-word < 16 && (src[i]|0x20 >= 'a' && src[i]|0x20 <= 'z') {
		i++
	}
	t.name = slices.IndexFunc(traceTags[:], func(n string) bool { return strings.EqualFold(n, string(src[word:i])) })
	if t.name < 0 || i == len(src) || src[i] != '>' && !isSpace(src[i]) {
		return tag{}, false
	}
	end := bytes.IndexAny(src[i:min(len(src), pos+maxTag)], "<>\n")
	if end < 0 || src[i+end] != '>' || src[i+end-1] == '/' {
		return tag{}, false
	}
	t.end = i + end + 1
	for i = pos; i > 0 && (src[i-1] == ' ' || src[i-1] == '\t' || src[i-1] == '>'); {
		i--
	}
	t.first = i == 0 || src[i-1] == '\n'
	return t, true
}

// strip sets the holes. Headings inside a trace become text: they head nothing
// that is indexed.
func (s *splitter) strip(markdown bool) {
	s.holes = joinSpans(s.traces(markdown))
	for i := range s.blocks {
		if b := &s.blocks[i]; b.kind == heading && !s.whole(span{b.start, b.start + 1}) {
			b.kind = text
		}
	}
	s.holes = joinSpans(append(s.holes, s.skipped()...))
}

// traces returns what is stripped as reasoning and warns of tags that are never
// closed.
func (s *splitter) traces(markdown bool) []span {
	tags := scanTags(s.src)
	if len(tags) == 0 {
		return nil
	}
	if len(tags) == maxTags {
		s.warn(TraceLimit, tags[maxTags-1].start, fmt.Sprintf("tags after the first %d are text", maxTags))
	}
	var open [len(traceTags)][]tag // a stack per name
	var out []span
	for _, t := range s.proseTags(tags, markdown) {
		stack := &open[t.name]
		if !t.close {
			*stack = append(*stack, t)
			continue
		}
		if n := len(*stack); n > 0 {
			o := (*stack)[n-1]
			*stack = (*stack)[:n-1]
			if o.first || o.leaf == t.leaf {
				out = append(out, span{o.start, t.end})
			}
		}
	}
	for _, stack := range open {
		for _, o := range stack {
			if o.first {
				out = append(out, span{o.start, o.leaf})
				s.warn(TraceUnclosed, o.start, "<"+traceTags[o.name]+"> is not closed")
			}
		}
	}
	return out
}

// proseTags sets the block of each tag and drops those in code blocks and code
// spans.
func (s *splitter) proseTags(tags []tag, markdown bool) []tag {
	kept, next := tags[:0], 0
	for _, b := range s.blocks {
		if next == len(tags) || tags[next].start >= b.end {
			continue
		}
		leaves(s.src, b, func(l block) {
			first := next
			for next < len(tags) && tags[next].start < l.end {
				tags[next].leaf = l.end
				next++
			}
			if first == next || l.kind == code {
				return
			}
			var spans []span
			if markdown && l.end-l.start <= maxCodeSpans {
				spans = codeSpans(s.src, l.start, l.end)
			}
			for _, t := range tags[first:next] {
				for len(spans) > 0 && spans[0].end <= t.start {
					spans = spans[1:]
				}
				if len(spans) == 0 || spans[0].start > t.start {
					kept = append(kept, t)
				}
			}
		})
	}
	return kept
}

// codeSpans returns the code spans in [start, end) (CommonMark 6.1): a run of
// backticks up to the next run of the same length.
func codeSpans(src []byte, start, end int) []span {
	var runs []span
	for pos := start; ; {
		i := bytes.IndexByte(src[pos:end], '`')
		if i < 0 {
			break
		}
		r := span{pos + i, pos + i}
		for r.end < end && src[r.end] == '`' {
			r.end++
		}
		runs, pos = append(runs, r), r.end
	}
	// next[i] is the next run as long as run i, found backwards in one pass.
	next, seen := make([]int, len(runs)), make(map[int]int)
	for i := len(runs) - 1; i >= 0; i-- {
		n := runs[i].end - runs[i].start
		next[i] = seen[n]
		seen[n] = i
	}
	var out []span
	for i := 0; i < len(runs); i++ {
		if j := next[i]; j > i {
			out = append(out, span{runs[i].start, runs[j].end})
			i = j
		}
	}
	return out
}

// skipped returns the blocks and lines that begin with a skip prefix, in order.
func (s *splitter) skipped() []span {
	if len(s.lim.prefixes) == 0 {
		return nil
	}
	var out []span
	for _, b := range s.blocks {
		leaves(s.src, b, func(l block) {
			if (b.kind != container || l.kind == code) && s.hasPrefix(l.start, l.end) {
				out = append(out, span{l.start, l.end})
				return
			}
			for pos := l.start; pos < l.end && l.kind != code; {
				end := lineEnd(s.src, pos, l.end)
				if s.hasPrefix(pos, end) {
					out = append(out, span{pos, end})
				}
				pos = end
			}
		})
	}
	return out
}

// hasPrefix reports whether [start, end) begins with a skip prefix after white
// space.
func (s *splitter) hasPrefix(start, end int) bool {
	b := s.src[start:end]
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for _, p := range s.lim.prefixes {
		if len(b) >= len(p) && string(b[:len(p)]) == p {
			return true
		}
	}
	return false
}

// joinSpans sorts spans and joins those that touch.
func joinSpans(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
		} else if !s.empty() {
			out = append(out, s)
		}
	}
	return out
}
