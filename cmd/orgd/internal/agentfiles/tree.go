package agentfiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"orgd/domain/name"
)

// Tree is what a directory says.
type Tree struct {
	Agents  []Agent // by path
	Skipped []Skip  // Markdown files that define no agent
}

// Read reads all agents of a directory. The error is [Mistakes], with everything
// that is wrong in any file.
func Read(files fs.FS, o Options) (Tree, error) {
	var t Tree
	var all []Agent // also those with mistakes
	var mistakes Mistakes
	record := func(file string, err error) {
		if all, ok := errors.AsType[Mistakes](err); ok {
			mistakes = append(mistakes, all...)
		} else if skip, ok := errors.AsType[Skip](err); ok {
			t.Skipped = append(t.Skipped, skip)
		} else {
			mistakes = append(mistakes, Mistake{Path: file, Text: fmt.Sprintf("cannot be read: %v", cause(err))})
		}
	}
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if file == "." {
				return err
			}
			record(file, err)
			return nil
		case entry.IsDir():
			if file != "." && isHidden(entry.Name()) {
				return fs.SkipDir
			}
			return nil
		case !isMarkdown(file):
			return nil
		}
		a, err := open(files, file, entry.Type(), o)
		all = append(all, a)
		if err != nil {
			record(file, err)
			return nil
		}
		t.Agents = append(t.Agents, a)
		return nil
	})
	if err != nil {
		return t, err
	}
	mistakes = append(mistakes, Duplicates(all)...)
	if len(mistakes) > 0 {
		slices.SortStableFunc(mistakes, compare)
		return t, mistakes
	}
	return t, nil
}

// cause is an error without the path, which is said anyway.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// open reads one file, and of a large one not more than is needed to see that.
func open(files fs.FS, file string, mode fs.FileMode, o Options) (a Agent, err error) {
	if err := Candidate(file, mode); err != nil {
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
	return Parse(file, text, o)
}

// isHidden reports whether a folder holds no definitions, whatever lies in it.
func isHidden(folder string) bool {
	return strings.HasPrefix(folder, ".") || folder == "node_modules"
}

func isMarkdown(file string) bool {
	ext := strings.ToLower(path.Ext(file))
	return ext == ".md" || ext == ".markdown"
}

// InScope reports whether a path is that of a Markdown file outside of hidden
// folders.
func InScope(file string) bool {
	return isMarkdown(file) && !slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(folder string) bool { return folder != "." && isHidden(folder) })
}

// papers are files about a collection, or about something else in it, up to the
// first dot. A README is one in any letter case; an agent may well be called
// security.
var papers = []string{
	"CONTRIBUTING", "CHANGELOG", "LICENSE", "CODE_OF_CONDUCT", "SECURITY", "SUPPORT",
	"AGENTS", "CLAUDE", "GEMINI", "SKILL",
}

// others are folders of what collections keep beside their agents, in the same form.
var others = []string{"commands", "skills"}

// Candidate returns why a Markdown file cannot define an agent, or nil.
func Candidate(file string, mode fs.FileMode) error {
	word, _, _ := strings.Cut(path.Base(file), ".")
	switch {
	case mode&fs.ModeSymlink != 0:
		return Skip{file, "is a symbolic link"}
	case !mode.IsRegular():
		return Skip{file, "is not a regular file"}
	case strings.EqualFold(word, "readme") || slices.Contains(papers, word):
		return Skip{file, "is not about one agent"}
	case slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(folder string) bool { return slices.Contains(others, strings.ToLower(folder)) }):
		return Skip{file, "lies in a folder of " + strings.Join(others, " or ")}
	case !utf8.ValidString(file):
		return Mistakes{{Path: file, Text: "the name of the file must be UTF-8"}}
	}
	return nil
}

// Duplicates returns a mistake for each agent whose name another one has before
// it. Agents without a name are left out.
func Duplicates(agents []Agent) (mistakes []Mistake) {
	first := map[name.Key]Agent{}
	for _, a := range agents {
		n, err := name.Parse(a.Name)
		if err != nil {
			continue // which is a mistake of its own, or none for a skip
		}
		if other, taken := first[n.Key]; taken {
			mistakes = append(mistakes, a.mistake(fieldName, "%q is also the name in %s:%d", a.Name, printable(other.Path), other.Line(fieldName)))
			continue
		}
		first[n.Key] = a
	}
	return mistakes
}
