package audit

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
)

// header is the first line of a leaf up to its version number.
const header = "brain-audit-row/v"

// Leaf returns the canonical text of r, which is what is hashed, chained and
// stored. It fails with [ErrRow] on a row outside the limits, so what it returns
// is always readable by [ParseLeaf]. The slice is the caller's.
func (r Row) Leaf() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	return r.appendLeaf(make([]byte, 0, 512)), nil
}

// appendLeaf appends the leaf of a row that has been checked.
func (r *Row) appendLeaf(b []byte) []byte {
	b = append(b, header...)
	b = strconv.AppendUint(b, uint64(r.Version), 10)
	b = append(b, "\nstore "...)
	b = hex.AppendEncode(b, r.Store[:])
	b = append(b, "\nepoch "...)
	b = strconv.AppendUint(b, r.Epoch, 10)
	b = append(b, "\nseq "...)
	b = strconv.AppendUint(b, r.Seq, 10)
	b = append(b, "\ntime "...)
	b = strconv.AppendInt(b, r.Time, 10)
	b = append(b, "\nclass "...)
	b = append(b, r.Class.String()...)
	b = append(b, "\nactor "...)
	b = appendEscaped(b, r.Actor)
	b = append(b, "\nop "...)
	b = appendEscaped(b, r.Op)
	b = append(b, "\npolicy "...)
	b = appendHash(b, r.Policy)
	b = append(b, "\nuri "...)
	b = appendHash(b, r.URI)
	b = append(b, "\nbody "...)
	b = appendHash(b, r.Body)
	b = append(b, "\nprev "...)
	b = appendHash(b, r.Prev)
	return append(b, '\n')
}

func appendHash(b []byte, h Hash) []byte {
	if h == (Hash{}) {
		return append(b, '-')
	}
	return base64.StdEncoding.AppendEncode(b, h[:])
}

// ParseLeaf returns the row whose leaf is text, the exact inverse of [Row.Leaf].
// Any other text is [ErrRow], or [ErrVersion] when its first line names a version
// that this package does not know. Nothing of text is retained.
func ParseLeaf(text []byte) (Row, error) {
	r, _, err := parseLeaf(text, nil)
	return r, err
}

// parseLeaf is ParseLeaf with a buffer for the canonical text, which it returns
// for the next call.
func parseLeaf(text, buf []byte) (Row, []byte, error) {
	if len(text) > MaxLeaf {
		return Row{}, buf, fmt.Errorf("%w: leaf has %d bytes, the limit is %d", ErrRow, len(text), MaxLeaf)
	}
	p := parser{rest: text}
	var r Row
	r.Version = p.version()
	p.store("store", &r.Store)
	r.Epoch = p.number("epoch")
	r.Seq = p.number("seq")
	r.Time = int64(p.number("time"))
	r.Class = p.class("class")
	r.Actor = p.text("actor")
	r.Op = p.text("op")
	p.hash("policy", &r.Policy)
	p.hash("uri", &r.URI)
	p.hash("body", &r.Body)
	p.hash("prev", &r.Prev)
	if p.err == nil && len(p.rest) > 0 {
		p.fail("%d bytes after the last line", len(p.rest))
	}
	if p.err == nil {
		p.err = r.check()
	}
	if p.err != nil {
		return Row{}, buf, p.err
	}
	// The field parsers take some spellings that are never written (leading
	// zeros, needless escapes, loose base64). Writing the row back is the one
	// rule that closes them all.
	buf = r.appendLeaf(buf[:0])
	if !bytes.Equal(buf, text) {
		return Row{}, buf, fmt.Errorf("%w: leaf is not in canonical form", ErrRow)
	}
	return r, buf, nil
}

// parser takes a leaf apart line by line and keeps its first error.
type parser struct {
	rest []byte
	err  error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%w: %s", ErrRow, fmt.Sprintf(format, args...))
	}
}

// line returns the value of the next line, which must be called name.
func (p *parser) line(name string) []byte {
	if p.err != nil {
		return nil
	}
	line, rest, ended := bytes.Cut(p.rest, []byte{'\n'})
	if !ended || len(line) < len(name)+2 || string(line[:len(name)]) != name || line[len(name)] != ' ' {
		p.fail("no line %q where it belongs", name)
		return nil
	}
	p.rest = rest
	return line[len(name)+1:]
}

func (p *parser) version() uint8 {
	line, rest, ended := bytes.Cut(p.rest, []byte{'\n'})
	digits, ok := bytes.CutPrefix(line, []byte(header))
	v, err := strconv.ParseUint(string(digits), 10, 32)
	switch {
	case !ended || !ok || err != nil:
		p.fail("it does not begin with %q and a version", header)
	case v != Version:
		p.err = fmt.Errorf("%w %d", ErrVersion, v)
	}
	p.rest = rest
	return Version
}

func (p *parser) store(name string, id *StoreID) {
	v := p.line(name)
	if p.err != nil {
		return
	}
	if len(v) != hex.EncodedLen(len(id)) {
		p.fail("%s has %d digits, not 32", name, len(v))
	} else if _, err := hex.Decode(id[:], v); err != nil {
		p.fail("%s is not hex", name)
	}
}

// number returns a decimal below 2^63.
func (p *parser) number(name string) uint64 {
	v := p.line(name)
	if p.err != nil {
		return 0
	}
	n, err := strconv.ParseUint(string(v), 10, 63)
	if err != nil {
		p.fail("%s is not a number in range", name)
	}
	return n
}

func (p *parser) class(name string) Class {
	v := p.line(name)
	if p.err != nil {
		return 0
	}
	c, ok := parseClass(v)
	if !ok {
		p.fail("%s is unknown", name)
	}
	return c
}

func (p *parser) text(name string) string {
	v := p.line(name)
	if p.err != nil {
		return ""
	}
	s, ok := unescape(v)
	if !ok {
		p.fail("%s has a bad escape", name)
	}
	return s
}

func (p *parser) hash(name string, h *Hash) {
	v := p.line(name)
	if p.err != nil || len(v) == 1 && v[0] == '-' {
		return
	}
	var raw [33]byte // DecodedLen of 44
	if len(v) != 44 {
		p.fail("%s has %d characters, not 44", name, len(v))
		return
	}
	n, err := base64.StdEncoding.Decode(raw[:], v)
	if err != nil || n != len(h) {
		p.fail("%s is not base64 of 32 bytes", name)
		return
	}
	copy(h[:], raw[:])
}
