package agentfiles

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"orgd/domain/agent"
	"orgd/domain/decimal"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// MaxSize is the greatest size of a file in bytes. The service takes 128 KiB of
// instructions; the rest is room for the front matter.
const MaxSize = 256 << 10

// Parse reads the text of the file at a path. The error is a [Skip] for a file
// that defines no agent, else [Mistakes] with everything that is wrong; then the
// agent has what could be read.
func (s Scope) Parse(file string, text []byte) (Agent, error) {
	return s.ParseBeginning(file, text, int64(len(text)))
}

// ParseBeginning is Parse for a file of size bytes, of which text has all or the first
// [MaxSize] and more.
func (s Scope) ParseBeginning(file string, text []byte, size int64) (Agent, error) {
	a := Agent{Path: file, Tools: []string{}, Denied: []string{}, Metadata: map[string]any{}, keys: map[string]int{}, lines: map[string]int{}}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return a, Mistakes{{Path: file, Text: "must be UTF-8, not UTF-16"}}
	}
	text = normal(text)
	a.mark, _ = MarkOf(text)
	src, found, closed := split(string(text))
	toml := isTOML(file)
	switch {
	case !toml && !found && len(s.Include) == 0 && s.isPlace(file):
		return a, Skip{file, "lies in a folder for agents, but has no front matter; --include takes it"}
	case !toml && !found && len(s.Include) == 0:
		return a, Skip{file, "has no front matter"}
	case !toml && found && !closed && !s.isPlace(file) && !nameLine.Match(text):
		return a, Skip{file, "has a front matter without end and without name"}
	case size > MaxSize:
		return a, Mistakes{{Path: file, Text: fmt.Sprintf("must be at most %d bytes, it has %d", MaxSize, size)}}
	case !toml && found && !closed:
		return a, Mistakes{{Path: file, Line: 1, Text: "front matter: no line --- ends it"}}
	case !utf8.Valid(text):
		return a, Mistakes{{Path: file, Line: invalidLine(text), Text: "must be UTF-8"}}
	case toml:
		fields, mistakes := tomlFields(string(text))
		return a.read(s, fields, mistakes)
	case !found:
		src.body, src.bodyLine = string(text), 1
	}
	a.Instructions, a.lines["instructions"] = src.body, src.bodyLine
	fields, lenient, mistakes := src.fields()
	a.Lenient = lenient
	return a.read(s, fields, mistakes)
}

var nameLine = regexp.MustCompile(`(?m)^name:`)

// invalidLine is the first line that is not UTF-8.
func invalidLine(text []byte) int {
	lines := bytes.Split(text, []byte("\n"))
	return 1 + slices.IndexFunc(lines, func(line []byte) bool { return !utf8.Valid(line) })
}

// read fills a from the fields of its file.
func (a Agent) read(s Scope, fields []field, mistakes []Mistake) (Agent, error) {
	if why := s.refuse(a.Path, fields); why != "" && (len(mistakes) == 0 || !s.isPlace(a.Path)) {
		return a, Skip{a.Path, why}
	}
	add(&a.Tools, a.mark.Allowed, true)
	add(&a.Denied, a.mark.Denied, true)
	slices.SortStableFunc(fields, func(f, g field) int { return cmp.Compare(a.turn(f), a.turn(g)) })
	for _, f := range fields {
		if problem := a.take(f); problem != "" {
			mistakes = append(mistakes, Mistake{Line: f.line, Field: f.key, Text: problem})
		}
	}
	a.Tools = slices.DeleteFunc(a.Tools, func(tool string) bool { return slices.Contains(a.Denied, tool) })
	if a.lines["name"] == 0 {
		a.Name, a.lines["name"] = stem(a.Path), 1
	}
	a.lines["department"] = a.lines["name"]
	a.Name, a.Department = written(a.Name), written(s.department(a))
	mistakes = append(mistakes, a.check(mistakes)...)
	for _, all := range [][]Mistake{mistakes, a.Notes} {
		for i := range all {
			all[i].Path = a.Path
		}
		slices.SortStableFunc(all, compare)
	}
	if len(mistakes) > 0 {
		return a, Mistakes(mistakes)
	}
	return a, nil
}

// turn orders fields: the settings of a model need to know whether there is one.
func (a Agent) turn(f field) int {
	p, _ := placeOf(f.key, isTOML(a.Path))
	if p.Field == Temperature || p.Field == MaxTokens {
		return 1
	}
	return 0
}

// written is a name as the service will write it.
func written(text string) string {
	if n, err := name.Parse(text); err == nil {
		return n.Text
	}
	return text
}

// take takes a field into the agent and returns what is wrong with it.
func (a *Agent) take(f field) (problem string) {
	p, _ := placeOf(f.key, isTOML(a.Path))
	if first, twice := a.keys[f.key]; twice {
		return fmt.Sprintf("stands in line %d already", first)
	}
	a.keys[f.key] = f.line
	root, _, _ := strings.Cut(string(cmp.Or(p.Field, "metadata")), ".")
	if a.lines[root] == 0 {
		a.lines[root] = f.line
	}
	if p.Key != "" && f.key != p.Key {
		return fmt.Sprintf("unknown field, did you mean %q?", p.Key)
	}
	a.Notes = append(a.Notes, f.notes...)
	if f.node == nil && p.Key != "" && p.Field != Description && strings.Contains(f.text, "\n") {
		return "is not YAML and has several lines"
	}
	all, problem := a.set(p, f)
	if problem != "" || all {
		return problem
	}
	value, c := any(f.text), &converter{}
	if f.node != nil {
		value = c.value(f.node)
	} else if strings.Contains(f.text, "\n") {
		c.notes = append(c.notes, "is not YAML and is kept as a text")
	}
	for _, note := range c.notes {
		a.Notes = append(a.Notes, Mistake{Line: f.line, Field: f.key, Text: note})
	}
	a.Metadata[f.key] = value
	return c.problem
}

// set gives the field of a place the value of f. all reports whether that is all of it.
func (a *Agent) set(p Place, f field) (all bool, problem string) {
	switch p.Field {
	case Name:
		a.Name, problem = f.scalar()
		a.Name = strings.TrimSpace(a.Name)
		return true, problem
	case Description:
		a.Description, problem = f.scalar()
		return true, problem
	case Instructions:
		a.Instructions, problem = f.scalar()
		return true, problem
	case Model:
		return a.setModel(f)
	case Temperature, MaxTokens:
		return a.setNumber(p.Field, f), ""
	case Allowed, Denied:
		in, out, problem := f.tools()
		if p.Field == Denied {
			in, out = out, in // false says that a tool is not denied, which the metadata keeps
		}
		add(&a.Tools, in, p.Field == Allowed)
		add(&a.Denied, out, true)
		return len(in)+len(out) > 0 && (p.Field == Allowed || len(in) == 0), problem
	case permission:
		tools, all := denials(f.value())
		add(&a.Denied, tools, true)
		return all, ""
	case AccessLevel:
		all = fmt.Sprint(f.value()) == p.Value
		a.Restricted = a.Restricted || all
		return all, ""
	}
	return false, ""
}

// add adds the tools that a list has not yet, if wanted.
func add(list *[]string, tools []string, wanted bool) {
	for _, tool := range tools {
		if wanted && !slices.Contains(*list, tool) {
			*list = append(*list, tool)
		}
	}
}

// value is the value of a field in JSON.
func (f field) value() any {
	if f.node == nil {
		return f.text
	}
	return new(converter).value(f.node)
}

// setModel takes a word, or the first of a list.
func (a *Agent) setModel(f field) (all bool, problem string) {
	all = true
	if f.node != nil && f.node.Kind == yaml.SequenceNode && len(f.node.Content) > 0 {
		f.node, all = f.node.Content[0], false
	}
	a.Model, problem = f.scalar()
	if a.Model = strings.TrimSpace(a.Model); a.Model == "inherit" {
		a.Model, all = "", false
	}
	return all, problem
}

// setNumber takes a setting of the model, if there is a model and the service takes it.
func (a *Agent) setNumber(to Field, f field) (all bool) {
	text := f.text
	if f.node != nil && f.node.Kind == yaml.ScalarNode {
		text = f.node.Value
	}
	d, err := decimal.Parse(text)
	if err != nil || a.Model == "" {
		return false
	}
	before := *a
	if number := json.Number(d.String()); to == Temperature {
		a.Temperature = number
	} else {
		a.MaxTokens = number
	}
	if len(Rule("model", a.Fields("any")["model"])) > 0 {
		*a = before
		return false
	}
	return true
}

// scalar is the value of a field that is one text. Numbers and the like are
// taken as they are written; null is none.
func (f field) scalar() (text, problem string) {
	switch n := f.node; {
	case n == nil && strings.ContainsAny(first(f.text), "\"'|>"):
		return "", "is not YAML: quotes that do not end where the text ends, or a block that is not indented"
	case n == nil:
		return f.text, ""
	case n.Kind != yaml.ScalarNode || n.Style&yaml.TaggedStyle != 0:
		return "", "must be a text"
	case n.ShortTag() == "!!null":
		return "", ""
	default:
		return n.Value, ""
	}
}

// first is the first byte of s, if any.
func first(s string) string { return s[:min(1, len(s))] }

// tools reads a list of tools: a list, a text with commas, or a mapping that says
// of each whether it is one of them.
func (f field) tools() (in, out []string, problem string) {
	const shape = "must be a list of names or a text with commas"
	switch {
	case f.node == nil && strings.ContainsAny(first(f.text), "[{\"'|>-"):
		return nil, nil, "is not YAML: a bracket or quotes without their end, or a list with tabs"
	case f.node == nil || f.node.Kind == yaml.ScalarNode:
		text, problem := f.scalar()
		in = slices.DeleteFunc(commas(text), func(tool string) bool { return tool == "" })
		return in, nil, problem
	}
	items := f.node.Content
	for i, item := range items {
		tool := strings.TrimSpace(item.Value)
		switch {
		case item.Kind != yaml.ScalarNode:
			return nil, nil, shape
		case f.node.Kind == yaml.SequenceNode && (tool == "" || item.ShortTag() == "!!null"):
			return nil, nil, fmt.Sprintf("item %d is empty", i+1)
		case f.node.Kind == yaml.SequenceNode:
			in = append(in, tool)
		case i%2 == 0:
		case slices.Contains([]string{"true", "allow"}, strings.ToLower(tool)):
			in = append(in, strings.TrimSpace(items[i-1].Value))
		case slices.Contains([]string{"false", "deny"}, strings.ToLower(tool)):
			out = append(out, strings.TrimSpace(items[i-1].Value))
		default:
			return nil, nil, shape
		}
	}
	return in, out, ""
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
	fields := a.Fields("any")
	if a.Department == "" {
		mistakes = append(mistakes, a.mistake("department", "the file lies in no folder that names one; --department does"))
		delete(fields, "department")
	}
	delete(fields, "role") // which is the name
	for _, m := range unread {
		p, _ := placeOf(m.Field, isTOML(a.Path))
		root, _, _ := strings.Cut(string(p.Field), ".")
		delete(fields, root)
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		mistakes = append(mistakes, a.Check(field, fields[field])...)
	}
	return mistakes
}

// Check returns what is wrong with a value of a field of the agent.
func (a Agent) Check(field string, value any) (mistakes []Mistake) {
	for _, m := range Rule(field, value) {
		mistakes = append(mistakes, Mistake{Path: a.Path, Line: a.Line(field), Field: m.Path, Text: m.Text})
	}
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
	if text, ok := value.(string); err == nil && ok && (field == "name" || field == "department") {
		n, _ := name.Parse(text) // which ParsePatch has done
		err = n.CheckNew(field)
	}
	if err == nil {
		return nil
	}
	return fault.Of(err).Mistakes()
}
