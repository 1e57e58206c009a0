package document

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orgd/cmd/orgd/internal/terminal"
)

// Locate returns the file and line of a part of a document, such as
// agents[3].level, and its name there; line 0 is the whole file. near is the line
// of the part, or of the entry around it, as the service reports it; 0 if it does
// not.
type Locate func(path string, near int) (file string, line int, field string)

// Mistake is one thing that is wrong with a document.
type Mistake struct {
	File  string
	Line  int    // 0 if it is not known
	Field string // its path, "" if the mistake is not about a field
	Text  string
}

// String returns the mistake in the form that editors parse.
func (m Mistake) String() string {
	var b strings.Builder
	b.WriteString(terminal.Visible(m.File))
	if m.Line > 0 {
		fmt.Fprintf(&b, ":%d", m.Line)
	}
	b.WriteString(": ")
	if m.Field != "" {
		b.WriteString(m.Field + ": ")
	}
	return b.String() + terminal.Visible(m.Text)
}

// PrintMistakes prints the mistakes in a source, each on a line that begins with
// its file and line, and returns an error that counts them.
func PrintMistakes(t *terminal.Terminal, source string, all []Mistake) error {
	slices.SortStableFunc(all, func(a, b Mistake) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	for _, m := range all {
		t.Say("%s", m)
	}
	count := "1 mistake"
	if len(all) > 1 {
		count = fmt.Sprintf("%d mistakes", len(all))
	}
	return fmt.Errorf("%s has %s; nothing was changed", source, count)
}

var (
	wholeLine = regexp.MustCompile(`^line (\d+): | \(line (\d+)\)$`)
	jsonLine  = regexp.MustCompile(`invalid JSON at byte \d+(?: \(line (\d+), column \d+\))?: `)
	fieldPath = regexp.MustCompile(`^(\w[\w$-]*(?:\.[\w$-]+|\."(?:[^"\\]|\\.)*"|\[\d+\])*): `)
	entryPath = regexp.MustCompile(`^(?:departments|agents)\[\d+\]`)
)

// parseMistakes parses the text in which the service reports what is wrong with a
// document. The line of an entry is at the end of its last mistake and holds for
// all of them.
func parseMistakes(detail string) []Mistake {
	texts := splitUnquoted(detail)
	all := make([]Mistake, len(texts))
	entry, line := "", 0 // of the mistake behind this one that has a line
	for i, text := range slices.Backward(texts) {
		m := parseMistake(text)
		if at := entryPath.FindString(m.Field); m.Line > 0 {
			entry, line = at, m.Line
		} else if at != "" && at == entry {
			m.Line = line
		}
		all[i] = m
	}
	return all
}

// parseMistake parses one mistake: its line, its field and what is wrong. The line in
// an error of JSON stays in the text, because the column follows it.
func parseMistake(text string) Mistake {
	m := Mistake{Text: wholeLine.ReplaceAllString(text, "")}
	if at := wholeLine.FindStringSubmatch(text); at != nil {
		m.Line, _ = strconv.Atoi(at[1] + at[2]) // the digits of one of them
	} else if at := jsonLine.FindStringSubmatch(text); at != nil {
		m.Line, _ = strconv.Atoi(cmp.Or(at[1], "1"))
	}
	if at := fieldPath.FindStringSubmatch(m.Text); at != nil {
		m.Field, m.Text = at[1], m.Text[len(at[0]):]
	}
	return m
}

// splitUnquoted splits text at "; ", unless that is quoted.
func splitUnquoted(text string) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], "; "):
			parts = append(parts, text[start:i])
			start = i + 2
		}
	}
	return append(parts, text[start:])
}
