package chunk

import "bytes"

// outlineBlocks returns the top-level blocks of Markdown by line rules alone:
// headings of both styles, fences, tables and paragraphs. Lists, quotes and HTML
// are paragraphs to it. Memory is that of the blocks; it serves bodies that are
// too large for the syntax tree.
func outlineBlocks(src []byte) []block {
	var out []block
	var fence []byte       // the open fence's run of ` or ~
	inText, prev := -1, -1 // index of the open paragraph or table; start of the line before
	for pos := 0; pos < len(src); {
		if len(out) == maxBlocks {
			out = append(out, block{start: pos})
			break
		}
		end := lineEnd(src, pos, len(src))
		line := src[pos:end]
		body, indented := unindent(line)
		switch {
		case fence != nil:
			if !indented && closesFence(body, fence) {
				fence = nil
			}
		case len(body) == 0:
			inText = -1
		case inText >= 0 && out[inText].kind == text && prev >= 0 && isTable(src[prev:pos], line):
			if prev > out[inText].start {
				out = append(out, block{start: prev})
				inText++
			}
			out[inText].kind = table
		case indented:
			if inText < 0 {
				out = append(out, block{start: pos})
				inText = len(out) - 1
			}
		case atxLevel(body) > 0:
			l := atxLevel(body)
			out = append(out, block{start: pos, kind: heading, level: l, label: label(atxText(body, l))})
			inText = -1
		case openFence(body) != nil:
			out = append(out, block{start: pos, kind: code})
			fence, inText = openFence(body), -1
		case inText >= 0 && out[inText].kind == text && underline(body) > 0:
			b := &out[inText]
			b.kind, b.level, b.label = heading, underline(body), label(src[b.start:pos])
			inText = -1
		case inText < 0:
			out = append(out, block{start: pos})
			inText = len(out) - 1
		}
		prev, pos = pos, end
	}
	return tile(out, 0, len(src))
}

// unindent returns the line without surrounding white space, and whether it is
// indented as code is, by four columns or a tab.
func unindent(line []byte) (body []byte, indented bool) {
	body = trim(line)
	if len(body) == 0 {
		return body, false
	}
	w := bytes.IndexByte(line, body[0])
	return body, w > 3 || bytes.IndexByte(line[:w], '\t') >= 0
}

// atxLevel returns the level of an ATX heading line, 0 when it is none.
func atxLevel(line []byte) int {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n > 6 || n < len(line) && !isSpace(line[n]) {
		return 0
	}
	return n
}

func atxText(line []byte, level int) []byte {
	s := trim(line[level:])
	t := bytes.TrimRight(s, "#")
	if len(t) == 0 || isSpace(t[len(t)-1]) {
		return trim(t)
	}
	return s
}

// underline returns the level that a setext underline gives the paragraph above.
func underline(line []byte) int {
	switch {
	case len(bytes.Trim(line, "=")) == 0:
		return 1
	case len(bytes.Trim(line, "-")) == 0:
		return 2
	}
	return 0
}

// openFence returns the run that opens a code fence, nil when the line does not.
func openFence(line []byte) []byte {
	c := line[0]
	if c != '`' && c != '~' {
		return nil
	}
	n := 0
	for n < len(line) && line[n] == c {
		n++
	}
	if n < 3 || c == '`' && bytes.IndexByte(line[n:], '`') >= 0 {
		return nil
	}
	return line[:n]
}

func closesFence(line, fence []byte) bool {
	return len(line) >= len(fence) && len(bytes.Trim(line, string(fence[:1]))) == 0
}

// onlyHeadings reports whether line rules find the same headings in src as the
// tree does: headings and fences only at the very start of a line, where they
// close every container, no line that might underline a heading, and no HTML,
// which can hold anything.
func onlyHeadings(src []byte) bool {
	if len(src) > maxTree || bytes.ContainsAny(src, "<\v\f\x00") {
		return false
	}
	for pos := 0; pos < len(src); {
		end := lineEnd(src, pos, len(src))
		line := trim(src[pos:end])
		if len(line) > 0 {
			if line[0] == '#' && src[pos] != '#' || underline(line) > 0 ||
				bytes.LastIndex(line, []byte("```")) > 0 || bytes.LastIndex(line, []byte("~~~")) > 0 ||
				(line[0] == '`' || line[0] == '~') && src[pos] != line[0] {
				return false
			}
		}
		pos = end
	}
	return true
}

// sectionsFit reports whether no section needs a cut inside, so that nothing but
// the headings matters.
func sectionsFit(bs []block, most int) bool {
	start := 0
	for _, b := range bs {
		if b.kind == heading && b.level <= 2 {
			start = b.start
		}
		if b.end-start > most {
			return false
		}
	}
	return true
}
