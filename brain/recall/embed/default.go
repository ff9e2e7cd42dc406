package embed

import (
	_ "embed" // the compiled-in model
	"sync"
	"unsafe"
)

// The files of the compiled-in model, a genuine model2vec directory. As strings
// they stay where the executable was mapped: the table costs no heap, and only
// the pages of rows in use become resident.
var (
	//go:embed model/model.safetensors
	modelWeights string
	//go:embed model/tokenizer.json
	modelTokenizer string
	//go:embed model/config.json
	modelConfig string
)

// modelDigest is files.digest of the three, kept so that a start does not hash
// nine megabytes. A test compares.
const modelDigest = "65c3192f70e71556e43a0dfee4d56582ae00bf4a66955b5f4de5824a2530039b"

var loadDefault = sync.OnceValue(func() *Static {
	s, err := newStatic("static-en-256", modelDigest, files{
		weights: bytesOf(modelWeights), tokenizer: bytesOf(modelTokenizer), config: bytesOf(modelConfig),
	})
	if err != nil {
		panic(err) // the model is part of the program
	}
	return s
})

// Default returns the compiled-in English model: 256 dimensions, 35,525 tokens,
// int8 with a weight per token. The first call takes about ten milliseconds,
// and all calls return the same value.
func Default() *Static { return loadDefault() }

// bytesOf views a string as bytes that nothing may write.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
