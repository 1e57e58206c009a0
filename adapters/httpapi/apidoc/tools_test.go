package apidoc_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// schemas of the document are found by where they stand: walkSchemas calls visit for
// each, those of parameters, headers and bodies included.
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
			if !strings.Contains(`x.*\`, e[1]) {
				t.Errorf("%s: %q has \\%s, which some dialects do not know", at, pattern, e[1])
			}
		}
		if strings.Contains(pattern, "(?") || strings.Contains(pattern, "[:") {
			t.Errorf("%s: %q has groups or classes that some dialects do not know", at, pattern)
		}
		if !strings.HasPrefix(pattern, "^") || !strings.HasSuffix(pattern, "$") {
			t.Errorf("%s: %q has no anchors", at, pattern)
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
