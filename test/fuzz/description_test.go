package fuzz

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// description is what requests are generated from: the part of an OpenAPI
// document that says what may be sent.
type description struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Schemas       map[string]*schema
		Parameters    map[string]*parameter
		RequestBodies map[string]*requestBody
	}
	operations []operation
}

// operation is one method of one path.
type operation struct {
	id, method, path string
	parameters       []*parameter
	body             *requestBody // nil if there is none
}

type parameter struct {
	Ref      string `json:"$ref"`
	Name     string
	In       string
	Required bool
	Schema   *schema
}

type requestBody struct {
	Ref     string `json:"$ref"`
	Content map[string]struct{ Schema *schema }
}

// schema is a JSON Schema, as far as the description of a request uses it.
type schema struct {
	Ref                  string `json:"$ref"`
	Type                 types
	Const                any
	Enum                 []any
	AnyOf, OneOf         []*schema
	Properties           map[string]*schema
	Required             []string
	DependentRequired    map[string][]string
	AdditionalProperties *restSchema
	PropertyNames        *schema
	Items                *schema
	MinItems, MaxItems   *int
	UniqueItems          bool
	Pattern, Format      string
	MinLength, MaxLength *int
	Minimum, Maximum     *float64
	ExclusiveMinimum     *float64
	ExclusiveMaximum     *float64
}

// types is a type or a list of them.
type types []string

func (t *types) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(t))
}

// restSchema is what members may be that have no schema of their own: anything,
// if schema is nil.
type restSchema struct {
	allowed bool
	schema  *schema
}

func (r *restSchema) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &r.allowed) == nil {
		return nil
	}
	r.allowed = true
	return json.Unmarshal(text, &r.schema)
}

// readDescription reads what a service serves at /openapi.json.
func readDescription(text []byte) (*description, error) {
	d := &description{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	for path, item := range d.Paths {
		var shared []*parameter
		if text, ok := item["parameters"]; ok {
			if err := json.Unmarshal(text, &shared); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		for method, text := range item {
			if method == "parameters" {
				continue
			}
			op, err := d.operation(text)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			op.method, op.path = strings.ToUpper(method), path
			op.parameters = append(d.resolved(shared), op.parameters...)
			d.operations = append(d.operations, op)
		}
	}
	// The order decides what a random number means.
	slices.SortFunc(d.operations, func(a, b operation) int { return cmp.Compare(a.id, b.id) })
	return d, nil
}

func (d *description) operation(text []byte) (operation, error) {
	var raw struct {
		OperationID string
		Parameters  []*parameter
		RequestBody *requestBody
	}
	err := json.Unmarshal(text, &raw)
	op := operation{id: raw.OperationID, parameters: d.resolved(raw.Parameters), body: raw.RequestBody}
	if op.body != nil && op.body.Ref != "" {
		op.body = d.Components.RequestBodies[component(op.body.Ref)]
	}
	return op, err
}

func (d *description) resolved(parameters []*parameter) []*parameter {
	var all []*parameter
	for _, p := range parameters {
		if p.Ref != "" {
			p = d.Components.Parameters[component(p.Ref)]
		}
		all = append(all, p)
	}
	return all
}

// schema follows a reference.
func (d *description) schema(s *schema) *schema {
	for s.Ref != "" {
		s = d.Components.Schemas[component(s.Ref)]
	}
	return s
}

// component is the name at the end of a reference.
func component(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }
