package agentfiles

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Tree is what a directory says.
type Tree struct {
	Agents  []Agent  // by path
	Skipped []Skip   // files that define no agent
	Bad     Mistakes // in order; their files have no agents
}

// Read reads all agents of a directory, each as [Scope.Parse] does.
func (s Scope) Read(files fs.FS) (t Tree, err error) {
	s.notOwn = map[string]string{}
	for _, place := range s.Ignored {
		s.notOwn[strings.TrimSuffix(place, "/")] = "is ignored by Git"
	}
	err = fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		var a Agent
		switch {
		case err != nil && file == ".":
			return err
		case err != nil && s.foreign(file) != "":
			return nil // whatever is in it
		case err != nil:
		case entry.IsDir() && s.isHidden(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() && file != "." && isRepository(files, file):
			s.notOwn[file] = cmp.Or(s.notOwn[file], "lies in another repository")
			return nil
		case entry.IsDir() || !s.InScope(file):
			return nil
		default:
			a, err = s.open(files, file, entry.Type())
		}
		if err := t.Add(a, err); err != nil {
			t.Bad = append(t.Bad, Mistake{Path: file, Text: fmt.Sprintf("cannot be read: %v", cause(err))})
		}
		return nil
	})
	return t, err
}

// isRepository reports whether a folder is checked out by itself, as a submodule is.
func isRepository(files fs.FS, folder string) bool {
	_, err := fs.Stat(files, folder+"/.git")
	return err == nil
}

// Add adds the agent of a file, or the reason why the file has none: a [Skip] or
// [Mistakes]. It returns every other error.
func (t *Tree) Add(a Agent, err error) error {
	if mistakes, ok := errors.AsType[Mistakes](err); ok {
		t.Bad = append(t.Bad, mistakes...)
	} else if skip, ok := errors.AsType[Skip](err); ok {
		t.Skipped = append(t.Skipped, skip)
	} else if err != nil {
		return err
	} else {
		t.Agents = append(t.Agents, a)
	}
	return nil
}

// cause is an error without the path, which is said anyway.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// open reads one file, and of a large one not more than is needed to see that.
func (s Scope) open(files fs.FS, file string, mode fs.FileMode) (a Agent, err error) {
	if err := s.Candidate(file, mode); err != nil {
		return a, err
	}
	f, err := files.Open(file)
	if err != nil {
		return a, err
	}
	defer f.Close() // was only read
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return a, err
	}
	about, err := f.Stat()
	if err != nil {
		return a, err
	}
	return s.ParseBeginning(file, text, max(about.Size(), int64(len(text))))
}

// Refuse makes agents for which why returns something bad. The others stay.
func (t *Tree) Refuse(why func(Agent) []Mistake) {
	t.Agents = slices.DeleteFunc(t.Agents, func(a Agent) bool {
		mistakes := why(a)
		t.Bad = append(t.Bad, mistakes...)
		return len(mistakes) > 0
	})
	slices.SortStableFunc(t.Bad, compare)
}
