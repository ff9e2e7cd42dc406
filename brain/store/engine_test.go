package store_test

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/store/storetest"
)

func TestEngines(t *testing.T) {
	t.Run("Memory", func(t *testing.T) {
		var m store.Memory
		storetest.Engine(t, func(_ *testing.T, create bool) (store.Engine, error) {
			return m.Open()("", store.EngineOptions{Create: create})
		})
	})
	t.Run("Pebble", func(t *testing.T) {
		fs := vfs.NewMem()
		storetest.Engine(t, func(t *testing.T, create bool) (store.Engine, error) {
			if create {
				if err := fs.RemoveAll("db"); err != nil {
					t.Fatal(err)
				}
			}
			return store.OpenPebble("db", pebbleOptions(t, fs, create))
		})
	})
}

func pebbleOptions(t *testing.T, fs vfs.FS, create bool) store.EngineOptions {
	return store.EngineOptions{
		FS: fs, CacheBytes: 1 << 20, MemTableBytes: 1 << 20, Create: create,
		Fail: func(err error) { t.Errorf("failed: %v", err) }, Log: func(text string) { t.Log(text) },
	}
}

func TestMissingEngineIsCorrupt(t *testing.T) {
	if _, err := new(store.Memory).Open()("", store.EngineOptions{}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("memory: %v", err)
	}
	if _, err := store.OpenPebble("none", pebbleOptions(t, vfs.NewMem(), false)); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("pebble: %v", err)
	}
}
