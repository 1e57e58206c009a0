package apitest

import (
	"fmt"
	"strings"
	"testing"
)

func bodyChecks() map[string]check {
	return map[string]check{
		"Malformed":      malformedBodies,
		"Fields":         wrongFields,
		"MediaTypes":     mediaTypes,
		"Sizes":          bodySizes,
		"Depth":          bodyDepth,
		"Numbers":        numbers,
		"FreeFormValues": freeFormValues,
		"Connections":    brokenConnections,
		"ServerFields":   serverFields,
	}
}

// write is an operation that takes a JSON body, with one that is accepted.
type write struct {
	method, path string
	good         obj
	limit        int // bytes of the body; 0 if it is a setting
}

func (w world) writes() []write {
	const mib = 1 << 20
	return []write{
		{"PATCH", "/company", obj{"company_name": "Acme"}, mib},
		{"POST", "/company/reorder-departments", obj{"department_names": list{"Design", "Sales"}}, mib},
		{"POST", "/agents", agentBody("New", "Design"), mib},
		{"PATCH", agentPath(w.ann), obj{"description": "x"}, mib},
		{"POST", agentPath(w.ann) + "/versions/rollback", obj{"target_version": 1}, mib},
		{"PUT", labelPath(w.ann, "production"), obj{"version": 1}, mib},
		{"POST", "/activities", obj{"events": list{task("Ann", 1, nil)}}, 8 * mib},
		{"POST", "/departments", obj{"name": "New"}, mib},
		{"PATCH", "/departments/Design", obj{"description": "x"}, mib},
		{"PUT", "/departments/Design/ceremony-policy", obj{"strategy": "hybrid"}, 64 << 10},
		{"POST", "/departments/Sales/reorder-agents", obj{"agent_names": list{"Carl"}}, mib},
		{"POST", "/projects", obj{"name": "New"}, mib},
		{"PATCH", "/projects/" + w.project, obj{"name": "Beta"}, mib},
		{"POST", "/webhooks", obj{"url": nowhere}, mib},
		{"PATCH", "/webhooks/" + w.webhook, obj{"event_types": list{"hired"}}, mib},
		{"POST", "/organization/plan", obj{"format": 1, "company": obj{"autonomy_level": "semi"}}, 0},
		{"POST", "/organization/apply", obj{"format": 1, "company": obj{"autonomy_level": "semi"}}, 0},
		{"POST", "/auth/tokens", obj{"subject": "x", "role": "editor"}, mib},
	}
}

// free reports whether the body is free-form: it has no unknown fields.
func (w write) free() bool { return strings.HasSuffix(w.path, "/ceremony-policy") }

// malformed is not exactly one JSON object. What else is no JSON is in domain/jsondoc.
var malformed = map[string]string{
	"nothing":           "",
	"null":              "null",
	"array":             "[]",
	"cut":               `{"name":"x"`,
	"trailing data":     `{"name":"x"}x`,
	"two documents":     `{"name":"x"}{"name":"x"}`,
	"trailing comma":    `{"name":"x",}`,
	"escaped duplicate": `{"x":{"a":1,"\u0061":1}}`,
	"byte order mark":   "\ufeff{}",
	"invalid UTF-8":     "{\"x\":\"\xff\"}",
	"lone surrogate":    `{"x":"\ud800"}`,
	"form":              "name=x&role=y",
}

// Whatever is not exactly one JSON object is refused, by every operation, also
// when what is addressed does not exist.
func malformedBodies(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	for _, op := range w.writes() {
		for what, body := range malformed {
			if r := w.send(op.method, op.path, body); !r.is(400, 2001) {
				t.Errorf("%s: %s = %d %s, want 400/2001", what, r.what, r.status, clip(r.body))
			}
		}
	}
	for _, path := range []string{"/agents/nobody", "/departments/none", "/projects/proj-000000000000", "/webhooks/" + nobody} {
		w.patch(path, "{").refused(400, 2001)
	}
	w.get("/company").has("data.revision", 3) // two departments, nothing else
}

// Field names are exact, in number and in letter case.
func wrongFields(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	for _, op := range w.writes() {
		if op.free() {
			continue
		}
		for name := range op.good {
			twin := strings.ToUpper(name[:1]) + name[1:]
			w.send(op.method, op.path, obj{twin: op.good[name]}).refused(400, 2001, twin+": unknown field, did you mean", name)
			w.send(op.method, op.path, fmt.Sprintf(`{%q: 1, %q: 1}`, name, name)).refused(400, 2001, "duplicate")
		}
		w.send(op.method, op.path, with(op.good, "colour", "red")).refused(400, 2001, "colour: unknown field")
		w.send(op.method, op.path, with(op.good, "$ne", "")).refused(400, 2001, "$ne: unknown field")
		w.send(op.method, op.path, with(op.good, "", "")).refused(400, 2001, "unknown field")
	}
	w.patch(agentPath(w.ann), obj{"personality": obj{"colour": 1}, "tools": obj{"Allowed": list{}}}).
		refused(400, 2001, "personality.colour: unknown field", "tools.Allowed: unknown field", "allowed")
	w.post("/agents", obj{}).refused(400, 2001, "name: is required", "role: is required", "department: is required")
	w.post("/agents", agentBody("X", "Design", obj{"level": obj{"$ne": ""}, "role": obj{"$gt": ""}})).refused(400, 2001, "level", "role")
}

// with is an object with one more member.
func with(o obj, name string, v any) obj {
	next := obj{name: v}
	for k, v := range o {
		if k != name {
			next[k] = v
		}
	}
	return next
}

// A body says what it is, and is not compressed.
func mediaTypes(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	for _, op := range w.writes() {
		for _, typ := range []string{"", "text/plain", "application/json-patch+json"} {
			w.with("Content-Type", typ).send(op.method, op.path, op.good).refused(400, 2001, "Content-Type")
		}
		w.with("Content-Type").send(op.method, op.path, op.good).refused(400, 2001, "Content-Type")
		w.with("Content-Type", "application/json", "application/json").send(op.method, op.path, op.good).refused(400, 2001, "Content-Type")
		w.with("Content-Encoding", "gzip").send(op.method, op.path, op.good).refused(400, 2001, "Content-Encoding")
		r := w.with("Content-Type", "application/merge-patch+json").send(op.method, op.path, op.good)
		if op.method == "PATCH" {
			r.want(200)
			w.with("Content-Type", "Application/JSON; Charset=UTF-8").send(op.method, op.path, op.good).want(200)
		} else {
			r.refused(400, 2001, "Content-Type")
		}
	}
}

// A body may be exactly as large as the limit.
func bodySizes(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	for _, op := range w.writes() {
		if op.limit == 0 {
			continue
		}
		good := string(encode(t, op.good))
		full := good + strings.Repeat(" ", op.limit-len(good))
		if r := w.send(op.method, op.path, full); r.status >= 300 {
			t.Errorf("%s with %d bytes = %d %s, want success", r.what, len(full), r.status, clip(r.body))
		}
		w.send(op.method, op.path, full+" ").refused(400, 2001, fmt.Sprint(op.limit))
	}
	// Texts and objects have bounds of their own.
	w.patch(agentPath(w.ann), obj{"instructions": strings.Repeat("x", 128<<10)}).want(200)
	w.patch(agentPath(w.ann), obj{"instructions": strings.Repeat("x", 128<<10+1)}).refused(400, 2001, "instructions: must be at most 131072 bytes of UTF-8 (128 KiB), not 131073")
	w.patch(agentPath(w.ann), obj{"instructions": strings.Repeat("ä", 64<<10+1)}).refused(400, 2001, "instructions")
	w.patch(agentPath(w.ann), obj{"metadata": obj{"x": strings.Repeat("x", 16<<10)}}).refused(400, 2001, "metadata")
	w.patch("/company", obj{"settings": obj{"x": strings.Repeat("x", 63<<10)}}).want(200)
	w.patch("/company", obj{"settings": obj{"y": strings.Repeat("x", 63<<10)}}).refused(400, 2000, "settings") // with the other one
	w.put("/departments/Design/ceremony-policy", obj{"x": strings.Repeat("x", 63<<10)}).want(200)
}

// 32 levels are accepted, and many more are refused as fast.
func bodyDepth(t *testing.T, s *Service) {
	w := newWorld(t, s)
	nested := func(n int) string { return strings.Repeat(`{"a":`, n-1) + "{}" + strings.Repeat("}", n-1) }
	w.put("/departments/Design/ceremony-policy", nested(32)).want(200)
	w.put("/departments/Design/ceremony-policy", nested(33)).refused(400, 2001)
	w.patch("/company", `{"settings":`+nested(31)+`}`).want(200)
	w.patch("/company", `{"settings":`+nested(32)+`}`).refused(400, 2001)
	w.patch("/company", `{"settings":{"a":`+strings.Repeat("[", 500_000)).refused(400, 2001)
	many := make([]string, 50_000)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d":1`, i)
	}
	w.patch("/company", "{"+strings.Join(many, ",")+"}").refused(400, 2001, "and 49980 more")
}
