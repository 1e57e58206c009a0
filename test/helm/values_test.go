package helm

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A value is one that can be given to the chart.
type value struct {
	path    string // such as image.tag
	initial string // as JSON
	comment string
}

// values reads values.yaml: what has no values inside, in its order.
func values(t *testing.T) []value {
	t.Helper()
	var file yaml.Node
	if err := yaml.Unmarshal([]byte(read(t, chart+"/values.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	return valuesIn(t, "", file.Content[0])
}

func valuesIn(t *testing.T, prefix string, mapping *yaml.Node) (found []value) {
	t.Helper()
	for i := 0; i < len(mapping.Content); i += 2 {
		key, node := mapping.Content[i], mapping.Content[i+1]
		if node.Kind == yaml.MappingNode && len(node.Content) > 0 {
			found = append(found, valuesIn(t, prefix+key.Value+".", node)...)
			continue
		}
		var decoded any
		if err := node.Decode(&decoded); err != nil {
			t.Fatal(err)
		}
		initial, err := json.Marshal(decoded)
		if err != nil {
			t.Fatal(err)
		}
		comment := strings.Join(strings.Fields(strings.ReplaceAll("\n"+key.HeadComment, "\n#", "\n")), " ")
		found = append(found, value{prefix + key.Value, string(initial), comment})
	}
	return found
}

// A schema is what values.schema.json says of one value, as far as it matters
// here.
type schema struct {
	Type                 any
	Description          string
	Properties           map[string]*schema
	AdditionalProperties any
	Items                *schema
	Not                  struct{ Enum []string }
}

// UnmarshalJSON leaves out schemas that are true or false.
func (s *schema) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		return nil
	}
	type plain schema
	return json.Unmarshal(text, (*plain)(s))
}

func readSchema(t *testing.T) *schema {
	t.Helper()
	s := new(schema)
	if err := json.Unmarshal([]byte(read(t, chart+"/values.schema.json")), s); err != nil {
		t.Fatal(err)
	}
	return s
}

// at returns the schema of a value, or nil.
func (s *schema) at(path string) *schema {
	for _, name := range strings.Split(path, ".") {
		if s = s.Properties[name]; s == nil {
			return nil
		}
	}
	return s
}

// Every value has a comment, and a schema that says the same.
func TestEveryValueHasASchema(t *testing.T) {
	s := readSchema(t)
	for _, v := range values(t) {
		switch of := s.at(v.path); {
		case of == nil:
			t.Errorf("%s is in values.yaml and not in the schema", v.path)
		case v.comment == "" || of.Description != v.comment:
			t.Errorf("%s: the comment is\n%q, the description\n%q", v.path, v.comment, of.Description)
		}
	}
}

// Every schema has a value, and what is not in it is refused.
func TestSchemaIsClosed(t *testing.T) {
	var paths []string
	for _, v := range values(t) {
		paths = append(paths, v.path)
	}
	open := append(paths, "global")
	var walk func(prefix string, s *schema)
	walk = func(prefix string, s *schema) {
		if s.AdditionalProperties != false {
			t.Errorf("%q takes any value", prefix)
		}
		for name, inner := range s.Properties {
			path := strings.TrimPrefix(prefix+"."+name, ".")
			if slices.Contains(open, path) {
				continue
			}
			if inner.Properties == nil {
				t.Errorf("%s is in the schema and not in values.yaml", path)
				continue
			}
			walk(path, inner)
		}
	}
	walk("", readSchema(t))
}

// ofValues are the settings that the chart writes into the file, from values of their own.
var ofValues = []string{
	"console", "public-url", "oidc-issuer", "oidc-client-id", "oidc-scopes", "oidc-audience", "oidc-role-claim", "oidc-role-map", "oidc-departments-claim",
	"redis-cluster", "redis-username", "redis-sentinel-master", "redis-sentinel-username",
}

// What the chart sets itself, and every secret that the program has, can neither
// be among the settings nor in the environment.
func TestSettingsOfTheChart(t *testing.T) {
	refused := readSchema(t).at("settings").Properties
	variables := readSchema(t).at("extraEnv").Items.Properties["name"].Not.Enum
	setting, secret := settings(t)
	for variable, name := range setting {
		if slices.Contains(secret, name) && (refused[name] == nil || !slices.Contains(variables, variable)) {
			t.Errorf("the secret %s is accepted among the settings, or %s in extraEnv", name, variable)
		}
		if slices.Contains(ofValues, name) && !slices.Contains(variables, variable) {
			t.Errorf("%s has a value of its own, and %s is accepted in extraEnv", name, variable)
		}
	}
	eachSet(t, func(t *testing.T, objects objects) {
		for _, v := range objects.server(t).container().Env {
			if v.Name == "SSL_CERT_FILE" || v.ValueFrom != nil {
				continue // from extraEnv
			}
			if !slices.Contains(variables, v.Name) {
				t.Errorf("%s is set by the chart, and accepted in extraEnv", v.Name)
			}
			if name := setting[v.Name]; name != "" && name != "config" && refused[name] == nil {
				t.Errorf("%s is set by the chart, and %s is accepted among the settings", v.Name, name)
			}
		}
		for name := range fileSettings(t, objects) {
			_, no := refused[name]
			if mine := slices.Contains(ofValues, name); no != mine {
				t.Errorf("the ConfigMap holds %s: refused among the settings: %t, from a value of its own: %t", name, no, mine)
			}
		}
	})
}

const (
	tableBegin = "<!-- from values.yaml: make helm-test TESTFLAGS=-update -->\n"
	tableEnd   = "<!-- end -->\n"
)

// The table of values in the README is that of values.yaml.
func TestReadme(t *testing.T) {
	const path = chart + "/README.md"
	text := read(t, path)
	before, rest, begun := strings.Cut(text, tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatalf("%s has no place for the table of values", path)
	}
	var table strings.Builder
	fmt.Fprint(&table, "| value | default | |\n|---|---|---|\n")
	for _, v := range values(t) {
		fmt.Fprintf(&table, "| `%s` | `%s` | %s |\n", v.path, v.initial, strings.ReplaceAll(v.comment, "|", `\|`))
	}
	want := before + tableBegin + table.String() + tableEnd + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != want {
		t.Errorf("the table of values in %s is behind values.yaml: make helm-test TESTFLAGS=-update", path)
	}
}
