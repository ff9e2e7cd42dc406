package wordpiece

import (
	"bytes"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// MaxFile is the size in bytes up to which a vocabulary file is read.
const MaxFile = 64 << 20

// file is what a tokenizer.json says beside its vocabulary. Truncation, padding
// and the post-processor are not read: Encode does none of them.
type file struct {
	Added []struct {
		ID         int64  `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		Normalized bool   `json:"normalized"`
	} `json:"added_tokens"`
	Normalizer struct {
		Type         string `json:"type"`
		CleanText    *bool  `json:"clean_text"`
		ChineseChars *bool  `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lowercase    *bool  `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type     string  `json:"type"`
		Unknown  string  `json:"unk_token"`
		Prefix   *string `json:"continuing_subword_prefix"`
		MaxChars *int    `json:"max_input_chars_per_word"`
	} `json:"model"`
}

// Parse reads a Hugging Face tokenizer.json. Damaged files, and files whose
// tokenizer this package does not implement, are *invalid.Error. data is not
// kept. The cost is a few milliseconds for 35,000 tokens.
func Parse(data []byte) (*Tokenizer, error) {
	if len(data) > MaxFile {
		return nil, invalid.TooLarge("tokenizer.json", int64(len(data)), MaxFile)
	}
	s := scanner{data: data}
	lo, hi, err := s.findVocab()
	if err != nil {
		return nil, err
	}
	var f file
	if err := s.rest(lo, hi, &f); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	t := &Tokenizer{chars: chars(), maxChars: 100}
	if f.Model.MaxChars != nil {
		t.maxChars = *f.Model.MaxChars
	}
	t.vocab = vocab{prefix: "##", blob: make([]byte, 0, (hi-lo)*3/4)}
	if f.Model.Prefix != nil {
		t.vocab.prefix = *f.Model.Prefix
	}
	s.i = lo
	err = s.object(func(key []byte) error {
		token := key
		id, err := s.integer() // reads no string, so key stays valid
		if err != nil {
			return err
		}
		return t.vocab.add(token, id)
	})
	if err != nil {
		return nil, err
	}
	return t.finish(&f)
}

// findVocab returns where the object model.vocab lies in the data.
func (s *scanner) findVocab() (lo, hi int, err error) {
	err = s.object(func(key []byte) error {
		if string(key) != "model" || s.peek() != '{' {
			return s.skip()
		}
		return s.object(func(key []byte) error {
			isVocab := string(key) == "vocab"
			if isVocab && s.peek() != '{' {
				return invalid.New("tokenizer.json", "the vocabulary is not that of a WordPiece model")
			}
			if isVocab && hi > 0 {
				return invalid.New("tokenizer.json", "has two vocabularies")
			}
			start := s.i
			if err := s.skip(); err != nil {
				return err
			}
			if isVocab {
				lo, hi = start, s.i
			}
			return nil
		})
	})
	if err == nil && hi == 0 {
		err = invalid.New("tokenizer.json", "has no model.vocab")
	}
	return lo, hi, err
}

func (f *file) check() error {
	bad := func(format string, args ...any) error { return invalid.New("tokenizer.json", format, args...) }
	isFalse := func(b *bool) bool { return b != nil && !*b }
	switch n, m := &f.Normalizer, &f.Model; {
	case m.Type != "WordPiece":
		return bad("model type %.40q is not WordPiece", m.Type)
	case n.Type != "BertNormalizer":
		return bad("normalizer %.40q is not BertNormalizer", n.Type)
	case isFalse(n.CleanText) || isFalse(n.ChineseChars) || isFalse(n.StripAccents) || isFalse(n.Lowercase):
		return bad("the normalizer is not the uncased one with all of its steps")
	case f.PreTokenizer.Type != "BertPreTokenizer":
		return bad("pre-tokenizer %.40q is not BertPreTokenizer", f.PreTokenizer.Type)
	case m.MaxChars != nil && (*m.MaxChars < 1 || *m.MaxChars > maxWordChars):
		return &invalid.Error{Field: "tokenizer.json",
			Reason: "max_input_chars_per_word must be 1 to 255", Limit: maxWordChars}
	case m.Prefix != nil && len(*m.Prefix) > maxTokenBytes:
		return bad("the prefix of pieces inside a word is too long")
	}
	return nil
}

// ParseVocab reads a vocab.txt: one token per line, the line number from 0 is
// the id, with the settings of uncased BERT. data is not kept.
func ParseVocab(data []byte) (*Tokenizer, error) {
	if len(data) > MaxFile {
		return nil, invalid.TooLarge("vocab.txt", int64(len(data)), MaxFile)
	}
	t := &Tokenizer{chars: chars(), maxChars: 100}
	t.vocab = vocab{prefix: "##", blob: make([]byte, 0, len(data)+len(data)/8)}
	id := int64(0)
	for line := range bytes.Lines(data) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if err := t.vocab.add(line, id); err != nil {
			return nil, err
		}
		id++
	}
	return t.finish(&file{})
}

func (t *Tokenizer) finish(f *file) (*Tokenizer, error) {
	t.vocab.index()
	unknown := f.Model.Unknown
	if unknown == "" {
		unknown = "[UNK]"
	}
	t.unk = t.vocab.find(hashOf(hashWord, []byte(unknown)), []byte(unknown), false)
	if t.unk < 0 {
		return nil, invalid.New("vocab", "has no unknown token %.40q", unknown)
	}
	for _, a := range f.Added {
		switch {
		case a.Content == "" || t.Token(int32(min(max(a.ID, -1), maxTokens))) != a.Content:
			return nil, invalid.New("added_tokens", "%.40q is not the vocabulary's token %d", a.Content, a.ID)
		case a.SingleWord || a.Normalized:
			return nil, invalid.New("added_tokens", "%.40q asks for single_word or normalized", a.Content)
		}
		t.added = append(t.added, added{a.Content, int32(a.ID)})
	}
	if len(t.added) > maxAdded {
		return nil, invalid.TooLarge("added_tokens", int64(len(t.added)), maxAdded)
	}
	return t, nil
}

// maxAdded bounds the searches per text.
const maxAdded = 64
