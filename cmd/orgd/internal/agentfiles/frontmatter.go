package agentfiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
)

// fence is the line above and below the front matter.
const fence = "---"

// source is a file in its two parts. Lines count from 1.
type source struct {
	front     string
	frontLine int
	body      string
	bodyLine  int
}

// split takes a text apart. found is false if it has no front matter, closed if
// that has no end.
func split(text string) (s source, found, closed bool) {
	lines := strings.SplitAfter(text, "\n")
	first := slices.IndexFunc(lines, func(line string) bool { return strings.TrimSpace(line) != "" })
	if first < 0 || !isFence(lines[first]) {
		return s, false, false
	}
	length := slices.IndexFunc(lines[first+1:], isFence)
	if length < 0 {
		return s, true, false
	}
	last := first + 1 + length
	return source{
		front: strings.Join(lines[first+1:last], ""), frontLine: first + 2,
		body: strings.Join(lines[last+1:], ""), bodyLine: last + 2,
	}, true, true
}

// isFence leaves no room before the dashes, because a text in YAML may hold
// indented ones.
func isFence(line string) bool { return strings.TrimRight(line, " \t\n") == fence }

const marked = "# Written by orgd render, which replaces and removes it: "

// MarkOf returns the mark of a file. ok is false for files of others.
func MarkOf(text []byte) (m Mark, ok bool) {
	line, _, _ := strings.Cut(strings.TrimPrefix(string(normal(text)), fence+"\n"), "\n")
	line, ok = strings.CutPrefix(line, marked)
	if ok {
		_ = json.Unmarshal([]byte(line), &m) // one that was edited says nothing
	}
	return m, ok
}

// field is a key of a file with its value: one of YAML or, where that makes no sense,
// plain text.
type field struct {
	key   string
	line  int
	node  *yaml.Node
	text  string // without its node
	notes []Mistake
}

// fields reads the front matter: as YAML and, if it is not YAML, line by line.
func (s source) fields() (fields []field, lenient bool, mistakes []Mistake) {
	if pairs, ok := mapping(s.front); ok {
		for i := range pairs {
			pairs[i].line += s.frontLine - 1
		}
		return pairs, false, nil
	}
	fields, mistakes = s.byLine()
	return fields, true, mistakes
}

// mapping reads text as one mapping of YAML.
func mapping(text string) (pairs []field, ok bool) {
	var doc yaml.Node
	d := yaml.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&doc); err != nil {
		return nil, strings.TrimSpace(text) == ""
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || d.Decode(new(yaml.Node)) == nil {
		return nil, false
	}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return nil, false
		}
		for value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		pairs = append(pairs, field{key: key.Value, line: key.Line, node: value})
	}
	return pairs, true
}

// keyLine is how a field begins where the front matter is not YAML. Words that
// begin with a capital, as in "Examples:", belong to the text before them.
var keyLine = regexp.MustCompile(`^([a-z][A-Za-z0-9_-]*):(?:[ \t]|$)`)

// wordLine is such a line of text.
var wordLine = regexp.MustCompile(`^([A-Z][A-Za-z0-9_-]*):(?:[ \t]|$)`)

// speakers begin the lines of a dialogue.
var speakers = []string{"user", "assistant"}

// byLine reads front matter that is not YAML as a whole, most often because of
// a colon in a description. A field reaches up to the next line that begins with
// a word and a colon. Each is YAML if it can be, else the text that stands there.
func (s source) byLine() (fields []field, mistakes []Mistake) {
	lines := strings.Split(strings.TrimSuffix(s.front, "\n"), "\n")
	for at := 0; at < len(lines); {
		key := keyOf(lines[at])
		end := at + 1
		if key == "" {
			if text := strings.TrimSpace(lines[at]); text != "" && !strings.HasPrefix(text, "#") {
				mistakes = append(mistakes, Mistake{Line: s.frontLine + at, Text: "front matter: this line belongs to no field"})
			}
			at = end
			continue
		}
		end = endOf(lines, at)
		f := field{key: key, line: s.frontLine + at}
		chunk := strings.Join(lines[at:end], "\n")
		f.text = strings.TrimSpace(chunk[len(key)+1:])
		if pairs, ok := mapping(chunk); ok && len(pairs) == 1 && !isCut(pairs[0].node, f.text) {
			f.node = pairs[0].node
		} else {
			f.notes = swallowed(lines[at:end], f.line)
		}
		fields = append(fields, f)
		at = end
	}
	return fields, mistakes
}

// isCut reports whether YAML takes a part of a text on one line for a comment. Where
// the front matter is not YAML, it is text.
func isCut(n *yaml.Node, text string) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && !strings.Contains(text, "\n") && n.Value != text
}

// swallowed notes the lines in the text of a field that may be meant as fields.
func swallowed(lines []string, first int) (notes []Mistake) {
	open := openExamples(lines[0])
	for i, line := range lines[1:] {
		if m := wordLine.FindStringSubmatch(line); m != nil && open <= 0 {
			notes = append(notes, Mistake{Line: first + 1 + i, Field: m[1], Text: "is read as text of the field before it"})
		}
		open += openExamples(line)
	}
	return notes
}

// keyOf returns the name of the field that begins at a line, or "".
func keyOf(line string) string {
	if m := keyLine.FindStringSubmatch(line); m != nil && !slices.Contains(speakers, m[1]) {
		return m[1]
	}
	key, _, ok := strings.Cut(line, ":")
	if _, known := placeOf(key, false); ok && known {
		return key
	}
	return ""
}

// endOf returns where the field that begins at a line ends. Dialogues inside of
// a description have lines that look as fields do ("user: ..."); one that nothing
// ends is none.
func endOf(lines []string, at int) int {
	end, open := at+1, openExamples(lines[at])
	for ; end < len(lines) && (open > 0 || keyOf(lines[end]) == ""); end++ {
		open += openExamples(lines[end])
	}
	if open <= 0 {
		return end
	}
	for end = at + 1; end < len(lines) && keyOf(lines[end]) == ""; end++ {
	}
	return end
}

// openExamples is how many dialogues a line leaves open.
func openExamples(line string) int {
	return strings.Count(line, "<example>") - strings.Count(line, "</example>")
}

// normal is text with line feeds only and without a byte order mark, so that the
// same file means the same in every checkout.
func normal(text []byte) []byte {
	return bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
}

// tomlFields reads a file in TOML. What is wrong with it is a mistake without path.
func tomlFields(text string) (fields []field, mistakes []Mistake) {
	var all map[string]any
	if err := toml.Unmarshal([]byte(text), &all); err != nil {
		m := Mistake{Text: "is not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
		if e, ok := errors.AsType[*toml.DecodeError](err); ok {
			m.Line, _ = e.Position()
		}
		return nil, []Mistake{m}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		line := 1
		if at := regexp.MustCompile(`(?m)^[ \t\["']*` + regexp.QuoteMeta(key) + `\b`).FindStringIndex(text); at != nil {
			line += strings.Count(text[:at[0]], "\n")
		}
		fields = append(fields, field{key: key, line: line, node: nodeOf(all[key])})
	}
	return fields, nil
}
