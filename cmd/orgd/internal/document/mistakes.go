package document

import (
	"cmp"
	"fmt"
	"slices"
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
