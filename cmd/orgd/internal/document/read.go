package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"orgd/cmd/orgd/internal/terminal"
)

// parse reads the text as one value of YAML 1.2 under its core schema. It returns its nodes,
// its JSON, and what JSON cannot say or what might be taken for something else. The node of an
// empty text has no kind.
func (d File) parse() (root *yaml.Node, text []byte, mistakes []Mistake) {
	c := converter{file: d.Name}
	if root = c.load(d.Text); len(c.mistakes) == 0 {
		c.value(root)
	}
	return root, c.json, c.mistakes
}

// json returns the document as the service takes it. It is sent as it is if it is JSON, so that
// the service finds the lines of its mistakes.
func (d File) json() ([]byte, []Mistake) {
	if !d.yaml || json.Valid(d.Text) {
		return d.Text, nil
	}
	root, text, mistakes := d.parse()
	switch {
	case root.Kind == 0:
		text = []byte("{}")
	case root.Kind != yaml.MappingNode && len(mistakes) == 0:
		mistakes = []Mistake{{File: d.Name, Line: root.Line, Text: "the document must be an object"}}
	}
	return text, mistakes
}

// jsonOf returns the JSON of a node that was read without a mistake.
func jsonOf(n *yaml.Node) []byte {
	var c converter
	c.value(n)
	return c.json
}

// converter writes nodes as JSON, and keeps what is wrong with them.
type converter struct {
	file     string
	json     []byte
	mistakes []Mistake
}

func (c *converter) fail(line int, format string, args ...any) {
	c.mistakes = append(c.mistakes, Mistake{File: c.file, Line: line, Text: fmt.Sprintf(format, args...)})
}

// load returns the nodes of the one document in a text. Those of JSON have no lines.
func (c *converter) load(text []byte) *yaml.Node {
	if json.Valid(text) {
		root, _ := terminal.ParseJSON(text) // it is JSON
		return root
	}
	switch {
	case !utf8.Valid(text):
		c.fail(0, "the text is not UTF-8")
	case bytes.HasPrefix(text, []byte("\uFEFF")):
		c.fail(1, "a byte order mark is not allowed")
	case bytes.HasPrefix(text, []byte("%")):
		c.fail(1, "directives are not allowed")
	}
	if len(c.mistakes) > 0 {
		return &yaml.Node{}
	}
	var doc, second yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	err := d.Decode(&doc)
	if err == nil {
		if err = d.Decode(&second); err == nil {
			c.fail(second.Line, "only one document is allowed")
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		c.unreadable(text, err)
	}
	if len(doc.Content) == 0 {
		return &doc
	}
	return doc.Content[0]
}

var lineInError = regexp.MustCompile(`^yaml: line ([0-9]+): `)

// unreadable reports an error of the library. It names no line if that is the first, and none
// of anchors and characters.
func (c *converter) unreadable(text []byte, err error) {
	_, anchor, isAlias := strings.Cut(err.Error(), "unknown anchor '")
	switch m := lineInError.FindStringSubmatch(err.Error()); {
	case isAlias:
		anchor, _, _ = strings.Cut(anchor, "'")
		c.fail(lineAt(text, bytes.Index(text, []byte("*"+anchor))), "aliases are not allowed")
	case strings.Contains(err.Error(), "control characters"):
		c.fail(lineAt(text, bytes.IndexFunc(text, isControl)), "a control character must be an escape in double quotes")
	case m != nil:
		line, _ := strconv.Atoi(m[1]) // digits
		c.fail(line, notYAML)
	default:
		c.fail(1, notYAML)
	}
}

const notYAML = "this is not YAML, or something before it is not closed"

func isControl(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n\u0085", r) }

// lineAt returns the line of an offset, 0 if that is negative.
func lineAt(text []byte, at int) int {
	if at < 0 {
		return 0
	}
	return 1 + bytes.Count(text[:at], []byte("\n"))
}

// value appends a value with its members in order.
func (c *converter) value(n *yaml.Node) {
	c.check(n)
	switch n.Kind {
	case yaml.MappingNode:
		c.object(n)
	case yaml.SequenceNode:
		c.json = append(c.json, '[')
		for i, item := range n.Content {
			if i > 0 {
				c.json = append(c.json, ',')
			}
			c.value(item)
		}
		c.json = append(c.json, ']')
	case yaml.ScalarNode:
		text, isText := resolve(n)
		switch {
		case isText:
			text = terminal.JSON(n.Value)
		case text == "":
			c.fail(n.Line, "%s is not a number that JSON has", n.Value)
		}
		c.json = append(c.json, text...)
	}
}

// check refuses what JSON cannot say.
func (c *converter) check(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		c.fail(n.Line, "aliases are not allowed")
	case n.Anchor != "":
		c.fail(n.Line, "anchors are not allowed")
	case n.Style&yaml.TaggedStyle != 0:
		c.fail(n.Line, "tags are not allowed")
	}
}

func (c *converter) object(n *yaml.Node) {
	seen := make(map[string]bool, len(n.Content)/2)
	c.json = append(c.json, '{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if c.key(key); seen[key.Value] {
			c.fail(key.Line, "duplicate key %q", key.Value)
		}
		if seen[key.Value] = true; i > 0 {
			c.json = append(c.json, ',')
		}
		c.json = append(append(c.json, terminal.JSON(key.Value)...), ':')
		c.value(n.Content[i+1])
	}
	c.json = append(c.json, '}')
}

// key accepts a key that is a string.
func (c *converter) key(n *yaml.Node) {
	c.check(n)
	_, isText := resolve(n)
	switch {
	case n.Kind == yaml.AliasNode: // refused already
	case n.Kind != yaml.ScalarNode:
		c.fail(n.Line, "a key must be a string")
	case n.ShortTag() == "!!merge":
		c.fail(n.Line, "merge keys are not allowed")
	case !isText:
		c.fail(n.Line, "the key %s is not a string; put it in quotes", n.Value)
	}
}

var noNumber = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)

// resolve returns what a scalar is under the core schema: a text, or else its JSON, "" if JSON
// has no such value. Texts that come from JSON have a tag and no line.
func resolve(n *yaml.Node) (text string, isText bool) {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Style&quoted != 0 || n.Line == 0 && n.Tag == "!!str" {
		return "", true
	}
	switch s := n.Value; s {
	case "", "~", "null", "Null", "NULL":
		return "null", false
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return strings.ToLower(s), false
	default:
		switch {
		case terminal.YAMLNumber.MatchString(s):
			return number(s), false
		case noNumber.MatchString(s):
			return "", false
		}
		return "", true
	}
}

// number writes a number as JSON does: YAML has two other bases, and allows a plus, leading
// zeros, and a point without digits on one side.
func number(s string) string {
	if json.Valid([]byte(s)) {
		return s
	}
	if base := map[string]int{"0o": 8, "0x": 16}[s[:min(2, len(s))]]; base > 0 {
		n, err := strconv.ParseUint(s[2:], base, 64)
		if err != nil {
			return ""
		}
		return strconv.FormatUint(n, 10)
	}
	digits := strings.TrimLeft(s, "+-")
	sign := strings.TrimPrefix(s[:len(s)-len(digits)], "+")
	mantissa, exponent := digits, ""
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		mantissa, exponent = digits[:at], digits[at:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction + exponent
}
