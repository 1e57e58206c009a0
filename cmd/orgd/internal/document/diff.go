package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orgd/adapters/textdiff"
	"orgd/cmd/orgd/internal/terminal"
)

// Diff collects the differences between values as lines for people.
type Diff struct {
	t   *terminal.Terminal
	out bytes.Buffer
}

// NewDiff returns an empty diff.
func NewDiff(t *terminal.Terminal) *Diff { return &Diff{t: t} }

// Print prints the lines on standard output.
func (v *Diff) Print() error {
	_, err := v.out.WriteTo(v.t.Stdout)
	return err
}

// Line adds a line that is indented by a number of spaces.
func (v *Diff) Line(indent int, text string) {
	fmt.Fprintf(&v.out, "%*s%s\n", indent, "", text)
}

// Field adds the change of a field, whose values are JSON, or nil if it has none.
func (v *Diff) Field(path string, old, is *string) error {
	var sides [2]map[string]any
	for i, text := range []*string{old, is} {
		if text == nil {
			continue
		}
		value, err := decode(json.RawMessage(*text))
		if err != nil {
			return err
		}
		sides[i] = map[string]any{path: value}
	}
	v.members("", sides[0], sides[1])
	return nil
}

// value adds the change of a value: of an object the members that differ, of a
// text with several lines the lines that differ.
func (v *Diff) value(path string, old, is any) {
	switch was := old.(type) {
	case map[string]any:
		if now, ok := is.(map[string]any); ok {
			v.members(path, was, now)
			return
		}
	case string:
		if now, ok := is.(string); ok && strings.ContainsAny(was+now, "\r\n") {
			v.Line(4, path+":")
			v.lines(6, was, now)
			return
		}
	case []any:
		if now, ok := is.([]any); ok && len(was) > 0 && len(now) > 0 {
			v.Line(4, path+":")
			v.lines(6, joined(old), joined(is))
			return
		}
	}
	v.Line(4, path+": "+v.t.Color(terminal.Red, brief(old))+" -> "+v.t.Color(terminal.Green, brief(is)))
}

func (v *Diff) members(path string, old, is map[string]any) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(old)), maps.Keys(is))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		was, ok1 := old[name]
		now, ok2 := is[name]
		field := strings.TrimPrefix(path+"."+terminal.Visible(name), ".")
		switch {
		case !ok1:
			v.Line(4, field+": "+v.t.Color(terminal.Green, "+ "+brief(now)))
		case !ok2:
			v.Line(4, field+": "+v.t.Color(terminal.Red, "- "+brief(was)))
		case terminal.JSON(was) != terminal.JSON(now):
			v.value(field, was, now)
		}
	}
}

// joined returns a list with an item on each line, objects as JSON.
func joined(list any) string {
	items, _ := list.([]any)
	var b strings.Builder
	for _, item := range items {
		if s, ok := item.(string); ok {
			b.WriteString(terminal.Visible(s))
		} else {
			b.WriteString(terminal.JSON(item))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// lines adds the lines that differ, with some around them, below a sentence about line
// ends if these differ.
func (v *Diff) lines(indent int, old, is string) {
	lineEnds, diff := textdiff.Compare(old, is)
	if lineEnds != "" {
		v.Line(indent, v.t.Color(terminal.Faint, lineEnds))
	}
	for n, line := range strings.Split(strings.TrimSuffix(diff, "\n"), "\n") {
		if n < 2 || line == "" { // the names of what is compared
			continue
		}
		text := terminal.Visible(line)
		switch line[0] {
		case '+':
			text = v.t.Color(terminal.Green, text)
		case '-':
			text = v.t.Color(terminal.Red, text)
		case '@', '\\':
			text = v.t.Color(terminal.Faint, text)
		}
		v.Line(indent, text)
	}
}

// brief returns a value as JSON, cut to 80 characters.
func brief(value any) string {
	const most = 80
	text := []rune(terminal.Visible(terminal.JSON(value)))
	if len(text) > most {
		return string(text[:most-1]) + "…"
	}
	return string(text)
}

// decode parses a JSON value and keeps its numbers as they are written.
func decode(text json.RawMessage) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return value, d.Decode(&value)
}
