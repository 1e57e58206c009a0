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

// Read reads all agents of a directory, each as [Parse] does. The error is [Mistakes],
// with everything that is wrong in any file.
func Read(files fs.FS, department string) (Tree, error) {
	var c Collection
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		var a Agent
		switch {
		case err != nil && file == ".":
			return err
		case err != nil:
		case entry.IsDir() && file != "." && isHidden(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !isMarkdown(file):
			return nil
		default:
			a, err = open(files, file, entry.Type(), department)
		}
		if err := c.Add(a, err); err != nil {
			c.mistakes = append(c.mistakes, Mistake{Path: file, Text: fmt.Sprintf("cannot be read: %v", cause(err))})
		}
		return nil
	})
	if err != nil {
		return c.Tree, err
	}
	mistakes := c.Mistakes()
	if len(mistakes) == 0 {
		return c.Tree, nil
	}
	slices.SortStableFunc(mistakes, compare)
	return c.Tree, mistakes
}

// Collection is a tree whose files are read one after the other.
type Collection struct {
	Tree
	all      []Agent // also those with mistakes
	mistakes Mistakes
}

// Add adds the agent of a file, or the reason why the file has none: a [Skip] or
// [Mistakes]. It returns every other error.
func (c *Collection) Add(a Agent, err error) error {
	c.all = append(c.all, a)
	if mistakes, ok := errors.AsType[Mistakes](err); ok {
		c.mistakes = append(c.mistakes, mistakes...)
	} else if skip, ok := errors.AsType[Skip](err); ok {
		c.Skipped = append(c.Skipped, skip)
	} else if err != nil {
		return err
	} else {
		c.Agents = append(c.Agents, a)
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
func open(files fs.FS, file string, mode fs.FileMode, department string) (a Agent, err error) {
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
	about, err := f.Stat()
	if err != nil {
		return a, err
	}
	return ParseBeginning(file, text, max(about.Size(), int64(len(text))), department)
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

// Mistakes returns the mistakes in all files, and then one for each agent whose name
// another one has before it. Agents without a name are left out.
func (c *Collection) Mistakes() Mistakes {
	all := c.mistakes
	first := map[name.Key]Agent{}
	for _, a := range c.all {
		n, err := name.Parse(a.Name)
		if err != nil {
			continue // which is a mistake of its own, or none for a skip
		}
		if other, taken := first[n.Key]; taken {
			all = append(all, a.mistake(fieldName, "%q is also the name in %s:%d", a.Name, printable(other.Path), other.Line(fieldName)))
			continue
		}
		first[n.Key] = a
	}
	return all
}
