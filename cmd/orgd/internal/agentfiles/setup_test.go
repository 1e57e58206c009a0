package agentfiles

import (
	"bytes"
	"encoding/json"
	"testing"

	"go.yaml.in/yaml/v3"
)

// strict writes an agent as a file in strict YAML.
func strict(t *testing.T, a Agent) []byte {
	t.Helper()
	quoted := func(text string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Value: text}
	}
	list := func(tools []string) *yaml.Node {
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, tool := range tools {
			n.Content = append(n.Content, quoted(tool))
		}
		return n
	}
	all := []*yaml.Node{quoted("name"), quoted(a.Name), quoted("description"), quoted(a.Description)}
	put := func(key string, value *yaml.Node) {
		if _, kept := a.Metadata[key]; !kept {
			all = append(all, quoted(key), value)
		}
	}
	put("model", quoted(a.Model))
	for key, tools := range map[string][]string{"tools": a.Tools, "disallowedTools": a.Denied} {
		if len(tools) > 0 {
			put(key, list(tools))
		}
	}
	for key, number := range map[string]json.Number{"temperature": a.Temperature, "maxTokens": a.MaxTokens} {
		if number != "" {
			put(key, &yaml.Node{Kind: yaml.ScalarNode, Value: string(number)})
		}
	}
	for key, value := range a.Metadata {
		all = append(all, quoted(key), nodeOf(value))
	}
	front, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: all})
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Join([][]byte{[]byte("---\n"), front, []byte("---\n"), []byte(a.Instructions)}, nil)
}
