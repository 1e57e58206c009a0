package agentfiles

import (
	"bytes"
	"testing"

	"go.yaml.in/yaml/v3"
)

// strict writes an agent as a file in strict YAML.
func strict(t *testing.T, a Agent) []byte {
	t.Helper()
	quoted := func(text string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Value: text}
	}
	tools := &yaml.Node{Kind: yaml.SequenceNode}
	for _, tool := range a.Tools {
		tools.Content = append(tools.Content, quoted(tool))
	}
	front, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		quoted("name"), quoted(a.Name), quoted("description"), quoted(a.Description), quoted("model"), quoted(a.Model), quoted("tools"), tools,
	}})
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Join([][]byte{[]byte("---\n"), front, []byte("---\n"), []byte(a.Instructions), []byte("\n")}, nil)
}
