package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Stdin is the argument that means standard input.
const Stdin = "-"

// Plan is what will be read. It holds folders open until Close and is not safe
// for concurrent use.
type Plan struct {
	o        Options
	sources  []source
	problems []*Problem
	roots    []*os.Root
}

// source is one file, or standard input when root is nil.
type source struct {
	root  *os.Root
	rel   string // inside root, with slashes
	place string // for messages
	name  string // path of the URI
	size  int64
	lines bool
}

// NewPlan looks at the named files and folders without reading them. An
// argument that cannot be used is a problem that Read reports, not an error
// here; the error is of the options.
func NewPlan(args []string, o Options) (*Plan, error) {
	o.fill()
	if err := o.check(args); err != nil {
		return nil, err
	}
	p := &Plan{o: o}
	for _, arg := range args {
		p.add(arg)
	}
	return p, nil
}

// Size returns the bytes that will be read, without standard input.
func (p *Plan) Size() int64 {
	n := int64(0)
	for _, s := range p.sources {
		n += s.size
	}
	return n
}

// Close lets go of the folders.
func (p *Plan) Close() error {
	var errs []error
	for _, r := range p.roots {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

func (p *Plan) add(arg string) {
	if arg == Stdin {
		p.sources = append(p.sources, source{place: "standard input", lines: p.o.Lines})
		return
	}
	info, err := os.Lstat(arg)
	if err != nil {
		p.problems = append(p.problems, failed(arg, "%w", bare(err)))
		return
	}
	dir, rel := arg, "."
	switch {
	case info.IsDir():
	case info.Mode().IsRegular():
		dir, rel = filepath.Dir(arg), filepath.Base(arg)
	case info.Mode()&fs.ModeSymlink != 0:
		p.problems = append(p.problems, failed(arg, "is a symbolic link; name what it points to, or end a folder with /"))
		return
	default:
		p.problems = append(p.problems, failed(arg, "%s", special(info.Mode())))
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		p.problems = append(p.problems, failed(arg, "%w", bare(err)))
		return
	}
	p.roots = append(p.roots, root)
	prefix, err := p.o.below(dir)
	switch {
	case err != nil:
		p.problems = append(p.problems, failed(arg, "%w", err))
	case rel == ".":
		p.walk(root, arg, prefix)
	default:
		p.sources = append(p.sources, source{
			root: root, rel: rel, place: arg, name: path.Join(prefix, rel), size: info.Size(), lines: isLines(rel),
		})
	}
}

// walk takes the files of a folder, in the order of their names. One that holds
// nothing to take is named, since it is rarely what was meant.
func (p *Plan) walk(root *os.Root, arg, prefix string) {
	before := len(p.sources) + len(p.problems)
	defer func() {
		if len(p.sources)+len(p.problems) == before {
			p.problems = append(p.problems, skipped(arg, "holds no file that ends in "+strings.Join(p.o.Extensions, ", ")))
		}
	}()
	fs.WalkDir(root.FS(), ".", func(rel string, d fs.DirEntry, err error) error { //nolint:errcheck // the function returns no error but SkipDir
		place := filepath.Join(arg, filepath.FromSlash(rel))
		switch {
		case err != nil:
			p.problems = append(p.problems, failed(place, "%w", bare(err)))
		case rel != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir() || !slices.Contains(p.o.Extensions, strings.ToLower(path.Ext(rel))):
		case d.Type() != 0:
			p.problems = append(p.problems, skipped(place, special(d.Type())))
		default:
			size := int64(0)
			if info, err := d.Info(); err == nil {
				size = info.Size()
			}
			p.sources = append(p.sources, source{
				root: root, rel: rel, place: place, name: path.Join(prefix, rel), size: size, lines: isLines(rel),
			})
		}
		return nil
	})
}

// below returns the path from Options.Root to dir, with slashes; "" when they
// are the same or no root is set.
func (o *Options) below(dir string) (string, error) {
	if o.Root == "" {
		return "", nil
	}
	rel, err := relative(o.Root, dir)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", fmt.Errorf("is not below the root %s", o.Root)
	}
	if rel == "." {
		return "", nil
	}
	return rel, nil
}

func relative(root, dir string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, dir)
	return filepath.ToSlash(rel), err
}

func isLines(name string) bool { return strings.EqualFold(path.Ext(name), ".jsonl") }

// special says what a file is that is never opened.
func special(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "is a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "is a named pipe"
	case m&fs.ModeSocket != 0:
		return "is a socket"
	case m&fs.ModeDevice != 0:
		return "is a device"
	}
	return "is not a regular file"
}

// bare drops the path from an error of the file system; the place has it.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
