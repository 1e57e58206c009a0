package yamldoc

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"orgd/domain/decimal"
	"orgd/domain/jsondoc"
)

// Parse reads text, which begins at the line first of its document, as one JSON
// value of at most depth levels. Anything else is [ErrSyntax].
func Parse(text []byte, first, depth int) (jsondoc.Value, error) {
	root, err := load(text, first)
	if err != nil {
		return jsondoc.Value{}, err
	}
	c := converter{w: jsondoc.NewWriter(make([]byte, 0, len(text)+len(text)/4)), before: first - 1, depth: depth}
	if err := c.value(root); err != nil {
		return jsondoc.Value{}, err
	}
	return jsondoc.ParseStored(c.w.Bytes())
}

// load reads the nodes of the one document in text.
func load(text []byte, first int) (root *yaml.Node, err error) {
	switch {
	case !utf8.Valid(text):
		return nil, Wrong(first, "the text is not UTF-8")
	case bytes.HasPrefix(text, []byte("\uFEFF")):
		return nil, Wrong(first, "a byte order mark is not allowed")
	case bytes.HasPrefix(text, []byte("%")):
		return nil, Wrong(first, "directives are not allowed")
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, Wrong(first, "there is nothing")
	} else if err != nil {
		return nil, unreadable(err, first)
	}
	if err := d.Decode(&second); err == nil {
		return nil, Wrong(first-1+second.Line, "only one document is allowed")
	} else if !errors.Is(err, io.EOF) {
		return nil, unreadable(err, first)
	}
	return doc.Content[0], nil
}

var lineOf = regexp.MustCompile(`^yaml: line ([0-9]+): `)

// known are sentences about what the library refuses although it may be YAML, by a part of
// its own.
var known = []struct{ part, sentence string }{
	{"unknown anchor", "aliases are not allowed"},
	{"control characters", "a control character must be an escape in double quotes"},
	{"exceeded max", "nested too deeply"},
}

// unreadable is an error of the library, of which only the line is told.
func unreadable(err error, first int) error {
	for _, k := range known {
		if strings.Contains(err.Error(), k.part) {
			return Wrong(first, "%s", k.sentence)
		}
	}
	if m := lineOf.FindStringSubmatch(err.Error()); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return Wrong(first-1+n, "this is not YAML, or something before it is not closed")
		}
	}
	return Wrong(first, "this is not YAML")
}

// converter writes the nodes of a document as JSON.
type converter struct {
	w      *jsondoc.Writer
	before int // lines before the text
	depth  int // levels that may still be opened
}

func (c *converter) fail(n *yaml.Node, format string, args ...any) error {
	return Wrong(c.before+n.Line, format, args...)
}

// plain refuses what JSON cannot say.
func (c *converter) plain(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return c.fail(n, "aliases are not allowed")
	case n.Anchor != "":
		return c.fail(n, "anchors are not allowed")
	case n.Style&yaml.TaggedStyle != 0:
		return c.fail(n, "tags are not allowed")
	}
	return nil
}

func (c *converter) value(n *yaml.Node) error {
	if err := c.plain(n); err != nil {
		return err
	}
	switch {
	case n.Kind == yaml.ScalarNode:
		return c.scalar(n)
	case c.depth == 0:
		return c.fail(n, "nested too deeply")
	}
	c.depth--
	defer func() { c.depth++ }()
	if n.Kind == yaml.MappingNode {
		return c.object(n)
	}
	c.w.OpenList()
	for _, item := range n.Content {
		if err := c.value(item); err != nil {
			return err
		}
	}
	c.w.CloseList()
	return nil
}

func (c *converter) object(n *yaml.Node) error {
	seen := make(map[string]bool, len(n.Content)/2)
	c.w.Open()
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if err := c.key(key); err != nil {
			return err
		}
		if seen[key.Value] {
			return c.fail(key, "duplicate key %q", key.Value)
		}
		seen[key.Value] = true
		c.w.Field(key.Value)
		if err := c.value(n.Content[i+1]); err != nil {
			return err
		}
	}
	c.w.Close()
	return nil
}

// key accepts a key that is a string.
func (c *converter) key(n *yaml.Node) error {
	if err := c.plain(n); err != nil {
		return err
	}
	switch {
	case n.Kind != yaml.ScalarNode:
		return c.fail(n, "a key must be a string")
	case isPlainStyle(n) && n.Value == "<<":
		return c.fail(n, "merge keys are not allowed")
	}
	if _, isText := resolve(n); !isText {
		return c.fail(n, "the key %s is not a string; put it in quotes", n.Value)
	}
	return nil
}

func (c *converter) scalar(n *yaml.Node) error {
	json, isText := resolve(n)
	switch {
	case isText:
		c.w.Text(n.Value)
	case json == "":
		return c.fail(n, "%s is not a number that JSON has", n.Value)
	default:
		c.w.Raw(json)
	}
	return nil
}

func isPlainStyle(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

var (
	octal       = regexp.MustCompile(`^0o[0-7]+$`)
	hexadecimal = regexp.MustCompile(`^0x[0-9a-fA-F]+$`)
	number      = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	noNumber    = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// resolve returns what a scalar is under the core schema: a text, or else its
// JSON, "" if JSON has no such value.
func resolve(n *yaml.Node) (json string, isText bool) {
	if !isPlainStyle(n) {
		return "", true
	}
	switch s := n.Value; s {
	case "", "~", "null", "Null", "NULL":
		return "null", false
	case "true", "True", "TRUE":
		return "true", false
	case "false", "False", "FALSE":
		return "false", false
	default:
		if c := s[0]; c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
			return "", true
		}
		switch {
		case number.MatchString(s):
			return jsonNumber(s), false
		case octal.MatchString(s):
			return inBase(s[2:], 8), false
		case hexadecimal.MatchString(s):
			return inBase(s[2:], 16), false
		case noNumber.MatchString(s):
			return "", false
		}
		return "", true
	}
}

func inBase(digits string, base int) string {
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

// jsonNumber writes a decimal number as JSON does: YAML allows a plus, leading
// zeros, and a point without digits on one side.
func jsonNumber(s string) string {
	sign := ""
	if s[0] == '-' {
		sign = "-"
	}
	s = strings.TrimLeft(s, "+-")
	mantissa, exponent := s, ""
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		mantissa, exponent = s[:at], s[at:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	d, err := decimal.Parse(sign + whole + fraction + exponent)
	if err != nil {
		return ""
	}
	return string(d)
}
