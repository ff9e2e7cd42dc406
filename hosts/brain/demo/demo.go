// Package demo is the folder of notes that brain demo shows and brain eval
// measures by default, compiled in, with judged questions about them.
package demo

import (
	"embed"
	iofs "io/fs"
)

//go:embed notes gold
var files embed.FS

// Notes returns the Markdown notes of a made-up co-operative. Read-only, safe
// for concurrent use.
func Notes() iofs.FS { return sub("notes") }

// Gold returns queries.jsonl and qrels.tsv about Notes.
func Gold() iofs.FS { return sub("gold") }

func sub(dir string) iofs.FS {
	fsys, err := iofs.Sub(files, dir)
	if err != nil {
		panic("demo: " + err.Error()) // a constant path that is always valid
	}
	return fsys
}
