package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"
)

// diffView writes what is different between values, for people.
type diffView struct {
	p   *process
	out bytes.Buffer
}

// differ tells how a value changes: of an object only what is different in it,
// of a text with several lines only the lines.
func (v *diffView) differ(path string, old, is any) {
	switch was := old.(type) {
	case map[string]any:
		if now, ok := is.(map[string]any); ok {
			v.members(path, was, now)
			return
		}
	case string:
		if now, ok := is.(string); ok && strings.Contains(was+now, "\n") {
			v.line(4, path+":")
			v.lines(6, was, now)
			return
		}
	case []any:
		if now, ok := is.([]any); ok && len(was) > 0 && len(now) > 0 {
			v.line(4, path+":")
			v.lines(6, joined(old), joined(is))
			return
		}
	}
	v.line(4, path+": "+v.p.color(red, brief(old))+" -> "+v.p.color(green, brief(is)))
}

func (v *diffView) members(path string, old, is map[string]any) {
	names := slices.Sorted(maps.Keys(old))
	for name := range is {
		if _, both := old[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		was, ok1 := old[name]
		now, ok2 := is[name]
		field := strings.TrimPrefix(path+"."+name, ".")
		switch {
		case !ok1:
			v.line(4, field+": "+v.p.color(green, "+ "+brief(now)))
		case !ok2:
			v.line(4, field+": "+v.p.color(red, "- "+brief(was)))
		case jsonText(was) != jsonText(now):
			v.differ(field, was, now)
		}
	}
}

// joined is a list with an item on each line, objects as JSON.
func joined(list any) string {
	items, _ := list.([]any)
	var b strings.Builder
	for _, item := range items {
		if s, ok := item.(string); ok {
			b.WriteString(strings.ReplaceAll(s, "\n", `\n`))
		} else {
			b.WriteString(jsonText(item))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// lines tells which lines differ, with some around them.
func (v *diffView) lines(indent int, old, is string) {
	diff := udiff.Unified("", "", old, is)
	for n, line := range strings.Split(strings.TrimSuffix(diff, "\n"), "\n") {
		if n < 2 || line == "" { // the names of what is compared
			continue
		}
		shown := visible(line)
		switch line[0] {
		case '+':
			shown = v.p.color(green, shown)
		case '-':
			shown = v.p.color(red, shown)
		case '@', '\\':
			shown = v.p.color(faint, shown)
		}
		v.line(indent, shown)
	}
}

func (v *diffView) line(indent int, text string) {
	fmt.Fprintf(&v.out, "%*s%s\n", indent, "", text)
}

// jsonText is a value as JSON.
func jsonText(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Sprint(value) // values that come from JSON can be written
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// brief is a value as JSON, cut to what is readable on a line.
func brief(value any) string {
	const most = 80
	shown := []rune(visible(jsonText(value)))
	if len(shown) > most {
		return string(shown[:most-1]) + "…"
	}
	return string(shown)
}

// visible is text of somebody else on a terminal: characters that would not
// appear, or do something else there, are escaped.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			escaped := strconv.QuoteRune(r)
			b.WriteString(escaped[1 : len(escaped)-1])
		}
	}
	return b.String()
}
