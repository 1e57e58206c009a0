package agentfiles

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

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

// instructions are the body without the empty lines around it, and the line
// where they begin. Indentation means something in Markdown, so it stays.
func (s source) instructions() (text string, line int) {
	line = s.bodyLine
	for text = s.body; ; line++ {
		first, rest, more := strings.Cut(text, "\n")
		if !more || strings.TrimSpace(first) != "" {
			return strings.TrimRight(text, " \t\n"), line
		}
		text = rest
	}
}

// The fields that mean something here. Collections have many others.
const (
	fieldName        = "name"
	fieldDescription = "description"
	fieldModel       = "model"
	fieldTools       = "tools"
)

var fieldNames = []string{fieldName, fieldDescription, fieldModel, fieldTools}

// field is one of them as it stands in a file: a value of YAML or, where that
// makes no sense, plain text.
type field struct {
	key  string
	line int
	node *yaml.Node
	text string
}

// fields reads the front matter: as YAML and, if it is not YAML, line by line.
// The names that a front matter in YAML spells in another letter case are among
// them, so that they can be refused.
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
		pairs = append(pairs, field{key: key.Value, line: key.Line, node: value})
	}
	return pairs, true
}

// keyLine is how a field begins where the front matter is not YAML. Words that
// begin with a capital, as in "Examples:", belong to the text before them.
var keyLine = regexp.MustCompile(`^([a-z][a-z0-9_-]*):(?:[ \t]|$)`)

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
		if pairs, ok := mapping(chunk); ok && len(pairs) == 1 {
			f.node = pairs[0].node
		} else {
			f.text = strings.TrimSpace(chunk[len(key)+1:])
		}
		fields = append(fields, f)
		at = end
	}
	return fields, mistakes
}

// keyOf returns the name of the field that begins at a line, or "".
func keyOf(line string) string {
	if m := keyLine.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	key, _, ok := strings.Cut(line, ":")
	if ok && known(key) != "" {
		return key
	}
	return ""
}

// known returns the field that key spells in any letter case, or "".
func known(key string) string {
	for _, name := range fieldNames {
		if strings.EqualFold(key, name) {
			return name
		}
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
	text = bytes.TrimRight(bytes.TrimPrefix(text, []byte("\ufeff")), "\r") // halves of a line end
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}
