package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orgd/client"
)

// places tells in which line of which file a part of a document stands, such as
// agents[3].level, and what it is called there; line 0 is the whole file. near is
// where the service says that the part, or the entry around it, begins; 0 if it
// does not say.
type places func(path string, near int) (file string, line int, field string)

// mistake is one thing that is wrong with a document.
type mistake struct {
	file string
	line int    // 0 if nobody knows
	path string // "" if it is not about a field
	text string
}

// String is the mistake in the form that editors know.
func (m mistake) String() string {
	var b strings.Builder
	b.WriteString(visible(m.file))
	if m.line > 0 {
		fmt.Fprintf(&b, ":%d", m.line)
	}
	b.WriteString(": ")
	if m.path != "" {
		b.WriteString(m.path + ": ")
	}
	return b.String() + visible(m.text)
}

// mistakes tells all that is wrong with a document, each on a line that begins
// with its place, and returns what that comes to. Other errors come back as they
// are.
func (p *process) mistakes(x proposal, err error) error {
	var e *client.Error
	if !errors.As(err, &e) || e.Code != client.ErrValidation && e.Code != client.ErrRequestValidation {
		return err
	}
	all := parseMistakes(e.Detail)
	for i, m := range all {
		all[i].file, all[i].line, all[i].path = x.places(m.path, m.line)
	}
	return p.tellMistakes(x.name, all)
}

// tellMistakes tells what is wrong with a source, and returns what that comes to.
func (p *process) tellMistakes(source string, all []mistake) error {
	slices.SortStableFunc(all, func(a, b mistake) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	for _, m := range all {
		p.say("%s", m)
	}
	count := "1 mistake"
	if len(all) > 1 {
		count = fmt.Sprintf("%d mistakes", len(all))
	}
	return fmt.Errorf("%s has %s; nothing was changed", source, count)
}

var (
	beginLine = regexp.MustCompile(`^line (\d+): `)
	jsonPlace = regexp.MustCompile(`invalid JSON at byte \d+(?: \(line (\d+), column \d+\))?: `)
	endLine   = regexp.MustCompile(` \(line (\d+)\)$`)
	fieldPath = regexp.MustCompile(`^(\w[\w$-]*(?:\.[\w$-]+|\."(?:[^"\\]|\\.)*"|\[\d+\])*): `)
	entryPath = regexp.MustCompile(`^(?:departments|agents)\[\d+\]`)
)

// parseMistakes takes apart how the service tells what is wrong with a
// document. The line of an entry stands behind its last mistake and holds for
// all of them.
func parseMistakes(detail string) []mistake {
	var all []mistake
	lines := map[string]int{} // of entries
	for _, text := range splitOutsideQuotes(detail) {
		m := mistake{text: text}
		if at := beginLine.FindStringSubmatch(text); at != nil {
			m.line, _ = strconv.Atoi(at[1]) // digits
			m.text = text[len(at[0]):]
		} else if at := endLine.FindStringSubmatch(text); at != nil {
			m.line, _ = strconv.Atoi(at[1])
			m.text = strings.TrimSuffix(text, at[0])
		} else if at := jsonPlace.FindStringSubmatch(text); at != nil {
			m.line, _ = strconv.Atoi(cmp.Or(at[1], "1"))
		}
		if at := fieldPath.FindStringSubmatch(m.text); at != nil {
			m.path, m.text = at[1], m.text[len(at[0]):]
		}
		if at := entryPath.FindString(m.path); at != "" && m.line > 0 {
			lines[at] = m.line
		}
		all = append(all, m)
	}
	for i, m := range all {
		if entry := entryPath.FindString(m.path); m.line == 0 && entry != "" {
			all[i].line = lines[entry]
		}
	}
	return all
}

// splitOutsideQuotes splits text at "; ", unless that is quoted.
func splitOutsideQuotes(text string) []string {
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
