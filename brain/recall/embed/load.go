package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"math"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/recall/embed/safetensors"
	"github.com/seed70401ef0/brain-go/brain/recall/embed/wordpiece"
)

// MaxModel is the size in bytes up to which a file of weights is read.
const MaxModel = 1 << 30

// maxConfig is the same for a config.json.
const maxConfig = 1 << 20

// defaultMaxLength is model2vec's limit in tokens for a config that has none.
const defaultMaxLength = 512

// LoadStatic reads a model2vec directory: model.safetensors, tokenizer.json (or
// vocab.txt), config.json, or the layout of sentence-transformers (the tensor
// embedding.weight, files below 0_StaticEmbedding, and
// config_sentence_transformers.json). Embeddings may be F16, F32, F64 or I8; a
// tensor "weights" scales each token's row and "mapping" gives the row of each
// token. Only WordPiece tokenizers are read.
//
// Of the config, normalize counts (true when missing), and max_length: missing
// is 512 tokens with model2vec's cut of 512 times the median token length in
// characters before it, null is no limit.
//
// Whatever does not fit together is an *invalid.Error that names the file or
// tensor; a missing file is an iofs.ErrNotExist. The weights stay in memory as
// they are in the file.
func LoadStatic(fsys iofs.FS) (*Static, error) {
	f, err := readFiles(fsys)
	if err != nil {
		return nil, err
	}
	return newStatic("model2vec", f.digest(), f)
}

// files are the contents of the files that make a model. config may be nil.
type files struct {
	weights, tokenizer, config []byte
	vocabText                  bool // tokenizer is a vocab.txt
}

func readFiles(fsys iofs.FS) (f files, err error) {
	dir := "."
	f.weights, err = readFile(fsys, "model.safetensors", MaxModel)
	if errors.Is(err, iofs.ErrNotExist) {
		dir = "0_StaticEmbedding"
		f.weights, err = readFile(fsys, path.Join(dir, "model.safetensors"), MaxModel)
	}
	if err != nil {
		return f, err
	}
	f.tokenizer, err = readFile(fsys, path.Join(dir, "tokenizer.json"), wordpiece.MaxFile)
	if errors.Is(err, iofs.ErrNotExist) {
		f.vocabText = true
		f.tokenizer, err = readFile(fsys, path.Join(dir, "vocab.txt"), wordpiece.MaxFile)
	}
	if err != nil {
		return f, err
	}
	for _, name := range []string{"config.json", "config_sentence_transformers.json"} {
		f.config, err = readFile(fsys, name, maxConfig)
		if !errors.Is(err, iofs.ErrNotExist) {
			return f, err
		}
	}
	f.config = nil
	return f, nil
}

func readFile(fsys iofs.FS, name string, limit int64) ([]byte, error) {
	info, err := iofs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, invalid.TooLarge(name, info.Size(), limit)
	}
	return iofs.ReadFile(fsys, name)
}

// digest is the SHA-256 of the files, each behind its length.
func (f *files) digest() string {
	h := sha256.New()
	for _, data := range [][]byte{f.weights, f.tokenizer, f.config} {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func newStatic(name, digest string, f files) (*Static, error) {
	s := &Static{id: name + "@sha256:" + digest + "+" + wordpiece.UnicodeID}
	var err error
	if f.vocabText {
		s.tok, err = wordpiece.ParseVocab(f.tokenizer)
	} else {
		s.tok, err = wordpiece.Parse(f.tokenizer)
	}
	if err != nil {
		return nil, err
	}
	if err := s.configure(f.config); err != nil {
		return nil, err
	}
	tensors, err := safetensors.Parse(f.weights)
	if err != nil {
		return nil, err
	}
	if err := s.setRows(tensors); err != nil {
		return nil, err
	}
	if err := s.setMapping(tensors); err != nil {
		return nil, err
	}
	if err := s.setWeights(tensors); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Static) configure(config []byte) error {
	c := struct {
		Normalize *bool           `json:"normalize"`
		MaxLength json.RawMessage `json:"max_length"`
	}{}
	if config != nil {
		if err := json.Unmarshal(config, &c); err != nil {
			return &invalid.Error{Field: "config.json", Reason: err.Error(), Cause: err}
		}
	}
	s.normalize = c.Normalize == nil || *c.Normalize
	switch limit := 0; {
	case c.MaxLength == nil:
		s.maxTokens = defaultMaxLength
	case string(c.MaxLength) == "null":
	case json.Unmarshal(c.MaxLength, &limit) != nil || limit < 1 || limit > 1<<20:
		return &invalid.Error{Field: "config.json", Reason: "max_length must be 1 to 1048576 or null", Limit: 1 << 20}
	default:
		s.maxTokens = limit
	}
	if s.maxTokens > 0 {
		s.maxChars = s.maxTokens * s.medianTokenChars()
	}
	return nil
}

// medianTokenChars is the median length in characters, the mean of the middle
// two rounded down, of all tokens as the vocabulary spells them.
func (s *Static) medianTokenChars() int {
	var lengths []int
	for id := range s.tok.Size() {
		if token := s.tok.Token(int32(id)); token != "" {
			lengths = append(lengths, utf8.RuneCountInString(token))
		}
	}
	if len(lengths) == 0 {
		return 1
	}
	slices.Sort(lengths)
	return max(1, (lengths[(len(lengths)-1)/2]+lengths[len(lengths)/2])/2)
}

func (s *Static) setRows(f *safetensors.File) error {
	t, ok := f.Tensor("embeddings")
	if !ok {
		if t, ok = f.Tensor("embedding.weight"); !ok {
			return invalid.New("embeddings", "the file has neither this tensor nor embedding.weight")
		}
	}
	if len(t.Shape) != 2 || t.Shape[0] < 1 || t.Shape[1] < 1 || t.Shape[1] > maxDim {
		return &invalid.Error{Field: "embeddings", Reason: fmt.Sprintf("shape %v is not [rows, 1 to %d]", t.Shape, maxDim), Limit: maxDim}
	}
	if t.DType != safetensors.I8 && !t.DType.IsFloat() {
		return invalid.New("embeddings", "type %s is not F16, F32, F64 or I8", t.DType)
	}
	if t.DType.IsFloat() {
		for i := range t.Len() {
			if x := t.Float(i); !(math.Abs(x) <= math.MaxFloat32) {
				return invalid.New("embeddings", "row %d, component %d is %v", i/t.Shape[1], i%t.Shape[1], x)
			}
		}
	}
	s.rows, s.dim = t, t.Shape[1]
	return nil
}

// maxDim is the largest dimension of a table, that of package vek.
const maxDim = 1 << 16

func (s *Static) setMapping(f *safetensors.File) error {
	t, ok := f.Tensor("mapping")
	if !ok {
		if s.tok.Size() > s.rows.Shape[0] {
			return invalid.New("embeddings", "%d rows for %d tokens and no mapping", s.rows.Shape[0], s.tok.Size())
		}
		return nil
	}
	if len(t.Shape) != 1 || t.Len() < s.tok.Size() {
		return invalid.New("mapping", "shape %v for %d tokens", t.Shape, s.tok.Size())
	}
	s.mapping = make([]int32, t.Len())
	for i := range s.mapping {
		row, ok := t.Int(i)
		if !ok || row < 0 || row >= int64(s.rows.Shape[0]) {
			return invalid.New("mapping", "entry %d of type %s is not a row below %d", i, t.DType, s.rows.Shape[0])
		}
		s.mapping[i] = int32(row)
	}
	return nil
}

func (s *Static) setWeights(f *safetensors.File) error {
	t, ok := f.Tensor("weights")
	if ok && (len(t.Shape) != 1 || t.Len() < s.tok.Size() || !t.DType.IsFloat()) {
		return invalid.New("weights", "shape %v of type %s for %d tokens", t.Shape, t.DType, s.tok.Size())
	}
	exact := s.rows.DType == safetensors.I8
	if ok {
		s.units = make([]int32, t.Len())
		for i := range s.units {
			w := t.Float(i)
			if !(math.Abs(w) <= math.MaxFloat32) {
				return invalid.New("weights", "entry %d is %v", i, w)
			}
			units := w / Unit
			exact = exact && units == math.Trunc(units) && math.Abs(units) <= math.MaxInt32
			if exact {
				s.units[i] = int32(units)
			}
		}
	}
	if exact {
		s.flush = lanesHold(s.units)
	}
	if s.flush == 0 {
		s.units = nil
		for i := range t.Len() {
			s.weights = append(s.weights, t.Float(i))
		}
	}
	return nil
}
