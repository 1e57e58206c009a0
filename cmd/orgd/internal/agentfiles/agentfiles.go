// Package agentfiles reads agents from files, and writes them, as programs for coding with agents and
// public collections have them: Markdown with YAML front matter, or TOML.
//
// The collections do not agree on the form, and much of their front matter is
// not YAML. What can be read without a guess is read; everything else is a
// [Mistake] with its place. [Places] has the keys that mean something; all others are
// kept as they are.
package agentfiles

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"orgd/domain/name"
)

// Agent is what one file says of an agent.
type Agent struct {
	// Path is the file, with slashes, relative to the tree.
	Path string
	// Lenient says that the front matter is not YAML and was read line by line.
	Lenient bool

	Name, Department, Description string
	// Model is a word for a model, "" for none.
	Model                  string
	Temperature, MaxTokens json.Number // "" if the file does not say them
	Tools, Denied          []string    // never nil; no tool is in both
	// Restricted says that the file lets the agent read only.
	Restricted   bool
	Instructions string
	// Metadata has the keys that have no place, or say more than it keeps; never nil.
	Metadata map[string]any
	// Notes are what could not be kept as it is written.
	Notes []Mistake

	mark  Mark           // of a file that is written here
	keys  map[string]int // lines of the keys in the file
	lines map[string]int // of the fields of the service
}

// Mark is the comment in a file that is written here. It has what only the service knows,
// and the lists of tools that the format has no key for.
type Mark struct {
	Department string   `json:"department"`
	Role       string   `json:"role,omitzero"` // "" if it is the name
	Provider   string   `json:"provider,omitzero"`
	Allowed    []string `json:"allowed,omitzero"`
	Denied     []string `json:"denied,omitzero"`
}

// Says reports whether the file has a key.
func (a Agent) Says(key string) bool { return a.keys[key] > 0 }

// Key is how the service compares names.
func Key(text string) name.Key { return name.KeyOf(text) }

// Mistake is one thing that is wrong with a file.
type Mistake struct {
	Path  string
	Line  int    // 0 if it is about the whole file
	Field string // "" if it is about no field
	Text  string
}

// String names file, line and field.
func (m Mistake) String() string {
	where := printable(m.Path)
	if m.Line > 0 {
		where += ":" + strconv.Itoa(m.Line)
	}
	if m.Field != "" {
		where += ": " + m.Field
	}
	return where + ": " + m.Text
}

// Mistakes are everything that is wrong. As an error they are one line each.
type Mistakes []Mistake

func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i, one := range m {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// compare puts mistakes in the order of the files.
func compare(a, b Mistake) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
}

// Skip is a file that defines no agent, and why it does not.
type Skip struct{ Path, Why string }

// Error implements error.
func (s Skip) Error() string { return printable(s.Path) + ": " + s.Why }

// printable is a path as it can stand in a line of text.
func printable(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

// Line is where the file says something about a field, at least its first line.
func (a Agent) Line(field string) int { return max(1, a.lines[field]) }

// mistake notes something about a field of a.
func (a Agent) mistake(field, format string, args ...any) Mistake {
	return Mistake{Path: a.Path, Line: a.Line(field), Field: field, Text: fmt.Sprintf(format, args...)}
}
