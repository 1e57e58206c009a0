package apidoc

import (
	"encoding/json"
	"maps"
	"strings"
	"sync"
)

// OrganizationSchema returns the JSON Schema (2020-12) of the document of an
// organization, as editors take it: the request body of the API, with all that
// it refers to. Callers must not change it.
var OrganizationSchema = sync.OnceValue(func() []byte {
	var doc struct {
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(JSON(), &doc); err != nil {
		panic("apidoc: the embedded document is no OpenAPI document: " + err.Error())
	}
	const root = "OrganizationInput"
	defs := map[string]any{}
	collect(doc.Components.Schemas, defs, doc.Components.Schemas[root])
	schema := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "The organization as one document",
		"$defs":   defs,
	}
	maps.Copy(schema, doc.Components.Schemas[root].(map[string]any))
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic("apidoc: the schema of the organization is no JSON: " + err.Error())
	}
	return append(text, '\n')
})

// collect puts the schemas that v refers to into defs, and lets v refer to them
// there.
func collect(all, defs map[string]any, v any) {
	switch x := v.(type) {
	case map[string]any:
		if ref, ok := x["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, "#/components/schemas/")
			x["$ref"] = "#/$defs/" + name
			if _, known := defs[name]; !known {
				defs[name] = all[name]
				collect(all, defs, all[name])
			}
		}
		for key, member := range x {
			if key != "$ref" {
				collect(all, defs, member)
			}
		}
	case []any:
		for _, item := range x {
			collect(all, defs, item)
		}
	}
}
