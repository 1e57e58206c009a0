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

// maxMistakes is how many mistakes in all files are printed, of one file as many as of any
// list.
const maxMistakes = 100

// SayMistakes prints mistakes, each on a line behind before, and how many more there are. It
// sorts them.
func SayMistakes(t *terminal.Terminal, before string, all []Mistake) {
	slices.SortStableFunc(all, func(a, b Mistake) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	left := maxMistakes
	for len(all) > 0 && (left > 0 || t.Verbose) {
		same := 1
		for same < len(all) && all[same].File == all[0].File {
			same++
		}
		most := t.Most(same)
		for _, m := range all[:most] {
			t.Say("%s%s", before, m)
		}
		if same > most {
			t.Say("%s%s: %d more mistakes, which --verbose prints", before, terminal.Visible(all[0].File), same-most)
		}
		left, all = left-most, all[same:]
	}
	if len(all) > 0 {
		t.Say("%s%d more mistakes, which --verbose prints", before, len(all))
	}
}

// PrintMistakes prints the mistakes in a source, each on a line that begins with
// its file and line, and returns an error that counts them.
func PrintMistakes(t *terminal.Terminal, source string, all []Mistake) error {
	SayMistakes(t, "", all)
	count := "1 mistake"
	if len(all) > 1 {
		count = fmt.Sprintf("%d mistakes", len(all))
	}
	return fmt.Errorf("%s has %s; nothing was changed", source, count)
}
