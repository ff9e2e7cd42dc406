package chunk

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Version changes whenever Split may cut, label or strip any body differently.
// It is part of [Options.ID]; derived state made by another version is rebuilt.
const Version = 1

// Defaults of [Options].
const (
	DefaultMinTokens = 100
	DefaultMaxTokens = 1000
	DefaultMaxChunks = 20_000
)

// charsPerToken is the estimate of all token figures here: English prose has
// close to four characters per WordPiece token.
const charsPerToken = 4

const (
	minMaxTokens   = 16  // below this a table header or a long word is all there is
	maxPrefixes    = 64  // skip prefixes
	maxPrefixBytes = 256 // bytes of one
)

// Options tune the cut. The zero value means the defaults. Split only reads it.
type Options struct {
	// MinTokens is the estimated size below which a piece joins a neighbour.
	// Default 100, or MaxTokens/10 when only MaxTokens is set.
	MinTokens int

	// MaxTokens is the estimated size that no chunk's text exceeds. Default 1,000.
	MaxTokens int

	// MaxChunks is the number of chunks above which Split refuses a document.
	// Default 20,000.
	MaxChunks int

	// SkipPrefixes name what is not indexed: a paragraph, heading, table, HTML
	// or code block that begins with one (after indentation) is left out whole,
	// any other line outside code that begins with one singly. Case counts.
	// Default none; at most 64 of 1 to 256 bytes.
	SkipPrefixes []string
}

// limits are checked options in characters.
type limits struct {
	min, max, chunks int
	prefixes         []string
}

func (o *Options) limits() (limits, error) {
	var opt Options
	if o != nil {
		opt = *o
	}
	if opt.MaxTokens == 0 {
		opt.MaxTokens = DefaultMaxTokens
	}
	if opt.MinTokens == 0 {
		opt.MinTokens = min(DefaultMinTokens, max(opt.MaxTokens/10, 1))
	}
	if opt.MaxChunks == 0 {
		opt.MaxChunks = DefaultMaxChunks
	}
	switch {
	case opt.MaxTokens < minMaxTokens:
		return limits{}, &invalid.Error{Field: "max_tokens", Reason: fmt.Sprintf("%d is under the least of %d", opt.MaxTokens, minMaxTokens), Limit: minMaxTokens}
	case opt.MaxTokens > MaxBody/charsPerToken:
		return limits{}, invalid.TooLarge("max_tokens", int64(opt.MaxTokens), MaxBody/charsPerToken)
	case opt.MinTokens < 0 || opt.MinTokens > opt.MaxTokens:
		return limits{}, &invalid.Error{Field: "min_tokens", Reason: fmt.Sprintf("%d is not between 0 and max_tokens, %d", opt.MinTokens, opt.MaxTokens), Limit: int64(opt.MaxTokens)}
	case opt.MaxChunks < 0:
		return limits{}, invalid.New("max_chunks", "%d is negative", opt.MaxChunks)
	case len(opt.SkipPrefixes) > maxPrefixes:
		return limits{}, invalid.TooLarge("skip_prefixes", int64(len(opt.SkipPrefixes)), maxPrefixes)
	}
	for _, p := range opt.SkipPrefixes {
		if p == "" || len(p) > maxPrefixBytes || strings.TrimLeft(p, asciiSpace) != p {
			return limits{}, &invalid.Error{Field: "skip_prefixes", Reason: fmt.Sprintf("%.40q is empty, begins with white space or is over %d bytes", p, maxPrefixBytes), Limit: maxPrefixBytes}
		}
	}
	return limits{
		min:      opt.MinTokens * charsPerToken,
		max:      opt.MaxTokens * charsPerToken,
		chunks:   opt.MaxChunks,
		prefixes: opt.SkipPrefixes,
	}, nil
}

// ID names the chunker, its version and everything in the options that shapes
// its output, for the stamp of derived state: two equal IDs cut equally. nil
// options are the defaults. Options that Split refuses have an ID too.
func (o *Options) ID() string {
	l, err := o.limits()
	if err != nil {
		return fmt.Sprintf("chunk/%d invalid", Version)
	}
	id := fmt.Sprintf("chunk/%d %d-%d", Version, l.min/charsPerToken, l.max/charsPerToken)
	if len(l.prefixes) > 0 {
		sum := sha256.Sum256([]byte(fmt.Sprintf("%q", l.prefixes)))
		id += " skip:" + hex.EncodeToString(sum[:8])
	}
	return id
}
