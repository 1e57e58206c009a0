package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"orgd/adapters/httpapi/apidoc/fields"
)

func fieldChecks() map[string]check {
	all := map[string]check{}
	for what, w := range fieldWrites() {
		all[what] = func(t *testing.T, s *Service) { writeFields(t, s, w) }
	}
	return all
}

// fieldWrite is one way to write a noun.
type fieldWrite struct {
	noun string
	form fields.Form
	// send sends a body and returns the answer, and the noun as it is then; that only after
	// a success. It leaves nothing behind that the next one meets.
	send func(w world, body obj) (r *reply, data any)
	// skip are fields that other checks are about: moves of a status, and what a document
	// cannot change of an agent.
	skip []string
}

func fieldWrites() map[string]fieldWrite {
	create := func(path, key string) func(world, obj) (*reply, any) {
		return func(w world, body obj) (*reply, any) {
			r := w.post(path, body)
			if r.status != 201 {
				return r, nil
			}
			at := path + "/" + r.text("data."+key)
			data := w.get(at).want(200).at("data")
			w.delete(at).want(204)
			return r, data
		}
	}
	change := func(path func(world) string) func(world, obj) (*reply, any) {
		return func(w world, body obj) (*reply, any) {
			r := w.patch(path(w), body)
			if r.status != 200 {
				return r, nil
			}
			return r, w.get(path(w)).want(200).at("data")
		}
	}
	apply := func(path, list string) func(world, obj) (*reply, any) {
		return func(w world, body obj) (*reply, any) {
			document := obj{"format": 1, list: []any{body}}
			if list == "company" {
				document[list] = body
			}
			r := w.post("/organization/apply", document)
			if r.status != 200 {
				return r, nil
			}
			return r, w.get(path).want(200).at("data")
		}
	}
	// What fields of an agent go with: a model, memory with retention, any autonomy.
	restored := func(send func(world, obj) (*reply, any)) func(world, obj) (*reply, any) {
		return func(w world, body obj) (*reply, any) {
			w.patch("/agents/Bob", obj{"model": obj{"provider": "p", "model_id": "m"}, "memory": obj{"type": "project"}, "level": "mid"}).want(200)
			return send(w, body)
		}
	}
	at := func(path string) func(world) string { return func(world) string { return path } }
	return map[string]fieldWrite{
		"CreateAgent":      {"Agent", fields.Create, create("/agents", "id"), nil},
		"ChangeAgent":      {"Agent", fields.Change, restored(change(at("/agents/Bob"))), []string{"name", "status"}},
		"EntryAgent":       {"Agent", fields.Entry, restored(apply("/agents/Bob", "agents")), []string{"name", "previous_name", "as_of", "status", "hiring_date"}},
		"CreateDepartment": {"Department", fields.Create, create("/departments", "name"), []string{"name"}},
		"ChangeDepartment": {"Department", fields.Change, change(at("/departments/Sales")), nil},
		"EntryDepartment":  {"Department", fields.Entry, apply("/departments/Sales", "departments"), []string{"name"}},
		"ChangeCompany":    {"Company", fields.Change, change(at("/company")), nil},
		"EntryCompany":     {"Company", fields.Entry, apply("/company", "company"), nil},
		"CreateProject":    {"Project", fields.Create, create("/projects", "id"), nil},
		"ChangeProject":    {"Project", fields.Change, change(func(w world) string { return "/projects/" + w.project }), []string{"status"}},
		"CreateWebhook":    {"Webhook", fields.Create, create("/webhooks", "id"), nil},
		"ChangeWebhook":    {"Webhook", fields.Change, change(func(w world) string { return "/webhooks/" + w.webhook }), nil},
		"CreateToken": {"Token", fields.Create, func(w world, body obj) (*reply, any) {
			return w.post("/auth/tokens", body), nil
		}, []string{"role"}},
		"CreateLink": {"Link", fields.Create, func(w world, body obj) (*reply, any) {
			return w.post("/auth/links", body), nil
		}, []string{"role"}},
	}
}

// writeFields writes every field of a noun as the list of fields says: a value at each bound
// is taken and comes back, one beyond is refused, and null is what the list says.
func writeFields(t *testing.T, s *Service, fw fieldWrite) {
	w := newWorld(t, s)
	w.hook()
	f := fieldWriter{world: w, fieldWrite: fw, nouns: map[string]fields.Noun{}}
	for _, n := range fields.All() {
		f.nouns[n.Name] = n
	}
	var doc struct {
		Components struct{ Schemas map[string]obj }
	}
	if err := json.Unmarshal(w.get("/openapi.json").body, &doc); err != nil {
		t.Fatal(err)
	}
	f.schemas = doc.Components.Schemas
	f.object(f.nouns[fw.noun], fw.form, nil)
	if f.count < 10 {
		t.Errorf("%d values were sent, want more", f.count)
	}
}

type fieldWriter struct {
	world
	fieldWrite
	nouns   map[string]fields.Noun
	schemas map[string]obj
	count   int
	last    int // number of the last name
}

// step is a member on the way to a field; around is what must stand beside the next one.
type step struct {
	name   string
	list   bool
	around obj
}

// object writes the fields of a noun that stands at the end of steps.
func (f *fieldWriter) object(n fields.Noun, form fields.Form, steps []step) {
	schema := f.schemas[n.Schemas[form].Name]
	for _, field := range n.Fields {
		if !field.StandsIn(form) || len(steps) == 0 && slices.Contains(f.skip, field.Name) {
			continue
		}
		if len(steps) == 0 && (field.Name == "model_provider" || field.Name == "model_id") {
			continue // they go together
		}
		around := f.required(n, form)
		delete(around, field.Name)
		inner, isNoun := f.nouns[field.Kind]
		if isNoun {
			innerForm := form
			if field.List != 0 {
				innerForm = fields.Create
			}
			f.object(inner, innerForm, append(slices.Clone(steps), step{field.Name, field.List != 0, around}))
		}
		property := schema["properties"].(obj)[field.Name].(obj)
		take, refuse := f.values(f.resolve(property), field.Kind)
		if isNoun {
			take, refuse = nil, []any{1, "x"}
		}
		at := append(slices.Clone(steps), step{name: field.Name, around: around})
		for _, v := range take {
			f.takes(at, field, v)
		}
		for _, v := range refuse {
			f.refuses(at, v)
		}
		f.null(at, field, form)
	}
}

// null sends null, which is taken where it means something, or as much as absence.
func (f *fieldWriter) null(at []step, field fields.Field, form fields.Form) {
	absent := form&(fields.Create|fields.Entry) != 0 && field.Must&form == 0
	switch {
	case field.Null || absent:
		f.takes(at, field, nil)
	default:
		f.refuses(at, nil)
	}
}

// body is a body with a value at the end of steps.
func body(at []step, value any) obj {
	for i, s := range slices.Backward(at) {
		o := maps.Clone(s.around)
		o[s.name] = value
		if value = o; i > 0 && at[i-1].list {
			value = list{o}
		}
	}
	return value.(obj)
}

func path(at []step) string {
	var names []string
	for _, s := range at {
		names = append(names, s.name)
		if s.list {
			names = append(names, "0")
		}
	}
	return strings.Join(names, ".")
}

func (f *fieldWriter) takes(at []step, field fields.Field, value any) {
	f.t.Helper()
	f.count++
	r, data := f.send(f.world, body(at, value))
	if r.status >= 300 {
		f.t.Errorf("%s = %.80v: %d %s, want it taken", path(at), value, r.status, clip(r.body))
		return
	}
	if value == nil || data == nil || field.In != "" && field.In != "MoneyInput" || !field.StandsIn(fields.Whole) {
		return
	}
	if got, err := find(data, path(at)); err != nil || fmt.Sprint(asJSON(f.t, got)) != fmt.Sprint(asJSON(f.t, value)) {
		f.t.Errorf("%s = %.80v: came back as %.80v, %v", path(at), value, got, err)
	}
}

func (f *fieldWriter) refuses(at []step, value any) {
	f.t.Helper()
	f.count++
	r, _ := f.send(f.world, body(at, value))
	name := at[len(at)-1].name
	if !r.is(400, 2001) && !r.is(400, 2000) || !strings.Contains(r.text("error"), name) {
		f.t.Errorf("%s = %.80v: %d %s, want 400 and its name", path(at), value, r.status, clip(r.body))
	}
}

// required is what a noun must have in a form.
func (f *fieldWriter) required(n fields.Noun, form fields.Form) obj {
	o := obj{}
	for _, field := range n.Fields {
		if field.Must&form != 0 {
			o[field.Name] = f.sample(n, field, form)
		}
	}
	return o
}

func (f *fieldWriter) sample(n fields.Noun, field fields.Field, form fields.Form) any {
	f.last++
	switch {
	case form == fields.Entry && n.Name == "Agent":
		return "Bob"
	case form == fields.Entry && n.Name == "Department":
		return "Sales"
	case n.Name == "Agent" && field.Name == "department":
		return "Design"
	case field.Name == "role" && n.Name != "Agent":
		return "viewer"
	case field.Name == "url":
		return "https://hooks.example.com/"
	case field.Name == "subordinate":
		return "Ann"
	case field.Name == "supervisor":
		return "Bob"
	case field.Name == "category":
		return "working"
	case field.Name == "retention_days":
		return 5
	case field.Name == "approvers":
		return anys(numbered("a", 256))
	}
	return fmt.Sprint("n", f.last)
}

// resolve follows a reference and leaves null out.
func (f *fieldWriter) resolve(schema obj) obj {
	if any, ok := schema["anyOf"].(list); ok {
		schema = any[0].(obj)
	}
	if ref, ok := schema["$ref"].(string); ok {
		return f.resolve(f.schemas[ref[strings.LastIndexByte(ref, '/')+1:]])
	}
	return schema
}

// known are values of kinds with a rule that no bound says.
var known = map[string][2]list{
	"Name":            {{"Design"}, {"", ".", 1}},
	"Date":            {{"2026-01-31"}, {"2026-02-30", 1}},
	"Currency":        {{"EUR", "USD"}, {"XYZZ", "eur", 1}},
	"WebhookURL":      {{"https://hooks.example.com/x"}, {"", "ftp://x", 1}},
	"Timestamp":       {{"2026-12-01T17:00:00.000Z", "2026-12-01T17:00:00+01:00", "2026-12-01", "2024-02-29"}, {"2026-02-29", "2026-12-01T24:00:00Z", "", 1}},
	"UUID":            {{"Carl"}, {"", strings.Repeat("x", 129), 1}},
	"NameOfAgent":     {{"Carl"}, {"", strings.Repeat("x", 129), 1}},
	"CompanySettings": {{obj{"a": json.Number("9007199254740993")}}, {1, list{}}},
	"CeremonyPolicy":  {{obj{"strategy": "hybrid"}}, {1, obj{"strategy": "x"}}},
	"Money":           {{0, json.Number("999999999.9999999")}, {-1, 1e9, json.Number("0.0000000001"), "1"}},
	"Percent":         {{0, 100, 12.3456}, {-0.0001, 100.0001, "1"}},
	"TokenSubject":    {{"x", strings.Repeat("x", 256)}, {"", "a|b", strings.Repeat("x", 257), 1}},
}

// values are some of a schema, at its bounds, and some that are none, beyond them.
func (f *fieldWriter) values(schema obj, kind string) (take, refuse list) {
	typ := schema["type"]
	if types, ok := typ.(list); ok {
		typ = types[0]
	}
	if special, ok := known[kind]; ok && typ != "array" {
		return special[0], special[1]
	}
	if words, ok := schema["enum"].(list); ok {
		return list{words[len(words)-1], words[0]}, list{fmt.Sprint(words[0], "x"), "", 1}
	}
	number := func(key string, fallback float64) float64 {
		if v, ok := schema[key].(float64); ok {
			return v
		}
		return fallback
	}
	switch typ {
	case "boolean":
		return list{true, false}, list{"true", 1}
	case "integer", "number":
		min, max := number("minimum", 0), number("maximum", 1<<53-1)
		return list{min, max}, list{min - 1, max + 1, "1"}
	case "string":
		max := int(number("maxLength", 256))
		take, refuse = list{strings.Repeat("é", max)}, list{strings.Repeat("é", max+1), 1}
		if strings.Contains(kind, "Instructions") {
			take, refuse = list{strings.Repeat("x", max)}, list{strings.Repeat("x", max+1), 1}
		}
		if number("minLength", 0) == 0 {
			return append(take, ""), refuse
		}
		return take, append(refuse, "")
	case "array":
		return f.lists(schema, kind)
	}
	return list{obj{"a": obj{"b": 1}}}, list{1, list{}}
}

func (f *fieldWriter) lists(schema obj, kind string) (take, refuse list) {
	max := int(schema["maxItems"].(float64))
	switch item := f.resolve(schema["items"].(obj)); {
	case item["enum"] != nil:
		all := item["enum"].(list)
		return list{list{}, all}, list{list{all[0], all[0]}, list{1}, "x"}
	case kind == "WebhookEventTypes":
		return list{list{}, list{"hired", "agent.updated", "project"}}, list{list{"agent", "agent"}, list{"agent."}, list{""}, list{1}, "x"}
	case kind == "UUID" || kind == "NameOfAgent":
		return list{list{}, list{"Ann", "Bob"}}, list{list{"Ann", "Ann"}, list{""}, anys(numbered("n", max+1)), "x"}
	case kind == "Name" || kind == "WebhookDepartments":
		return list{list{"Design"}}, list{list{"."}, list{"Design", "Design"}, anys(numbered("n", max+1)), "x"}
	}
	take = list{anys(numbered("t", max))}
	if schema["minItems"] == nil {
		take = append(take, list{})
	}
	return take, list{anys(numbered("t", max+1)), list{"a", "a"}, list{""}, list{1}, list{strings.Repeat("x", 257)}, "x"}
}
