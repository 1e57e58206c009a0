package reference

import (
	"iter"

	"go.yaml.in/yaml/v3"
)

// at is what stands at a path, or a node that is zero.
func at(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		n = member(n, name)
	}
	return n
}

func member(n *yaml.Node, name string) *yaml.Node {
	for key, value := range members(n) {
		if key == name {
			return value
		}
	}
	return &yaml.Node{}
}

// members are the members of an object in the order of the document.
func members(n *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		if n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.Content[i+1]) {
				return
			}
		}
	}
}
