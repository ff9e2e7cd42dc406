package store

import (
	"crypto/rand"
	"io"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Defaults and bounds of Options.
const (
	DefaultCacheBytes    = 8 << 20
	DefaultMemTableBytes = 4 << 20
	DefaultMinFreeBytes  = 256 << 20
	DefaultBallastBytes  = 64 << 20
	DefaultCloseGrace    = 2 * time.Second

	minMemTableBytes = 64 << 10
	maxMemTableBytes = 1 << 30
)

// Options of a store. The zero value and nil mean the defaults. Open copies it.
type Options struct {
	// ReadOnly opens without changing primary or derived data. It is the only
	// way to open a store whose HEAD is damaged, missing or ahead of the log;
	// DB.Damage then says which. Default false.
	ReadOnly bool

	// HeadSync makes HEAD durable with every group commit, at the price of a
	// second sync. Default false: at least every second, every 1,000 rows and at
	// Close.
	HeadSync bool

	// CacheBytes bounds the block caches of both engines together. Default
	// 8 MiB.
	CacheBytes int64

	// MemTableBytes is the size of one memtable of an engine; each may hold
	// three. Default 4 MiB.
	MemTableBytes int64

	// MinFreeBytes is the free space below which writes get ErrFull; at least
	// twice MemTableBytes. Negative means no floor. Default 256 MiB.
	MinFreeBytes int64

	// BallastBytes is the size of a file that only takes space, to be given up
	// when the disk is full. Negative means none. Default 64 MiB.
	BallastBytes int64

	// DropBallast removes the ballast file at Open and makes no new one.
	DropBallast bool

	// DropDerived empties the derived engine at Open. What derives from primary
	// data is then rebuilt by those who made it.
	DropDerived bool

	// CloseGrace is how long Close waits for an engine that has failed before it
	// abandons it. Default 2 s.
	CloseGrace time.Duration

	// Hooks are told of every commit, in this order.
	Hooks []Hook

	// Now is the wall clock. Default time.Now.
	Now func() time.Time

	// Random is the source of the store id and of salts. Default
	// crypto/rand.Reader.
	Random io.Reader

	// Log gets what the store has to say, never content. Default: discarded.
	Log *slog.Logger

	// FS is the file system that every file of the store goes through. Default:
	// that of the operating system. The others are for tests.
	FS vfs.FS

	// Primary and Derived open the two engines. Default OpenPebble.
	Primary, Derived OpenEngine

	// network names the network file system that holds dir, "" for none.
	network func(dir string) (string, error)
}

// fill returns a copy of o with the defaults in place, or what is wrong with it.
func (o *Options) fill() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	c.Hooks = append([]Hook(nil), c.Hooks...)
	setDefault(&c.CacheBytes, DefaultCacheBytes)
	setDefault(&c.MemTableBytes, DefaultMemTableBytes)
	setDefault(&c.MinFreeBytes, DefaultMinFreeBytes)
	setDefault(&c.BallastBytes, DefaultBallastBytes)
	if c.CloseGrace == 0 {
		c.CloseGrace = DefaultCloseGrace
	}
	switch {
	case c.CloseGrace < 0:
		return c, invalid.New("CloseGrace", "%s is negative", c.CloseGrace)
	case c.CacheBytes < 0:
		return c, invalid.New("CacheBytes", "%d is negative", c.CacheBytes)
	case c.MemTableBytes < minMemTableBytes:
		return c, invalid.New("MemTableBytes", "%d is below %d", c.MemTableBytes, minMemTableBytes)
	case c.MemTableBytes > maxMemTableBytes:
		return c, invalid.TooLarge("MemTableBytes", c.MemTableBytes, maxMemTableBytes)
	}
	if c.MinFreeBytes > 0 {
		c.MinFreeBytes = max(c.MinFreeBytes, 2*c.MemTableBytes)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = rand.Reader
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.network == nil {
		c.network = func(string) (string, error) { return "", nil }
		if c.FS == nil || vfs.Root(c.FS) == vfs.Default {
			c.network = networkFS
		}
	}
	if c.FS == nil {
		c.FS = vfs.Default
	}
	if c.Primary == nil {
		c.Primary = OpenPebble
	}
	if c.Derived == nil {
		c.Derived = OpenPebble
	}
	return c, nil
}

func setDefault(v *int64, d int64) {
	if *v == 0 {
		*v = d
	}
}
