package agentfiles

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"orgd/domain/decimal"
)

// maxNodes bounds a value. Aliases make a small text large, or endless.
const maxNodes = 16 << 10

// converter makes JSON of YAML.
type converter struct {
	nodes   int
	notes   []string // what could not be kept as it is written
	problem string
}

// value returns a value of YAML as one of JSON: numbers only where JSON has the same
// text for them, and dates as texts.
func (c *converter) value(n *yaml.Node) any {
	if c.nodes++; c.nodes > maxNodes {
		c.problem = fmt.Sprintf("has more than %d values", maxNodes)
		return ""
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.value(n.Alias)
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, c.value(item))
		}
		return list
	case yaml.MappingNode:
		return c.members(n)
	}
	if tag := n.ShortTag(); n.Style&yaml.TaggedStyle != 0 && tag != "!!str" {
		c.notes = append(c.notes, "the tag "+tag+" is left out")
		return n.Value
	}
	return c.scalar(n)
}

func (c *converter) members(n *yaml.Node) map[string]any {
	object := map[string]any{}
	for i := 0; i < len(n.Content) && c.problem == ""; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if _, twice := object[key.Value]; twice || key.Kind != yaml.ScalarNode {
			c.problem = fmt.Sprintf("the key %q in it stands twice or is no text", key.Value)
		}
		object[key.Value] = c.value(value)
	}
	return object
}

func (c *converter) scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		c.notes = append(c.notes, "a value that is null becomes an empty text")
		return ""
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		if d, err := decimal.Parse(n.Value); err == nil && d.String() == n.Value {
			return json.Number(n.Value)
		}
	}
	return n.Value
}

// nodeOf returns a value of TOML or JSON as one of YAML.
func nodeOf(value any) *yaml.Node {
	scalar := func(tag string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: fmt.Sprint(value)}
	}
	switch v := value.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, nodeOf(key), nodeOf(v[key]))
		}
		return n
	case []string:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v {
			n.Content = append(n.Content, nodeOf(item))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v {
			n.Content = append(n.Content, nodeOf(item))
		}
		return n
	case bool, int64, float64, json.Number:
		return scalar("") // which their text tells
	case time.Time:
		return nodeOf(v.Format(time.RFC3339Nano))
	}
	return scalar("!!str")
}

// denials returns the tools that a permission denies as a whole, and whether it says
// nothing else.
func denials(value any) (tools []string, all bool) {
	if value == "deny" {
		return []string{"*"}, true
	}
	object, ok := value.(map[string]any)
	all = ok && len(object) > 0
	for _, tool := range slices.Sorted(maps.Keys(object)) {
		rules, _ := object[tool].(map[string]any)
		if object[tool] == "deny" || len(rules) == 1 && rules["*"] == "deny" {
			tools = append(tools, tool)
		} else {
			all = false
		}
	}
	return tools, all
}
