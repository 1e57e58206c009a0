package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed bugs
var bugFiles embed.FS

// bug is a mistake, as a patch that makes it, and the test that has to notice.
type bug struct {
	name string // of its file
	what string // one sentence
	pkg  string // of the test
	test string
	need string // an environment variable without which the test is skipped, or ""
	path string // of the file with the mistake, from the root of the module
	// hunks are texts of the file and what stands in their place.
	hunks []hunk
}

type hunk struct{ old, new string }

// readBugs reads all bugs, in the order of their names.
func readBugs() ([]bug, error) {
	files, err := fs.Glob(bugFiles, "bugs/*.patch")
	if err != nil {
		return nil, err
	}
	var all []bug
	for _, file := range files {
		text, err := fs.ReadFile(bugFiles, file)
		if err != nil {
			return nil, err
		}
		b, err := parseBug(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		b.name = strings.TrimSuffix(filepath.Base(file), ".patch")
		all = append(all, b)
	}
	return all, nil
}

// parseBug reads a sentence, fields such as "Test: TestOpen", and a unified diff
// of one file. Its hunks are found by their lines, so they have no numbers.
func parseBug(text string) (bug, error) {
	var b bug
	head, diff, ok := strings.Cut(text, "\n--- a/")
	if !ok {
		return bug{}, errors.New("there is no diff")
	}
	b.what, head, _ = strings.Cut(head, "\n")
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "":
		case "Package":
			b.pkg = value
		case "Test":
			b.test = value
		case "Needs":
			b.need = value
		default:
			return bug{}, fmt.Errorf("%q is no field", name)
		}
	}
	b.path, diff, _ = strings.Cut(diff, "\n")
	if b.what == "" || b.pkg == "" || b.test == "" || !strings.HasPrefix(diff, "+++ b/"+b.path+"\n@@\n") {
		return bug{}, errors.New("it says not what it is, where, or which test notices")
	}
	for _, text := range strings.Split(diff, "\n@@\n")[1:] {
		h, err := parseHunk(strings.TrimSuffix(text, "\n") + "\n")
		if err != nil {
			return bug{}, err
		}
		b.hunks = append(b.hunks, h)
	}
	return b, nil
}

func parseHunk(text string) (hunk, error) {
	var old, fresh strings.Builder
	for line := range strings.Lines(text) {
		switch line[0] {
		case ' ', '\n': // editors drop the space of an empty line
			old.WriteString(strings.TrimPrefix(line, " "))
			fresh.WriteString(strings.TrimPrefix(line, " "))
		case '-':
			old.WriteString(line[1:])
		case '+':
			fresh.WriteString(line[1:])
		default:
			return hunk{}, fmt.Errorf("%q is no line of a diff", line)
		}
	}
	return hunk{old.String(), fresh.String()}, nil
}

// apply returns the file of the module at root with the mistake in it.
func (b bug) apply(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, b.path))
	if err != nil {
		return nil, err
	}
	for _, h := range b.hunks {
		if n := bytes.Count(text, []byte(h.old)); n != 1 {
			return nil, fmt.Errorf("%s has what is to be changed %d times, want once:\n%s", b.path, n, h.old)
		}
		text = bytes.Replace(text, []byte(h.old), []byte(h.new), 1)
	}
	return text, nil
}
