package apidoc_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"

	"orgd/adapters/httpapi/apidoc"
)

// walkSchemas calls visit for every schema of the document, those of parameters,
// headers and bodies included.
func (d document) walkSchemas(visit func(pointer string, n node)) {
	d.walk(func(at string, n node) {
		if strings.Contains(at, "/example") {
			return
		}
		steps := strings.Split(at, "/")
		last, parent := steps[len(steps)-1], ""
		if len(steps) > 1 {
			parent = steps[len(steps)-2]
		}
		switch {
		case slices.Contains([]string{"schema", "items", "additionalProperties", "propertyNames"}, last) && parent != "properties",
			slices.Contains([]string{"properties", "anyOf", "oneOf", "allOf"}, parent),
			strings.HasPrefix(at, "/components/schemas/") && len(steps) == 4:
			visit(at, n)
		}
	})
}

// types returns the types that a schema allows.
func types(n node) []string {
	switch t := n["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var all []string
		for _, v := range t {
			all = append(all, v.(string))
		}
		return all
	}
	return nil
}

// The dialects of Go, JavaScript with and without the flag u, Python, Java and Rust
// read such patterns, and alike.
func TestPatternsAreReadEverywhere(t *testing.T) {
	escapes := regexp.MustCompile(`\\(.)`)
	n := 0
	open(t).walkSchemas(func(at string, s node) {
		pattern, ok := s["pattern"].(string)
		if !ok {
			return
		}
		n++
		if _, err := regexp.Compile(pattern); err != nil {
			t.Errorf("%s: %v", at, err)
		}
		if strings.ContainsFunc(pattern, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%s: %q is not visible ASCII", at, pattern)
		}
		for _, e := range escapes.FindAllStringSubmatch(pattern, -1) {
			if !strings.Contains(`xt.*\`, e[1]) {
				t.Errorf("%s: %q has \\%s, which some dialects do not know", at, pattern, e[1])
			}
		}
		if strings.Contains(pattern, "(?") || strings.Contains(pattern, "[:") {
			t.Errorf("%s: %q has groups or classes that some dialects do not know", at, pattern)
		}
		if !strings.HasPrefix(pattern, "^") || !strings.HasSuffix(pattern, "$") {
			t.Errorf("%s: %q has no anchors", at, pattern)
		}
		if s["format"] != nil { // Python would match a UUID or a time, which are no texts
			t.Errorf("%s: has a pattern beside a format", at)
		}
	})
	if n < 15 {
		t.Errorf("there are %d patterns, want 15 at least", n)
	}
}

// Without a format some generators make numbers of single precision: 20000001.99
// would become 20000002.
func TestNumbersHaveDoublePrecision(t *testing.T) {
	n := 0
	open(t).walkSchemas(func(at string, s node) {
		if !slices.Contains(types(s), "number") {
			return
		}
		n++
		if s["format"] != "double" {
			t.Errorf("%s: format = %v, want double", at, s["format"])
		}
	})
	if n < 12 {
		t.Errorf("there are %d numbers, want 12 at least", n)
	}
}

// keywords are what the schemas of the document are written with, and names for words that two
// lists have, without which Go of openapi-generator does not compile. Anything else is a
// mistake, such as the rest of a text with a comma that is not quoted.
var keywords = strings.Fields(`$ref additionalProperties anyOf const default dependentRequired description
	discriminator enum format items maxItems maxLength maxProperties maximum minItems minLength minProperties
	minimum oneOf pattern properties propertyNames required type uniqueItems x-enum-varnames`)

// Generators for OpenAPI 3.0 read exclusiveMaximum and exclusiveMinimum as flags, many
// know one type beside null only, and those for Go have neither constants nor lists as
// defaults of named types.
func TestSchemasAreReadEverywhere(t *testing.T) {
	open(t).walkSchemas(func(at string, s node) {
		for _, k := range slices.Sorted(maps.Keys(s)) {
			if !slices.Contains(keywords, k) {
				t.Errorf("%s: has %q", at, k)
			}
		}
		all := types(s)
		named := slices.DeleteFunc(slices.Clone(all), func(t string) bool { return t == "null" })
		inAnyOf := strings.Contains(at[:strings.LastIndex(at, "/")+1], "/anyOf/")
		switch {
		case len(named) > 1:
			t.Errorf("%s: type = %v, want one beside null", at, all)
		case len(all) > 0 && len(named) == 0 && !inAnyOf:
			t.Errorf("%s: has the type null alone", at)
		case slices.Contains(all, "array") && s["items"] == nil:
			t.Errorf("%s: is an array without items", at)
		}
		switch s["default"].(type) {
		case []any, node:
			t.Errorf("%s: default = %v, want it in words", at, s["default"])
		}
		if _, ok := s["default"]; ok && slices.Contains(all, "object") {
			t.Errorf("%s: is an object with a default, which ogen does not know", at)
		}
		value, isConst := s["const"]
		if isConst && (value == nil || strings.Count(at, "/") == 3 && strings.HasPrefix(at, "/components/schemas/")) {
			t.Errorf("%s: const = %v, want constants that are not null, where they are used", at, value)
		}
		if _, isBool := value.(bool); isBool { // openapi-generator makes a list of words of it
			t.Errorf("%s: const = %v, want it in words", at, value)
		}
	})
}

// openapi-generator does not know that a scalar or map which is referred to may be null, unless
// that is a list of words.
func TestNullablesHaveTwoTypes(t *testing.T) {
	d, n := open(t), 0
	d.walkSchemas(func(at string, s node) {
		if slices.Contains(types(s), "null") && len(types(s)) == 2 {
			n++
		}
		list, _ := s["anyOf"].([]any)
		for i := range list {
			part, from := d.object(at + "/anyOf/" + strconv.Itoa(i))
			kind, _ := part["type"].(string)
			if kind != "null" && kind != "array" && part["enum"] == nil && part["properties"] == nil {
				t.Errorf("%s: %s is of type %v, want both types where it is used", at, from, part["type"])
			}
		}
	})
	if n < 50 {
		t.Errorf("there are %d scalars and maps that may be null, want 50 at least", n)
	}
}

// In Go, openapi-generator makes constants of the words of all lists in one namespace: a word
// that two lists have needs two names.
func TestWordsHaveNamesOfTheirOwn(t *testing.T) {
	taken := map[string]string{}
	for name, schema := range open(t).root["components"].(node)["schemas"].(node) {
		words, _ := schema.(node)["enum"].([]any)
		names, named := schema.(node)["x-enum-varnames"].([]any)
		if named && len(names) != len(words) {
			t.Errorf("%s: has %d words and %d names", name, len(words), len(names))
		}
		for i := range words {
			word, ok := words[i].(string)
			if !ok {
				continue // a number, whose name begins with it
			}
			if named {
				word = names[i].(string)
			}
			constant := strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(word))
			if other := taken[constant]; other != "" {
				t.Errorf("%s and %s both have %q", name, other, word)
			}
			taken[constant] = name
		}
	}
}

// Generators make types of all kinds of components, and of operations, in one
// namespace, where letter case and punctuation do not count.
func TestNamesOfComponents(t *testing.T) {
	d := open(t)
	plain := func(name string) string {
		return strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, name)
	}
	taken := map[string]string{}
	take := func(name, what string) {
		if other, ok := taken[plain(name)]; ok {
			t.Errorf("%s: has the name of %s", what, other)
		}
		taken[plain(name)] = what
	}
	for _, op := range d.operations() {
		for _, suffix := range strings.Fields("Request Requests Response Responses Res Req Params Body JSONBody JSONRequestBody Data Error Errors Result") {
			take(op.ID+suffix, "what is made for "+op.ID)
		}
	}
	for kind, list := range d.root["components"].(node) {
		if kind == "examples" || kind == "securitySchemes" {
			continue // nothing is made of them
		}
		for name := range list.(node) {
			take(name, kind+"/"+name)
			if kind == "schemas" && strings.HasSuffix(name, "Response") {
				t.Errorf("%s/%s: ends as what is made for operations", kind, name)
			}
		}
	}
}

// A list of an answer is as unique as the list of the request that it comes from.
func TestListsAreAsUniqueAsTheyWereSent(t *testing.T) {
	d := open(t)
	for input, output := range map[string]string{"UpdateProjectRequest": "Project", "CreateTeam": "Team", "UpdateAuthority": "Authority", "UpdateWebhookRequest": "Webhook"} {
		sent, _ := d.object("/components/schemas/" + input + "/properties")
		for field := range sent {
			from, _ := d.object("/components/schemas/" + input + "/properties/" + field)
			to, at := d.object("/components/schemas/" + output + "/properties/" + field)
			if from["uniqueItems"] != to["uniqueItems"] {
				t.Errorf("%s: uniqueItems = %v, but %v in %s", at, to["uniqueItems"], from["uniqueItems"], input)
			}
		}
	}
}

// Tools for agents show the description of an operation alone.
func TestDescriptionsBeginWithSummaries(t *testing.T) {
	d := open(t)
	tags := map[string]bool{}
	for _, tag := range d.root["tags"].([]any) {
		tags[tag.(node)["name"].(string)] = true
	}
	message := d.message()
	if list, _ := message.node["tags"].([]any); message.ID == "" || len(list) != 1 || !tags[list[0].(string)] {
		t.Errorf("%s: operationId = %q, tags = %v, want one of each", message.at, message.ID, list)
	}
	for _, op := range append(d.operations(), message) {
		summary, _ := op.node["summary"].(string)
		description, _ := op.node["description"].(string)
		if rest, ok := strings.CutPrefix(description, summary+".\n"); !ok || strings.TrimSpace(rest) == "" {
			t.Errorf("%s: description = %.60q, want it to begin with %q and to say more", op.at, description, summary+".")
		}
	}
}

// The document can be read by parsers of YAML 1.1 and 1.2 alike: collections in
// brackets and quoted texts stand on one line, and nothing is read as a date, a word for
// a boolean, a number in another base or a merge.
func TestYAMLIsReadEverywhere(t *testing.T) {
	var root yaml.Node
	if err := yaml.Unmarshal(apidoc.YAML(), &root); err != nil {
		t.Fatal(err)
	}
	odd := regexp.MustCompile(`^(?i:y|yes|n|no|on|off|<<|=|[-+]?0[0-9_]+|[-+]?0[box].*|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9]*)?|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*|[-+]?\.(inf|nan)|[-+]?[0-9]+e[-+]?[0-9]+)$`)
	lines := strings.Split(string(apidoc.YAML()), "\n")
	var walk func(n *yaml.Node, flow int)
	walk = func(n *yaml.Node, flow int) {
		if flow != 0 && n.Line != flow {
			t.Errorf("line %d: a collection in brackets goes on here", n.Line)
			return
		}
		if n.Style&yaml.FlowStyle != 0 && len(n.Content) > 0 {
			flow = n.Line
		}
		switch {
		case n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0:
			t.Errorf("line %d: an anchor, alias or tag", n.Line)
		case n.Kind != yaml.ScalarNode:
		case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
			if quote := lines[n.Line-1][n.Column-1:]; len(quote) < 2 || !strings.ContainsAny(quote[1:], quote[:1]) {
				t.Errorf("line %d: a quoted text goes on in the next line", n.Line)
			}
		case n.Style == 0 && odd.MatchString(n.Value):
			t.Errorf("line %d: %s needs quotes", n.Line, n.Value)
		}
		for _, c := range n.Content {
			walk(c, flow)
		}
	}
	walk(&root, 0)
	for i, line := range lines {
		if text := strings.TrimSpace(line); text == "]" || text == "}" || strings.Contains(line, "\t") {
			t.Errorf("line %s: a bracket alone, or a tab", strconv.Itoa(i+1))
		}
	}
}

// The product has its name, and somebody answers for it.
func TestInfo(t *testing.T) {
	info, _ := open(t).object("/info")
	contact, _ := info["contact"].(node)
	if info["title"] != "orgd" || contact["name"] == nil {
		t.Errorf("title = %v, contact = %v, want orgd and a name", info["title"], contact)
	}
}
