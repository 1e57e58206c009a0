package fuzz

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"orgd/adapters/httpapi/apidoc"
)

// What is made without mistakes is what the schemas allow, and what is made with
// them often is not: the parts of JSON Schema that the description uses are known.
func TestValuesFollowTheirSchemas(t *testing.T) {
	doc, err := readDescription(apidoc.JSON())
	if err != nil {
		t.Fatal(err)
	}
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(apidoc.JSON()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("doc:openapi", text); err != nil {
		t.Fatal(err)
	}
	const each = 200
	for _, op := range doc.operations {
		if op.body == nil {
			continue
		}
		for media, content := range op.body.Content {
			check, err := compiler.Compile("doc:openapi" + content.Schema.Ref)
			if err != nil {
				t.Fatal(err)
			}
			v := values{Rand: rand.New(rand.NewPCG(1, 0)), doc: doc, pool: newPool("")}
			refused := 0
			for i := range 2 * each {
				if i == each {
					v.spoil = 100
				}
				value := encoded(v.value("", content.Schema))
				read, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
				if err != nil {
					t.Fatal(err)
				}
				if json.Unmarshal([]byte(value), new(any)) != nil {
					refused++ // for a number that the validator of schemas cannot read
					continue
				}
				switch err := check.Validate(read); {
				case err != nil && v.spoil == 0:
					t.Fatalf("%s %s: %.500s\n%v", op.id, media, value, err)
				case err != nil:
					refused++
				}
			}
			if refused < each/10 {
				t.Errorf("%s %s: %d of %d values with mistakes are none, want at least a tenth", op.id, media, each-refused, each)
			}
		}
	}
}
