package fuzz

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
)

// poolSize is how many values of each kind are remembered.
const poolSize = 30

// pool is what is known from answers, so that requests are about what exists.
// It is no model: nothing follows from what is in it.
type pool struct {
	operation string              // which a value is wanted for
	spared    string              // the session that must not end
	kinds     map[string][]string // the newest last
	tags      map[string]string   // the latest entity tag of a path
	staff     map[string]string   // the department of an agent
	order     []string            // all departments
}

func newPool(spared string) *pool {
	return &pool{spared: spared, kinds: map[string][]string{}, tags: map[string]string{}, staff: map[string]string{}}
}

// kinds says which parameters and members name something that may exist.
var kinds = map[string]string{
	"agent_name": "agent", "agent_id": "agent", "agent": "agent", "head": "agent", "lead": "agent", "reports_to": "agent", "can_delegate_to": "agent",
	"members": "agent", "team": "agent", "subordinate": "agent", "supervisor": "agent", "previous_name": "agent", "subject": "agent", "q": "agent",
	"department": "department", "departments": "department", "project_id": "project", "webhook": "webhook", "delivery_id": "delivery", "sid": "session",
	"plan_hash": "plan", "code": "link", "Last-Event-ID": "position", "resource": "resource",
}

// pathKinds are the parameters whose names mean something else in a path.
var pathKinds = map[string]string{"name": "department", "id": "webhook"}

// value returns something that is known for a parameter or a member of this
// name.
func (p *pool) value(r *rand.Rand, name string, s *schema) (any, bool) {
	switch name {
	case "version_num", "from_version", "to_version", "target_version":
		return json.Number(fmt.Sprint(1 + r.IntN(4))), r.IntN(8) > 0
	case "department_names":
		return shuffled(r, p.order), slices.Contains(s.Type, "array") && r.IntN(4) > 0
	case "agent_names":
		return shuffled(r, p.colleagues(r)), slices.Contains(s.Type, "array") && r.IntN(4) > 0
	case "name":
		known, ok := p.pick(r, pick(r, []string{"agent", "department"}))
		return known, ok && r.IntN(8) == 0
	case "cursor":
		known, ok := p.pick(r, "cursor "+p.operation)
		return known, ok && r.IntN(8) > 0
	}
	kind, ok := kinds[name]
	if !ok || r.IntN(8) == 0 || !slices.Contains(s.Type, "string") {
		return nil, false
	}
	known, ok := p.pick(r, kind)
	return known, ok
}

func shuffled(r *rand.Rand, from []string) list {
	items := list{}
	for _, i := range r.Perm(len(from)) {
		items = append(items, from[i])
	}
	return items
}

// colleagues are the agents of one department.
func (p *pool) colleagues(r *rand.Rand) []string {
	department, _ := p.pick(r, "department")
	var all []string
	for agent, of := range p.staff {
		if of == department {
			all = append(all, agent)
		}
	}
	slices.Sort(all)
	return all
}

// pick returns something of a kind, mostly what is new.
func (p *pool) pick(r *rand.Rand, kind string) (string, bool) {
	known := p.kinds[kind]
	if len(known) == 0 {
		return "", false
	}
	if r.IntN(2) == 0 {
		return known[len(known)-1-r.IntN(min(3, len(known)))], true
	}
	return known[r.IntN(len(known))], true
}

func (p *pool) add(kind, value string) {
	if value == "" || slices.Contains(p.kinds[kind], value) {
		return
	}
	p.kinds[kind] = append(p.kinds[kind], value)
	if len(p.kinds[kind]) > poolSize {
		p.kinds[kind] = p.kinds[kind][1:]
	}
}

// tagOf returns the latest entity tag of what a path is about. A policy and the
// order of agents have that of the department, the order of departments that of
// the company.
func (p *pool) tagOf(path string) (string, bool) {
	if strings.HasSuffix(path, "/reorder-departments") {
		path = "/api/v1/company"
	}
	for ; strings.Count(path, "/") > 2; path = path[:strings.LastIndexByte(path, '/')] {
		if tag, ok := p.tags[path]; ok {
			return tag, true
		}
	}
	return "", false
}

// made is what services make up: values that another service gives otherwise,
// under the place of the answer where they stand.
type made map[string]string

// etag is the place of the entity tag, without its quotes. The other places are
// written as jq does.
const etag = "etag"

// firstItems is how many items of a list are looked at.
const firstItems = 5

// learn remembers what a success tells, and returns what of it the service made.
func (p *pool) learn(operation, target string, a answer) made {
	if a.status >= 300 {
		return nil
	}
	m := made{}
	path, _, _ := strings.Cut(target, "?")
	if tag := strings.Trim(a.header.Get("ETag"), `"`); tag != "" {
		p.tags[path] = tag
		p.add("tag", tag)
		m[etag] = tag
	}
	if a.position != "" {
		p.add("position", a.position)
	}
	var body struct {
		Data       any
		Pagination struct {
			Next string `json:"next_cursor"`
		}
	}
	if json.Unmarshal(a.body, &body) != nil {
		return m
	}
	if next := body.Pagination.Next; next != "" {
		p.add("cursor "+operation, next)
		m[".pagination.next_cursor"] = next
	}
	area, _, _ := strings.Cut(strings.TrimPrefix(path, "/api/v1/"), "/")
	switch data := body.Data.(type) {
	case object:
		p.record(m, area, operation, ".data", data)
	case list:
		for i, item := range data[:min(len(data), firstItems)] {
			if o, ok := item.(object); ok {
				p.record(m, area, operation, fmt.Sprintf(".data[%d]", i), o)
			}
		}
		if operation == "company.departments" || operation == "company.reorder_departments" {
			p.order = nil
			for _, item := range data {
				p.order = append(p.order, member(item, "name"))
			}
		}
	}
	return m
}

// record remembers one entity.
func (p *pool) record(m made, area, operation, at string, o object) {
	take := func(kind, name string) string {
		value := member(o, name)
		if value != "" {
			p.add(kind, value)
			m[at+"."+name] = value
		}
		return value
	}
	if sid := member(o, "sid"); sid != "" && sid == p.spared {
		return
	}
	switch {
	case slices.Contains([]string{"agents.list", "agents.create", "agents.get", "agents.update", "agents.rollback", "agents.restore"}, operation):
		if id := take("agent", "id"); id != "" {
			p.add("resource", "agents/"+id)
		}
		name := member(o, "name")
		p.add("agent", name)
		if department := member(o, "department"); department != "" && name != "" {
			p.staff[name] = department
		}
	case area == "departments":
		p.add("department", member(o, "name"))
	case area == "projects":
		take("project", "id")
	case area == "webhooks" && (strings.Contains(operation, "deliver") || strings.HasSuffix(operation, ".test")):
		take("delivery", "id")
	case area == "webhooks":
		take("webhook", "id")
	case area == "activities":
		take("event", "id")
	case area == "organization":
		take("plan", "plan_hash")
	case area == "auth":
		take("token", "token")
		take("link", "code")
		take("session", "sid")
	}
}

// forget removes what a request has deleted.
func (p *pool) forget(target string) {
	segments := strings.Split(target, "/")
	name, err := url.PathUnescape(segments[len(segments)-1])
	if err != nil {
		return
	}
	delete(p.staff, name)
	for _, kind := range []string{"agent", "department", "project", "webhook"} {
		// One of them is asked for now and then although it is gone.
		if i := slices.Index(p.kinds[kind], name); i >= 0 && len(p.kinds[kind]) > 2 {
			p.kinds[kind] = slices.Delete(p.kinds[kind], i, i+1)
		}
	}
}

// member is the text under a name of an object, or "".
func member(v any, name string) string {
	o, ok := v.(object)
	if !ok {
		return ""
	}
	text, _ := o[name].(string) // "" if it is none
	return text
}
