package agentfiles

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"orgd/adapters/keyfile"
)

// Output is a directory for files that are written here, beside those of others.
type Output struct {
	Root *os.Root
	Home string // the folder in it
	// Department is the only one whose files are removed; "" is all.
	Department string
}

// FileChange is a file that is to be written or, without text, removed.
type FileChange struct {
	Path string
	Text []byte
	New  bool
}

// String is the change as a line.
func (c FileChange) String() string {
	switch {
	case c.Text == nil:
		return "- " + printable(c.Path)
	case c.New:
		return "+ " + printable(c.Path)
	}
	return "~ " + printable(c.Path)
}

// Compare returns what makes the directory have these files. The error names all files
// of others that are in the way.
func (o Output) Compare(files map[string][]byte) (todo []FileChange, err error) {
	var conflicts []error
	for file, text := range files {
		was, err := o.read(file)
		switch _, ours := MarkOf(was); {
		case errors.Is(err, fs.ErrNotExist):
			todo = append(todo, FileChange{file, text, true})
		case err != nil:
			conflicts = append(conflicts, fmt.Errorf("%s: is in the way: %w", printable(file), cause(err)))
		case !ours:
			conflicts = append(conflicts, fmt.Errorf("%s: is in the way: orgd render has not written it", printable(file)))
		case !bytes.Equal(normal(was), normal(text)):
			todo = append(todo, FileChange{file, text, false})
		}
	}
	if len(conflicts) > 0 {
		slices.SortFunc(conflicts, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return nil, errors.Join(append(conflicts, errors.New("nothing was written"))...)
	}
	err = fs.WalkDir(o.Root.FS(), o.Home, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && file != o.Home && isRepository(o.Root.FS(), file) {
			return fs.SkipDir
		}
		if err != nil || !entry.Type().IsRegular() || files[file] != nil {
			return nil // what cannot be read is of others
		}
		was, _ := o.read(file)
		if m, ours := MarkOf(was); ours && (o.Department == "" || Key(m.Department) == Key(o.Department)) {
			todo = append(todo, FileChange{Path: file})
		}
		return nil
	})
	slices.SortFunc(todo, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	return todo, err
}

// read reads a file that is no link.
func (o Output) read(file string) ([]byte, error) {
	about, err := o.Root.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !about.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	return o.Root.ReadFile(file)
}

// Apply makes changes, each as a whole: another reader sees the old file or the new one.
func (o Output) Apply(todo []FileChange) error {
	for _, c := range todo {
		if c.Text == nil {
			if err := o.Root.Remove(c.Path); err != nil {
				return err
			}
			if folder := path.Dir(c.Path); folder != o.Home {
				_ = o.Root.Remove(folder) // if nothing is left in it
			}
			continue
		}
		if err := o.Root.MkdirAll(path.Dir(c.Path), 0o777); err != nil {
			return err
		}
		if err := keyfile.ReplaceIn(o.Root, c.Path, c.Text); err != nil {
			return err
		}
	}
	return nil
}
