package budget

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// operation is one that the API description names.
type operation struct {
	id, method, path string
	filters          []string // its parameters in the query
}

// document reports whether it deals with the whole organization.
func (o operation) document() bool { return strings.HasPrefix(o.id, "organization.") }

// operations reads the API description.
func (s *service) operations() []operation {
	s.Helper()
	type parameter struct {
		Ref  string `json:"$ref"`
		Name string
		In   string
	}
	var doc struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Parameters map[string]parameter }
	}
	s.must("GET", "/openapi.json", nil, &doc)
	var all []operation
	for path, item := range doc.Paths {
		for method, raw := range item {
			if method == "parameters" {
				continue
			}
			var op struct {
				OperationID string
				Parameters  []parameter
			}
			if err := json.Unmarshal(raw, &op); err != nil {
				s.Fatal(err)
			}
			o := operation{id: op.OperationID, method: strings.ToUpper(method), path: path}
			for _, p := range op.Parameters {
				if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
					p = doc.Components.Parameters[name]
				}
				if p.In == "query" {
					o.filters = append(o.filters, p.Name)
				}
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.id, b.id) })
	return all
}

// variants are the queries with which an operation is called: without a filter, and
// with each.
func (w *world) variants(op operation) [][]string {
	w.Helper()
	var always []string
	switch {
	case op.id == "versions.diff":
		return [][]string{{"from_version=1", "to_version=3"}}
	case op.document():
		return [][]string{nil} // prune would leave nothing to be asked for
	case slices.Contains(op.filters, "limit"):
		always = []string{"limit=200"}
	}
	all := [][]string{always}
	for _, name := range op.filters {
		values := map[string][]string{
			"limit": {}, "cursor": {}, // they go with all, and all pages are alike
			"department": {crowdName, largeName}, "status": {"active"}, "level": {"mid"}, "owner": {wide(128, 0), "nobody"}, "tag": {wideTags()[0], "none"}, "q": {wide(100, 0)}, "search": {"rrr", "description", wide(100, 0)}, "view": {"summary"}, "days": {"90"},
			"type": {"task_completed"}, "agent_id": {w.large[0]}, "last_n_hours": {"168"}, "lead": {w.crowd[0]},
			"actor": {"root0"}, "resource": {"agents"}, "since": {"2020-01-01T00:00:00Z"}, "until": {"2100-01-01T00:00:00Z"},
			"dry_run": {"true"}, "follow": {"true"}, "action": {"company", "agent.updated"}, "without_reports": {"true"}, "deleted": {"true"}, "purge": {"true"},
			"window": {"90d"}, "sort": {"success", "cost"},
		}
		if op.id == "projects.list" {
			values["status"] = []string{"planning"}
		}
		if _, ok := values[name]; !ok {
			w.Errorf("%s: no value is known for %s", op.id, name)
		}
		for _, v := range values[name] {
			all = append(all, append(slices.Clone(always), name+"="+url.QueryEscape(v)))
		}
		if name == "tag" { // all of them at once
			all = append(all, append(slices.Clone(always), "tag="+strings.Join(wideTags(), "&tag="), "owner="+url.QueryEscape(wide(128, 0))))
		}
	}
	return all
}

// request is call number i of an operation, of which each is about something else
// where it changes that.
func (w *world) request(op operation, query []string, i int) request {
	w.Helper()
	agent, project, hook, department, sid := w.large[0], w.projects[0], w.hooks[0], wideName(i%wides), "none"
	label := labelName
	r := request{method: op.method, stream: strings.HasSuffix(op.id, ".stream"), refusable: op.document(), token: w.tokens[i%len(w.tokens)]}
	switch op.id {
	case "agents.delete":
		if agent = w.large[calls+i]; len(query) > 0 { // a purge
			agent = w.deleted(w.large[3*calls+i])
		}
	case "agents.restore":
		agent = w.deleted(w.large[2*calls+i])
	case "agents.update", "agents.rollback":
		agent = w.large[i]
	case "labels.set", "labels.remove":
		agent, label = w.large[i], "moved"
		if op.id == "labels.remove" {
			w.must("PUT", "/agents/"+url.PathEscape(agent)+"/labels/"+label, object{"version": 1}, nil)
		}
	case "projects.update":
		project = w.projects[i]
	case "projects.delete":
		project = w.projects[len(w.projects)-1-i]
	case "webhooks.update", "webhooks.rotate_secret":
		hook = w.hooks[i]
	case "webhooks.delete":
		hook = w.hooks[len(w.hooks)-1-i]
	case "departments.delete":
		department = wide(128, 5000+i)
		w.must("POST", "/departments", object{"name": department, "teams": w.wideTeams(0)[:4]}, nil)
	case "departments.delete_ceremony_policy":
		department = wide(128, 300+i)
		w.must("PUT", "/departments/"+url.PathEscape(department)+"/ceremony-policy", object{"other": strings.Repeat("x", 63<<10)}, nil)
	case "departments.reorder_agents":
		department = restName
	case "auth.revoke_session", "auth.logout", "auth.renew":
		var leaver made
		w.must("POST", "/auth/tokens", object{"subject": fmt.Sprintf("leaver%d", i), "role": "admin", "ttl_seconds": 600}, &leaver)
		sid = leaver.Data.Sid
		if op.id != "auth.revoke_session" {
			r.token = leaver.Data.Token
		}
	}
	r.path = op.path
	for name, value := range map[string]string{
		"agent_name": agent, "agent_id": agent, "project_id": project, "name": department, "version_num": "2", "delivery_id": w.delivery, "id": hook, "sid": sid, "label": label,
	} {
		r.path = strings.ReplaceAll(r.path, "{"+name+"}", url.PathEscape(value))
	}
	if len(query) > 0 {
		r.path += "?" + strings.Join(query, "&")
	}
	if body := w.body(op, i); body != nil {
		r.body = encode(w.T, body)
	}
	if op.method == http.MethodPost && op.id != "auth.logout" {
		r.key = fmt.Sprintf("%s-%d-%d", op.id, i, len(query))
	}
	return r
}

// body is what call number i of an operation sends, nil if nothing.
func (w *world) body(op operation, i int) any {
	w.Helper()
	switch op.id {
	case "company.update":
		return object{"settings": object{"s": strings.Repeat("y", 60<<10), "n": i}}
	case "company.reorder_departments":
		return object{"department_names": w.turned(i, "/departments?limit=200")}
	case "departments.reorder_agents":
		return object{"agent_names": w.turned(i, "/agents?view=summary&limit=200&department="+restName)}
	case "agents.create":
		return largeAgent(wide(128, 1<<17+i))
	case "agents.update":
		return object{"skills": object{"primary": skills(250, 5000+i, 2)}}
	case "agents.rollback":
		return object{"target_version": 1}
	case "agents.restore":
		return object{}
	case "labels.set":
		return object{"version": 1, "reason": wide(1024, i)}
	case "departments.create":
		return object{"name": wide(128, 6000+i), "teams": w.wideTeams(0)}
	case "departments.update":
		return object{"teams": w.wideTeams(1 + i)}
	case "departments.update_ceremony_policy":
		return object{"other": strings.Repeat("z", 60<<10), "n": i}
	case "projects.create":
		return object{"name": wide(256, i), "description": wide(4096, i), "team": w.crowd[:50]}
	case "projects.update":
		return object{"task_ids": words(999, 250)}
	case "activities.ingest":
		return object{"events": slices.Repeat([]object{event(w.large[i])}, 50)}
	case "webhooks.create":
		return object{"url": w.receiver + strings.Repeat("u", 2000), "departments": words(256, 128)}
	case "webhooks.update":
		return object{"url": w.receiver + strings.Repeat("v", 2000-i)}
	case "auth.tokens":
		return object{"subject": fmt.Sprintf("s%d", i), "role": "department_admin", "departments": words(4, 128)} // a token has room for no more
	case "auth.links":
		return object{"subject": fmt.Sprintf("l%d", i), "role": "department_admin", "departments": words(4, 128)} // its session has a token
	case "auth.sign_in":
		var link made
		w.mustSend(request{method: "POST", path: "/api/v1/auth/links", token: w.mint(fmt.Sprintf("linker%d", i), "admin")}, &link)
		return object{"code": link.Data.Code}
	case "organization.plan", "organization.apply":
		var agents []object
		for j := range 8 {
			agents = append(agents, largeAgent(wide(128, 1<<18+1000*len(op.id)+100*i+j)))
		}
		return object{"format": 1, "agents": agents}
	}
	return nil
}

// turned are the names of a list, from its end if i is odd, so that one reorder after
// the other changes something. The list is read once.
func (w *world) turned(i int, path string) []string {
	w.Helper()
	if w.orders[path] == nil {
		var names []string
		for _, r := range w.list(path) {
			names = append(names, r.Name)
		}
		w.orders[path] = names
	}
	slices.Sort(w.orders[path])
	if i%2 == 1 {
		slices.Reverse(w.orders[path])
	}
	return slices.Clone(w.orders[path])
}

// deleted deletes an agent and returns its id.
func (w *world) deleted(name string) string {
	w.Helper()
	var a struct{ Data struct{ ID string } }
	w.must("GET", "/agents/"+url.PathEscape(name), nil, &a)
	w.must("DELETE", "/agents/"+a.Data.ID, nil, nil)
	return a.Data.ID
}
