package apidoc_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"orgd/adapters/httpapi/apidoc"
)

// The schema stands alone, takes what the service exports, and refuses what the
// service would.
func TestOrganizationSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(apidoc.OrganizationSchema()))
	if err != nil {
		t.Fatalf("UnmarshalJSON = %v", err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("doc:schema", doc); err != nil {
		t.Fatalf("AddResource = %v", err)
	}
	schema, err := c.Compile("doc:schema")
	if err != nil {
		t.Fatalf("Compile = %v", err)
	}
	d := open(t)
	for _, name := range []string{"organization_input", "organization_document"} {
		e, _ := d.object("/components/examples/" + name)
		if err := schema.Validate(e["value"]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{
		`{}`, `[]`, `{"format":2}`, `{"format":1,"x":1}`, `{"format":1,"agents":[{}]}`, `{"format":1,"agents":[{"name":"a","id":"x"}]}`,
		`{"format":1,"agents":[{"name":"a","level":"boss"}]}`, `{"format":1,"departments":[{"name":"a","previous_name":"b"}]}`,
		`{"format":1,"agents":[{"name":"a","authority":{"reports_to":1}}]}`, `{"format":1,"agents":[{"name":"a","hiring_date":"today"}]}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	if again := apidoc.OrganizationSchema(); !bytes.Equal(again, apidoc.OrganizationSchema()) || bytes.Contains(again, []byte("#/components/")) {
		t.Error("the schema refers to what is not in it")
	}
}
