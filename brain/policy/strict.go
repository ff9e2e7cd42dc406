package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// checkJSON refuses what encoding/json takes in silence: repeated keys, keys in
// another case, null, invalid UTF-8 and lone surrogates (both become U+FFFD),
// and bytes after the value.
func checkJSON(text []byte) error {
	if !utf8.Valid(text) {
		return invalid.New("policy", "not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := checkValue(dec, 0); err != nil {
		var bad *invalid.Error
		if errors.As(err, &bad) {
			return err
		}
		return invalid.New("policy", "not JSON: %v", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return invalid.New("policy", "bytes after the document")
	}
	return nil
}

// maxJSONDepth is more than the shape of a Document needs.
const maxJSONDepth = 8

func checkValue(dec *json.Decoder, depth int) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	switch v := tok.(type) {
	case nil:
		return invalid.New("policy", "null at byte %d", dec.InputOffset())
	case string:
		if strings.ContainsRune(v, utf8.RuneError) {
			return invalid.New("policy", "U+FFFD or half a character at byte %d", dec.InputOffset())
		}
	case json.Delim:
		if depth == maxJSONDepth {
			return invalid.TooLarge("policy", int64(depth)+1, maxJSONDepth)
		}
		seen := map[string]bool{}
		for dec.More() {
			if v == '{' {
				if err := checkKey(dec, seen); err != nil {
					return err
				}
			}
			if err := checkValue(dec, depth+1); err != nil {
				return err
			}
		}
		_, err = dec.Token() // the closing delimiter
		return err
	}
	return nil
}

func checkKey(dec *json.Decoder, seen map[string]bool) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	key, _ := tok.(string)
	if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") != "" {
		return invalid.New("policy", "unknown key at byte %d", dec.InputOffset())
	}
	if seen[key] {
		return invalid.New("policy", "key %q twice at byte %d", key, dec.InputOffset())
	}
	seen[key] = true
	return nil
}
