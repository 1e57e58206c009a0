package agentfiles

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"orgd/domain/agent"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// MaxSize is the greatest size of a file in bytes. The service takes 128 KiB of
// instructions; the rest is room for the front matter.
const MaxSize = 256 << 10

// Parse reads the text of the file at a path. The error is a [Skip] for a file
// that defines no agent, else [Mistakes] with everything that is wrong; then the
// agent has what could be read. department is its department; "" takes the folder's.
func Parse(file string, text []byte, department string) (Agent, error) {
	return ParseBeginning(file, text, int64(len(text)), department)
}

// ParseBeginning is Parse for a file of size bytes, of which text has all or the first
// [MaxSize] and more.
func ParseBeginning(file string, text []byte, size int64, department string) (Agent, error) {
	a := Agent{Path: file, Tools: []string{}, lines: map[string]int{}}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return a, Mistakes{{Path: file, Text: "must be UTF-8, not UTF-16"}}
	}
	text = normal(text)
	s, found, closed := split(string(text))
	switch {
	case !found:
		return a, Skip{file, "has no front matter"}
	case size > MaxSize:
		return a, Mistakes{{Path: file, Text: fmt.Sprintf("must be at most %d bytes, it has %d", MaxSize, size)}}
	case !closed:
		return a, Mistakes{{Path: file, Line: 1, Text: "front matter: no line --- ends it"}}
	case !utf8.Valid(text):
		return a, Mistakes{{Path: file, Line: invalidLine(text), Text: "must be UTF-8"}}
	}
	return a.read(s, department)
}

// invalidLine is the first line that is not UTF-8.
func invalidLine(text []byte) int {
	lines := bytes.Split(text, []byte("\n"))
	return 1 + slices.IndexFunc(lines, func(line []byte) bool { return !utf8.Valid(line) })
}

// read fills a from the parts of its file.
func (a Agent) read(s source, department string) (Agent, error) {
	fields, lenient, mistakes := s.fields()
	a.Lenient = lenient
	seen := false
	for _, f := range fields {
		name := known(f.key)
		if name == "" {
			continue
		}
		seen = true
		if first, twice := a.lines[name]; twice {
			mistakes = append(mistakes, Mistake{Line: f.line, Field: f.key, Text: fmt.Sprintf("stands in line %d already", first)})
			continue
		}
		a.lines[name] = f.line
		if f.key != name {
			mistakes = append(mistakes, Mistake{Line: f.line, Field: f.key, Text: fmt.Sprintf("unknown field, did you mean %q?", name)})
			continue
		}
		if problem := a.set(name, f); problem != "" {
			mistakes = append(mistakes, Mistake{Line: f.line, Field: name, Text: problem})
		}
	}
	if !seen && len(mistakes) == 0 {
		return a, Skip{a.Path, "its front matter has neither " + strings.Join(fieldNames[:3], ", ") + " nor " + fieldTools}
	}
	a.Instructions, a.lines["instructions"] = s.instructions()
	if _, named := a.lines[fieldName]; !named {
		a.Name = stem(a.Path)
		a.lines[fieldName] = 1
	}
	a.lines["department"] = a.lines[fieldName]
	a.Name, a.Department = written(a.Name), written(cmp.Or(department, departmentOf(a.Path)))
	mistakes = append(mistakes, a.check(mistakes)...)
	if len(mistakes) == 0 {
		return a, nil
	}
	for i := range mistakes {
		mistakes[i].Path = a.Path
	}
	slices.SortStableFunc(mistakes, compare)
	return a, Mistakes(mistakes)
}

// written is a name as the service will write it.
func written(text string) string {
	if n, err := name.Parse(text); err == nil {
		return n.Text
	}
	return text
}

// set takes the value of a field and returns what is wrong with it.
func (a *Agent) set(name string, f field) (problem string) {
	if f.node == nil && name != fieldDescription && strings.Contains(f.text, "\n") {
		return "is not YAML and has several lines"
	}
	if name == fieldTools {
		a.Tools, problem = f.tools()
		return problem
	}
	text, problem := f.scalar()
	switch name {
	case fieldName:
		a.Name = text
	case fieldDescription:
		a.Description = text
	case fieldModel:
		if a.Model = text; text == "inherit" {
			a.Model = ""
		}
	}
	return problem
}

// scalar is the value of a field that is one text. Numbers and the like are
// taken as they are written.
func (f field) scalar() (text, problem string) {
	switch n := f.node; {
	case n == nil && strings.ContainsAny(first(f.text), "\"'|>"):
		return "", "is not YAML: quotes that do not end where the text ends, or a block that is not indented"
	case n == nil:
		return f.text, ""
	case n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0:
		return "", "must be a text"
	default:
		return scalar(n), ""
	}
}

// first is the first byte of s, if any.
func first(s string) string { return s[:min(1, len(s))] }

// scalar is a text without the white space around it; null is none.
func scalar(n *yaml.Node) string {
	if n.ShortTag() == "!!null" {
		return ""
	}
	return strings.TrimSpace(n.Value)
}

// tools reads a list of tools: a list, a text with commas, or a mapping that says
// of each whether it is allowed. What is named twice counts once.
func (f field) tools() (tools []string, problem string) {
	const shape = "must be a list of names or a text with commas"
	tools = []string{}
	add := func(tool string) {
		if tool != "" && !slices.Contains(tools, tool) {
			tools = append(tools, tool)
		}
	}
	switch {
	case f.node == nil && strings.ContainsAny(first(f.text), "[{\"'|>-"):
		return tools, "is not YAML: a bracket or quotes without their end, or a list with tabs"
	case f.node == nil || f.node.Kind == yaml.ScalarNode:
		text, problem := f.scalar()
		for _, tool := range commas(text) {
			add(tool)
		}
		return tools, problem
	case f.node.Kind == yaml.AliasNode:
		return tools, shape
	}
	items := f.node.Content
	for i, item := range items {
		switch {
		case item.Kind != yaml.ScalarNode:
			return tools, shape
		case f.node.Kind == yaml.SequenceNode:
			if scalar(item) == "" {
				return tools, fmt.Sprintf("item %d is empty", i+1)
			}
			add(scalar(item))
		case i%2 == 1:
			if item.ShortTag() != "!!bool" {
				return tools, shape
			}
			if strings.EqualFold(item.Value, "true") {
				add(scalar(items[i-1]))
			}
		}
	}
	return tools, ""
}

// commas splits a text at its commas, except those inside of parentheses, as in
// "Bash(git add:*, git commit:*), Read".
func commas(text string) (parts []string) {
	depth, begin := 0, 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth = max(depth-1, 0)
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(text[begin:i]))
				begin = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(text[begin:]))
}

// check applies the rules of the service. Fields that cannot be read are left
// out.
func (a Agent) check(unread []Mistake) (mistakes []Mistake) {
	rule := func(field string, value any) {
		if slices.ContainsFunc(unread, func(m Mistake) bool { return known(m.Field) == field }) {
			return
		}
		for _, m := range Rule(field, value) {
			mistakes = append(mistakes, Mistake{Path: a.Path, Line: a.Line(field), Field: m.Path, Text: m.Text})
		}
	}
	rule(fieldName, a.Name)
	if a.Department == "" {
		mistakes = append(mistakes, a.mistake("department", "the file lies in no folder that names one; --department does"))
	} else {
		rule("department", a.Department)
	}
	rule(fieldDescription, a.Description)
	if a.Model != "" {
		rule(fieldModel, map[string]string{"provider": "any", "model_id": a.Model})
	}
	rule(fieldTools, map[string][]string{"allowed": a.Tools})
	rule("instructions", a.Instructions)
	return mistakes
}

// Rule returns what is wrong with a value of a field of agents, as the service would say
// it.
func Rule(field string, value any) []fault.Mistake {
	text, err := json.Marshal(map[string]any{field: value})
	var v jsondoc.Value
	if err == nil {
		v, err = jsondoc.Parse(text)
	}
	if err == nil {
		_, err = agent.ParsePatch(v)
	}
	if err == nil {
		return nil
	}
	return fault.Of(err).Mistakes()
}

// stem is the name of a file without what says that it is an agent's.
func stem(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path.Base(file), path.Ext(file)), ".agent")
}

// departmentOf is the nearest folder that is not just the place for agents, or
// "".
func departmentOf(file string) string {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if base := path.Base(dir); !slices.Contains([]string{"agents", "subagents"}, strings.ToLower(base)) {
			return base
		}
	}
	return ""
}
