package main

import (
	"context"
	"encoding/gob"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/seed70401ef0/brain-go/benchmarks/usage"
	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
)

// built is a graph and what it cost.
type built struct {
	view      hnsw.View
	wall, cpu float64 // seconds; 0 when it was loaded
	size      int     // bytes of its blobs
}

// graph builds the graph over all vectors that fill whole batches, or loads it
// from c.index.
func graph(c config, vecs hnsw.Vectors) (built, error) {
	o := hnsw.Options{M: c.m, EfConstruction: c.efc, Workers: c.workers, Lag: -1, MinLen: -1}
	var g *hnsw.Graph
	var b built
	blobs, err := readIndex(c.index)
	switch {
	case err == nil:
		g, err = hnsw.Load(o, vecs, func(n hnsw.Name) ([]byte, error) { return blobs[n], nil })
		if err != nil {
			return b, err
		}
	case errors.Is(err, fs.ErrNotExist):
		if g, err = hnsw.New(o); err != nil {
			return b, err
		}
		start, cpu := time.Now(), usage.CPUSeconds()
		id := func(ord uint32) uint64 { return uint64(ord) }
		if err := g.Grow(context.Background(), vecs, g.Options().End(vecs.Len()), id); err != nil {
			return b, err
		}
		b.wall, b.cpu = time.Since(start).Seconds(), usage.CPUSeconds()-cpu
	default:
		return b, err
	}
	b.view = g.View()
	blobs = map[hnsw.Name][]byte{}
	for p := range b.view.Pages() {
		b.size += len(p.Data)
		if c.index != "" {
			blobs[p.Name] = p.Data
		}
	}
	if c.index == "" || b.wall == 0 {
		return b, nil
	}
	f, err := os.Create(c.index)
	if err != nil {
		return b, err
	}
	return b, errors.Join(gob.NewEncoder(f).Encode(blobs), f.Close())
}

func readIndex(path string) (map[hnsw.Name][]byte, error) {
	if path == "" {
		return nil, fs.ErrNotExist
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var blobs map[hnsw.Name][]byte
	return blobs, gob.NewDecoder(f).Decode(&blobs)
}
