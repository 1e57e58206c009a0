package agentfiles

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

// Render writes an agent as the file of a format, without some keys of its metadata. lacks
// are the fields that the file does not say.
func Render(f Format, file string, is client.AgentIdentity, omit []string) (text []byte, lacks []string, err error) {
	a := agentOf(is)
	front := a.front(f)
	read := func(front []field) (lacks []string) {
		if text, err = encode(f, Mark{Department: is.Department}, front, a.Instructions); err == nil {
			got, bad := Scope{}.Parse(file, text)
			if lacks, err = missing(got, is); bad != nil || got.Lenient {
				lacks = append(lacks, "front matter")
			}
		}
		return lacks
	}
	if lacks = read(front); err != nil {
		return nil, nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(a.Metadata)) {
		more := append(slices.DeleteFunc(slices.Clone(front), func(f field) bool { return f.key == key }), field{key: key, node: nodeOf(a.Metadata[key])})
		if slices.Contains(omit, key) || slices.Contains(omit, "*") {
			continue
		}
		now := read(more)
		worse := func(field string) bool { return !slices.Contains(lacks, field) }
		if err == nil && len(now) < len(lacks) && !slices.ContainsFunc(now, worse) { // else the format cannot say it
			front, lacks = more, now
		}
	}
	if slices.Contains(lacks, "tools.allowed") {
		a.mark.Allowed = a.Tools
	}
	if slices.Contains(lacks, "tools.denied") {
		a.mark.Denied = a.Denied
	}
	text, err = encode(f, a.mark, front, a.Instructions)
	return text, lacks, err
}

// agentOf returns what a file may say of an agent.
func agentOf(is client.AgentIdentity) Agent {
	a := Agent{
		Name: is.Name, Description: is.Description, Tools: is.Tools.Allowed, Denied: is.Tools.Denied,
		Restricted: is.Tools.AccessLevel == "restricted", Instructions: is.Instructions, Metadata: is.Metadata,
		mark: Mark{Department: is.Department},
	}
	if is.Role != is.Name {
		a.mark.Role = is.Role
	}
	if m := is.Model; m != nil {
		a.Model, a.mark.Provider = m.ModelID, m.Provider
		if m.Temperature != client.Decimal(defaultTemperature) {
			a.Temperature = json.Number(m.Temperature)
		}
		if n := json.Number(strconv.FormatInt(m.MaxTokens, 10)); n != defaultMaxTokens {
			a.MaxTokens = n
		}
	}
	return a
}

// front returns the keys that a format has for the fields of a, where they say something.
func (a Agent) front(f Format) (all []field) {
	seen := map[Field]bool{}
	for _, p := range Places {
		if !slices.Contains(p.Formats, f) || seen[p.Field] {
			continue
		}
		seen[p.Field] = true
		if n := a.node(f, p); n.Value != "" || len(n.Content) > 0 {
			all = append(all, field{key: p.Key, node: n})
		}
	}
	return all
}

// node returns the value of a key, which may be empty.
func (a Agent) node(f Format, p Place) *yaml.Node {
	switch {
	case p.Field == Allowed && f == OpenCode:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, tool := range slices.Concat(a.Tools, a.Denied) {
			n.Content = append(n.Content, nodeOf(tool), nodeOf(slices.Contains(a.Tools, tool)))
		}
		return n
	case p.Field == Allowed:
		return nodeOf(a.Tools)
	case p.Field == Denied:
		return nodeOf(a.Denied)
	case p.Field == AccessLevel && a.Restricted:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: p.Value}
	case p.Field == Temperature:
		return nodeOf(a.Temperature)
	case p.Field == MaxTokens:
		return nodeOf(a.MaxTokens)
	}
	texts := map[Field]string{Name: a.Name, Description: a.Description, Instructions: a.Instructions, Model: a.Model}
	return nodeOf(texts[p.Field])
}

// missing returns the fields in which an agent that is hired from a file is not as it is.
// What only the mark has is none of them.
func missing(got Agent, is client.AgentIdentity) (fields []string, err error) {
	said := got.Fields("any")
	said["id"], said["hiring_date"], said["role"], said["department"] = is.ID, is.HiringDate, is.Role, is.Department
	if model, ok := said["model"].(map[string]any); ok && is.Model != nil {
		model["provider"] = is.Model.Provider
	}
	before, err := canonical(said)
	if err != nil {
		before = "{}" // the file says nothing that can be read
	}
	after, err := canonical(is)
	jsondoc.Differences(before, after, func(path []string, _, _ string) {
		depth := 1
		if slices.Contains([]string{"model", "tools", "metadata"}, path[0]) {
			depth = min(2, len(path))
		}
		fields = append(fields, strings.Join(path[:depth], "."))
	})
	return slices.Compact(fields), err
}

// canonical returns an identity with all defaults.
func canonical(of any) (string, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return "", err
	}
	v, err := jsondoc.Parse(text)
	if err != nil {
		return "", err
	}
	c, err := identity.Parse(v.Append(nil))
	return c.Canonical(), err
}

// encode writes a file.
func encode(f Format, m Mark, front []field, instructions string) ([]byte, error) {
	var b bytes.Buffer
	if f == Codex {
		b.WriteString(marked + terminal.JSON(m) + "\n")
		err := writeTOML(&b, front)
		return b.Bytes(), err
	}
	b.WriteString(fence + "\n" + marked + terminal.JSON(m) + "\n")
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, e := range front {
		n.Content = append(n.Content, nodeOf(e.key), e.node)
	}
	quote(n)
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	b.WriteString(fence + "\n" + instructions)
	return b.Bytes(), nil
}

// plain are the texts that every release of YAML reads as texts without quotes, if the
// encoder thinks so too; words are those that some take for values.
var (
	plain = regexp.MustCompile(`^\pL`)
	words = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|nan)$`)
)

// quote gives the values of YAML their style: blocks for texts of several lines, and one line
// for lists of words.
func quote(n *yaml.Node) {
	inLine := n.Kind == yaml.SequenceNode
	for _, inner := range n.Content {
		quote(inner)
		inLine = inLine && inner.Kind == yaml.ScalarNode && inner.Style != yaml.LiteralStyle
	}
	hidden := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	switch text := n.Value; {
	case inLine:
		n.Style = yaml.FlowStyle
	case n.Kind != yaml.ScalarNode || n.Tag != "!!str":
	case !plain.MatchString(text), words.MatchString(text), strings.ContainsFunc(text, hidden):
		n.Style = yaml.DoubleQuotedStyle
	case strings.Contains(text, "\n"):
		n.Style = yaml.LiteralStyle
	}
}

// writeTOML writes fields, tables last: a key behind a table would belong to it.
func writeTOML(b *bytes.Buffer, front []field) error {
	var tables []byte
	for _, f := range front {
		var value any
		if err := f.node.Decode(&value); err != nil {
			return err
		}
		line, err := toml.Marshal(map[string]any{f.key: value})
		if strings.Contains(f.node.Value, "\n") {
			line, err = toml.Marshal(struct {
				Text string `toml:"text,multiline"`
			}{f.node.Value})
			key, _ := toml.Marshal(map[string]any{f.key: ""}) // is a text, which TOML has
			line = append(bytes.TrimSuffix(key, []byte(" = ''\n")), bytes.TrimPrefix(line, []byte("text"))...)
		}
		if err != nil {
			return err
		}
		if line[0] == '[' {
			tables = append(tables, line...)
			continue
		}
		b.Write(line)
	}
	b.Write(tables)
	return nil
}
