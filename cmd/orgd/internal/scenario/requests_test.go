package scenario

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orgd/domain/agent"
	"orgd/domain/ceremony"
	"orgd/domain/company"
	departments "orgd/domain/department"
	"orgd/domain/jsondoc"
	"orgd/domain/project"
)

// Every request is one that the service understands, about things that requests
// of earlier waves have made.
func TestRequestsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := New(anyOptions().Draw(t, "options"))
		owned := rapid.Bool().Draw(t, "owned")
		w := &reader{T: t, owned: owned, departments: map[string]bool{}, agents: map[string]bool{}, projects: map[string]bool{}}
		for _, s := range append(o.Before(owned), o.After()) {
			for _, wave := range s.Waves {
				w.wave(wave)
			}
		}
		if len(w.departments) != len(o.Departments()) || len(w.projects) != len(o.Projects()) {
			t.Fatalf("made %d departments and %d projects, want %d and %d",
				len(w.departments), len(w.projects), len(o.Departments()), len(o.Projects()))
		}
		if w.budget > 100 || w.hired != o.opts.Agents {
			t.Fatalf("%v %% of the budget, %d agents hired, want at most 100 and %d", w.budget, w.hired, o.opts.Agents)
		}
	})
}

// reader understands requests as the service does.
type reader struct {
	*rapid.T
	owned                         bool
	departments, agents, projects map[string]bool // that are there
	hired                         int
	budget                        float64
}

// wave reads requests that may be sent at once: none may need another.
func (w *reader) wave(requests []Request) {
	var made []func()
	seen := map[string]bool{}
	for _, r := range requests {
		if seen[r.Method+r.Path+r.Project] && r.Method != "POST" {
			w.Fatalf("%s %s comes twice in one wave", r.Method, r.Path)
		}
		seen[r.Method+r.Path+r.Project] = true
		if then := w.request(r); then != nil {
			made = append(made, then)
		}
	}
	for _, then := range made {
		then()
	}
}

// request checks one request and returns what is true after it.
func (w *reader) request(r Request) (then func()) {
	var body map[string]any
	var doc jsondoc.Value
	if r.Body != nil {
		var err error
		if doc, err = jsondoc.Parse(r.Body); err != nil {
			w.Fatalf("%s %s: %v", r.Method, r.Path, err)
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			w.Fatal(err)
		}
	}
	parts := strings.Split(strings.TrimPrefix(r.Path, "/"), "/")
	for i := range parts {
		var err error
		if parts[i], err = url.PathUnescape(parts[i]); err != nil {
			w.Fatalf("%s: %v", r.Path, err)
		}
	}
	var err error
	switch route := r.Method + " " + parts[0]; {
	case r.Path == "/company" && w.owned:
		_, err = company.ParsePatch(doc)
	case r.Path == "/company/reorder-departments" && w.owned:
		w.same(body["department_names"], w.departments)
	case route == "POST departments" && len(parts) == 1:
		_, err = departments.ParseNew(doc)
		if share, ok := body["budget_percent"].(float64); ok {
			w.budget += share
		}
		then = w.make(w.departments, body)
	case parts[0] == "departments":
		w.needs(w.departments, parts[1])
		err = w.department(strings.Join(parts[2:], "/"), doc)
	case route == "POST agents" && len(parts) == 1:
		_, err = agent.ParseNew(doc)
		w.hired++
		then = w.make(w.agents, body)
	case parts[0] == "agents":
		w.needs(w.agents, parts[1])
		then, err = w.agent(r.Method, parts, doc)
	case route == "POST projects":
		_, err = project.ParseNew(doc)
		then = w.make(w.projects, body)
	case route == "PATCH projects":
		w.needs(w.projects, r.Project)
		_, err = project.ParsePatch(doc)
	default:
		w.Fatalf("%s %s is not a request of a simulation", r.Method, r.Path)
	}
	if err != nil {
		w.Fatalf("%s %s %s: %v", r.Method, r.Path, r.Body, err)
	}
	w.references(body)
	return then
}

func (w *reader) department(sub string, doc jsondoc.Value) (err error) {
	switch sub {
	case "":
		_, err = departments.ParsePatch(doc)
	case "ceremony-policy":
		_, err = ceremony.Parse(doc)
	}
	return err
}

func (w *reader) agent(method string, parts []string, doc jsondoc.Value) (then func(), err error) {
	switch {
	case method == "DELETE":
		return func() { delete(w.agents, parts[1]) }, nil
	case method == "PATCH":
		_, err = agent.ParsePatch(doc)
	}
	return nil, err
}

// references looks for agents and departments that a body refers to.
func (w *reader) references(body map[string]any) {
	for _, field := range []string{"head", "lead"} {
		if name, ok := body[field].(string); ok {
			w.needs(w.agents, name)
		}
	}
	if name, ok := body["department"].(string); ok {
		w.needs(w.departments, name)
	}
	if authority, ok := body["authority"].(map[string]any); ok {
		if boss, ok := authority["reports_to"].(string); ok {
			w.needs(w.agents, boss)
		}
	}
}

func (w *reader) needs(there map[string]bool, name string) {
	if !there[name] {
		w.Fatalf("%q is not there", name)
	}
}

func (w *reader) make(things map[string]bool, body map[string]any) func() {
	name := body["name"].(string)
	if things[name] {
		w.Fatalf("%q is made twice", name)
	}
	return func() { things[name] = true }
}

func (w *reader) same(names any, there map[string]bool) {
	list := names.([]any)
	if len(list) != len(there) || slices.ContainsFunc(list, func(name any) bool { return !there[name.(string)] }) {
		w.Fatalf("order of %v, want one of %v", list, there)
	}
}
