package apitest

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func applyChecks() map[string]check {
	return map[string]check{
		"Plan":         plansShowEverything,
		"Order":        documentOrders,
		"Twice":        appliedTwice,
		"Partial":      partialEntries,
		"Prune":        prunes,
		"Exchanges":    exchangedNames,
		"PruneLists":   pruneNeedsLists,
		"Rename":       renames,
		"References":   documentReferences,
		"Circles":      documentCircles,
		"Budgets":      documentBudgets,
		"BadEntries":   badDocumentEntries,
		"BadState":     refusedDocuments,
		"BadText":      badDocuments,
		"Mistakes":     listedMistakes,
		"Hash":         planHashes,
		"Events":       documentEvents,
		"BesideOthers": appliesBesideOthers,
		"Copy":         copiesOrganizations,
		"Currency":     documentCurrency,
		"Import":       importsVersions,
		"NoImport":     refusesToImport,
	}
}

// change is a change of a plan as these checks write it.
func change(path, action string, old, new any) obj {
	return obj{"path": path, "action": action, "old": old, "new": new}
}

func (c *client) plan(doc any) *reply { c.t.Helper(); return c.post("/organization/plan", doc) }

func (c *client) apply(doc any) *reply {
	c.t.Helper()
	return c.post("/organization/apply", doc).want(200)
}

// counted is how many things an apply has changed.
func counted(created, updated, deleted, reordered int) obj {
	return obj{"created": created, "updated": updated, "deleted": deleted, "reordered": reordered}
}

func entry(name string, fields ...obj) obj {
	e := obj{"name": name}
	for _, f := range fields {
		for k, v := range f {
			e[k] = v
		}
	}
	return e
}

// names lists the names of a list in the export.
func (c *client) names(list string) []string {
	c.t.Helper()
	all := []string{}
	for _, item := range c.get("/organization").want(200).items("data." + list) {
		all = append(all, item.(map[string]any)["name"].(string))
	}
	return all
}

func (c *client) wantNames(list string, want ...string) {
	c.t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), c.names(list)); diff != "" {
		c.t.Errorf("%s (-want +got):\n%s", list, diff)
	}
}

// A plan shows every difference by its path and changes nothing; applying it
// leaves none.
func plansShowEverything(t *testing.T, s *Service) {
	c := newStaff(t, s)
	before := c.get("/organization").want(200).body
	doc := obj{
		"format": 1, "company": obj{"company_name": "New", "currency": "USD", "settings": obj{"x": nil}},
		"departments": list{entry("SALES", obj{"description": "Sells"}), entry("Ops", obj{"head": "Dora"}), entry("Design")},
		"agents":      list{entry("Dora", obj{"role": "R", "department": "ops"}), entry("cleo", obj{"level": "lead", "metadata": obj{"a": list{}}})},
	}
	r := c.plan(doc).want(200)
	ops, dora := r.at("data.changes.3.new"), r.at("data.changes.6.new")
	want := []any{
		change("company.company_name", "update", "Acme: a company", "New"),
		change("company.settings", "update", obj{"$ne": obj{}, "ceremony_policy": obj{"strategy": "calendar"}}, obj{"x": nil}),
		change(`departments["Sales"].description`, "update", "", "Sells"),
		change(`departments["Ops"]`, "create", nil, ops),
		change(`agents["Cleo"].name`, "update", "Cleo", "cleo"),
		change(`agents["Cleo"].level`, "update", "mid", "lead"),
		change(`agents["Cleo"].metadata`, "update", obj{}, obj{"a": list{}}),
		change(`agents["Dora"]`, "create", nil, dora),
		change("departments", "reorder", list{"Design", "Sales", "Ops"}, list{"Sales", "Ops", "Design"}),
		change("agents", "reorder", list{"cleo", "Dora"}, list{"Dora", "cleo"}),
	}
	dora = r.at("data.changes.7.new")
	want[7] = change(`agents["Dora"]`, "create", nil, dora)
	r.has("data.changes", want)
	if after := c.get("/organization").want(200).body; !bytes.Equal(before, after) {
		t.Errorf("a plan has changed something:\n%s", cmp.Diff(string(before), string(after)))
	}
	c.apply(doc).hasAll("data", counted(2, 3, 0, 2)).has("data.plan_hash", r.at("data.plan_hash"))
	c.plan(doc).want(200).has("data.changes", list{})
	c.get("/departments/Ops").has("data.head", "Dora")
	shown := c.get("/organization").want(200)
	shown.has("data.departments.1", with(ops.(obj), "head", "Dora"))
	c.wantNames("departments", "Sales", "Ops", "Design")
	c.wantNames("agents", "Bob", "Ann", "Dora", "cleo")
}

// The entries that a document names come into its order, in the positions that
// they have; others stay where they are.
func documentOrders(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("A", "B", "C")
	for _, n := range []string{"a1", "b1", "a2", "c1", "b2"} {
		c.hire(n, strings.ToUpper(n[:1]))
	}
	entries := func(names ...string) list {
		all := list{}
		for _, n := range names {
			all = append(all, entry(n))
		}
		return all
	}
	c.apply(obj{"format": 1, "departments": entries("C", "A"), "agents": entries("b2", "c1", "a1")}).hasAll("data", counted(0, 0, 0, 2))
	c.wantNames("departments", "C", "B", "A")
	c.wantNames("agents", "b2", "b1", "a2", "c1", "a1")
	c.apply(obj{"format": 1, "agents": entries("a1", "a2", "b1", "b2", "c1")}).hasAll("data", counted(0, 0, 0, 1))
	c.wantNames("agents", "a1", "a2", "b1", "b2", "c1")
	c.apply(obj{"format": 1, "agents": entries("a1", "a2", "b1", "b2", "c1")}).hasAll("data", counted(0, 0, 0, 0))
	c.get("/agents").has("data.3.name", "b2").has("data.0.version", 1)
	c.apply(obj{"format": 1, "agents": list{entry("new", obj{"role": "R", "department": "A"}), entry("a1")}}).hasAll("data", counted(1, 0, 0, 1))
	c.wantNames("agents", "new", "a2", "b1", "b2", "c1", "a1")
}

// What an organization exports changes nothing in it, twice.
func appliedTwice(t *testing.T, s *Service) {
	c := newStaff(t, s)
	trail := c.get("/audit").at("data")
	shown := c.get("/agents").at("data")
	events := c.get("/activities").at("data")
	export := c.get("/organization").want(200)
	doc := export.at("data")
	for range 2 {
		c.apply(doc).hasAll("data", counted(0, 0, 0, 0))
		c.post("/organization/apply?prune=true", doc).want(200).hasAll("data", counted(0, 0, 0, 0))
		c.plan(doc).want(200).has("data.changes", list{})
	}
	c.get("/audit").has("data", trail)
	c.get("/agents").has("data", shown)
	c.get("/activities").has("data", events)
	if again := c.get("/organization").want(200); !bytes.Equal(again.body, export.body) {
		t.Errorf("the export has changed:\n%s", cmp.Diff(string(export.body), string(again.body)))
	}
}

// A field that is absent stays, null clears, objects with fields are merged and
// free-form ones replaced.
func partialEntries(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("Design")
	ann := c.hire("Ann", "Design", obj{
		"personality": obj{"openness": 0.9, "verbosity": "terse"}, "metadata": obj{"a": 1, "b": 2}, "autonomy_level": "semi",
		"model": obj{"provider": "p", "model_id": "m", "max_tokens": 5}, "tools": obj{"allowed": list{"x"}},
	})
	c.apply(obj{"format": 1, "agents": list{entry("Ann", obj{
		"personality": obj{"openness": 0.1}, "metadata": obj{"b": nil}, "autonomy_level": nil, "model_provider": "q", "model_id": "n", "tools": obj{"allowed": list{}},
	})}}).hasAll("data", counted(0, 1, 0, 0))
	c.get(agentPath(ann)).has("data.personality.openness", 0.1).has("data.personality.verbosity", "terse").has("data.metadata", obj{"b": nil}).
		has("data.autonomy_level", nil).has("data.model.provider", "q").has("data.model.max_tokens", 5).has("data.tools.allowed", list{}).has("data.version", 2)
	c.apply(obj{"format": 1}).hasAll("data", counted(0, 0, 0, 0))
	c.apply(obj{"format": 1, "departments": list{}, "agents": list{}}).hasAll("data", counted(0, 0, 0, 0))
}

func prunes(t *testing.T, s *Service) {
	c := newStaff(t, s)
	doc := obj{
		"format": 1, "departments": list{entry("Ops", obj{"budget_percent": 100})},
		"agents": list{entry("Ann", obj{"department": "Ops"}), entry("Bob", obj{"department": "Ops", "authority": obj{"reports_to": nil}})},
	}
	c.patch("/departments/Sales", obj{"budget_percent": 60}).want(200)
	c.patch("/departments/Design", obj{"budget_percent": 40}).want(200)
	c.post("/organization/apply?prune=true", doc).want(200).hasAll("data", counted(1, 2, 3, 1))
	c.wantNames("departments", "Ops")
	c.wantNames("agents", "Ann", "Bob")
	c.get("/agents/Cleo").refused(404, 3000)
	c.post("/organization/plan?prune=true", doc).want(200).has("data.changes", list{})
	c.post("/organization/apply?prune=true", obj{"format": 1, "departments": list{}, "agents": list{}}).want(200).hasAll("data", counted(0, 0, 3, 0))
	c.wantNames("departments")
	c.wantNames("agents")
}

func pruneNeedsLists(t *testing.T, s *Service) {
	c := newStaff(t, s)
	for _, doc := range []obj{{"format": 1}, {"format": 1, "agents": list{}}, {"format": 1, "departments": list{}}} {
		c.post("/organization/plan?prune=true", doc).refused(400, 2000, "prune")
		c.post("/organization/apply?prune=true", doc).refused(400, 2000, "prune")
	}
	for _, q := range []string{"prune=", "prune=1", "prune=true&prune=true", "prune=TRUE"} {
		c.post("/organization/plan?"+q, obj{"format": 1}).refused(400, 2001, "prune")
		c.post("/organization/apply?"+q, obj{"format": 1}).refused(400, 2001, "prune")
	}
	c.post("/organization/apply?prune=true", obj{"format": 1, "departments": list{entry("Design")}, "agents": list{entry("Cleo")}}).
		refused(400, 2000, "agents[0].department")
	c.wantNames("agents", "Bob", "Ann", "Cleo")
}

// An agent keeps its id and its history under another name.
func renames(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("Design")
	a, b := c.hire("a", "Design"), c.hire("b", "Design")
	doc := obj{"format": 1, "agents": list{
		entry("a", obj{"role": "R", "department": "Design", "authority": obj{"reports_to": "b"}}),
		entry("c", obj{"previous_name": "b"}), entry("b", obj{"previous_name": "A", "authority": obj{"reports_to": "a"}}),
	}}
	c.apply(doc).hasAll("data", counted(1, 2, 0, 1))
	c.get(agentPath(a)).has("data.name", "b").has("data.version", 2)
	c.get(agentPath(b)).has("data.name", "c").has("data.version", 2)
	c.get("/agents/a").has("data.authority.reports_to", a).has("data.version", 1)
	c.apply(doc).hasAll("data", counted(0, 0, 0, 0))
	c.post("/organization/apply?prune=true", obj{"format": 1, "departments": list{entry("Design")}, "agents": list{entry("d"), entry("b")}}).
		refused(400, 2000, "agents[0].role: is required", "agents[0].department: is required")
	c.plan(obj{"format": 1, "agents": list{entry("x", obj{"previous_name": "a"}), entry("y", obj{"previous_name": "a"})}}).
		refused(400, 2000, "agents[1].previous_name: is also that of agents[0]")
	c.plan(obj{"format": 1, "agents": list{entry("x", obj{"previous_name": ""}), entry("y", obj{"previous_name": 1})}}).
		refused(400, 2001, "agents[0].previous_name", "agents[1].previous_name")
}

// Agents that exchange their names keep their histories, also in a circle. The same again changes
// nothing.
func exchangedNames(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("Design")
	ids := map[string]string{}
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		ids[n] = c.hire(n, "Design")
	}
	swap := obj{"format": 1, "agents": list{
		entry("b", obj{"previous_name": "a", "level": "lead"}), entry("a", obj{"previous_name": "B"}),
		entry("d", obj{"previous_name": "c"}), entry("e", obj{"previous_name": "d"}), entry("c", obj{"previous_name": "e"}),
	}}
	hash := c.plan(swap).want(200).text("data.plan_hash")
	c.post("/organization/apply?plan_hash="+hash, swap).want(200).hasAll("data", counted(0, 5, 0, 0))
	for from, to := range map[string]string{"a": "b", "b": "a", "c": "d", "d": "e", "e": "c"} {
		c.get(agentPath(ids[from])).has("data.name", to)
	}
	c.get("/agents/b").hasAll("data", obj{"id": ids["a"], "level": "lead"})
	c.counts("/agents", 5)
	c.apply(swap).hasAll("data", counted(0, 0, 0, 0))
	both := obj{"format": 1, "departments": list{entry("Design")}, "agents": list{entry("C", obj{"previous_name": "A"})}}
	for _, path := range []string{"/organization/plan", "/organization/apply", "/organization/plan?prune=true"} {
		c.post(path, both).refused(400, 2000, `agents[0].previous_name: there are agents of both names, "a" and "C", and no entry gives the second another name`)
	}
	c.counts("/agents", 5)
}

// References mean names as they will be, in both directions, and make no second
// version.
func documentReferences(t *testing.T, s *Service) {
	c := s.admin(t)
	c.apply(obj{
		"format": 1,
		"departments": list{entry("Design", obj{
			"head": "ann", "teams": list{obj{"name": "T", "lead": "Bob", "members": list{"Ann"}}}, "reporting_lines": list{obj{"subordinate": "Ann", "supervisor": "Bob"}},
		})},
		"agents": list{
			entry("Ann", obj{"role": "R", "department": "design", "authority": obj{"reports_to": "Cleo", "can_delegate_to": list{"Bob"}}}),
			entry("Bob", obj{"role": "R", "department": "Design"}),
			entry("Cleo", obj{"role": "R", "department": "Design", "authority": obj{"reports_to": "BOB"}}),
		},
	}).hasAll("data", counted(4, 0, 0, 0))
	shown := c.get("/organization").want(200)
	shown.has("data.departments.0.head", "Ann").has("data.departments.0.teams.0.lead", "Bob").has("data.agents.0.authority.reports_to", "Cleo")
	shown.has("data.agents.0.department", "Design").has("data.agents.2.authority.reports_to", "Bob")
	for _, n := range []string{"Ann", "Bob", "Cleo"} {
		c.get(agentPath(n)).has("data.version", 1)
	}
	c.plan(obj{"format": 1, "departments": list{entry("Design", obj{"head": "Nobody"})}, "agents": list{entry("Ann", obj{"authority": obj{"reports_to": "Nobody"}})}}).
		refused(400, 2000, `departments[0].head: there is no agent "Nobody"`, `agents[0].authority.reports_to: there is no agent "Nobody"`)
}

// Agents that refer to each other in circles are made in one go.
func documentCircles(t *testing.T, s *Service) {
	c := s.admin(t)
	agents := list{}
	for i := range 6 {
		agents = append(agents, entry(fmt.Sprint("a", i), obj{"role": "R", "department": "D", "authority": obj{
			"reports_to": fmt.Sprint("a", (i+1)%6), "can_delegate_to": list{fmt.Sprint("a", (i+5)%6), fmt.Sprint("a", (i+3)%6)},
		}}))
	}
	doc := obj{"format": 1, "departments": list{entry("D")}, "agents": agents}
	c.apply(doc).hasAll("data", counted(7, 0, 0, 0))
	c.apply(doc).hasAll("data", counted(0, 0, 0, 0))
	for _, a := range c.get("/agents").items("data") {
		if v := fmt.Sprint(a.(map[string]any)["version"]); v != "1" {
			t.Errorf("%v has version %s, want 1", a.(map[string]any)["name"], v)
		}
	}
}

// Shares of the budget change hands without ever being more than there is.
func documentBudgets(t *testing.T, s *Service) {
	c := s.admin(t)
	shares := func(pairs ...any) list {
		all := list{}
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, entry(pairs[i].(string), obj{"budget_percent": pairs[i+1]}))
		}
		return all
	}
	c.apply(obj{"format": 1, "departments": shares("A", 70, "B", 30)})
	c.apply(obj{"format": 1, "departments": shares("A", 10, "B", 60, "C", 30)}).hasAll("data", counted(1, 2, 0, 0))
	c.post("/organization/apply?prune=true", obj{"format": 1, "departments": shares("D", 99.5, "B", 0.5), "agents": list{}}).want(200).hasAll("data", counted(1, 1, 2, 1))
	c.get("/organization").has("data.departments.0.budget_percent", 99.5)
	c.plan(obj{"format": 1, "departments": shares("B", 0.6, "E", 1)}).refused(400, 2000, "departments[0].budget_percent", "departments[1].budget_percent", "101.1")
	c.wantNames("departments", "D", "B")
}

// Every entry that is wrong by itself is named, and nothing has changed.
func badDocumentEntries(t *testing.T, s *Service) {
	c := newStaff(t, s)
	trail := c.get("/audit").at("data")
	doc := obj{
		"format": 1, "company": obj{"currency": "x", "departments": list{}},
		"departments": list{entry("Design", obj{"budget_percent": 101}), obj{}, 1, entry("Sales"), entry("New", obj{"previous_name": "Sales"})},
		"agents":      list{entry("Ann", obj{"level": "boss"}), entry("Bob", obj{"nmae": 1, "id": nobody}), obj{"role": "x"}, entry("ANN"), entry("x\x00"), obj{"level": "boss"}, obj{"name": nil}},
	}
	for _, path := range []string{"/organization/plan", "/organization/apply"} {
		c.post(path, doc).refused(400, 2001, "company.currency: ", "company.departments: is read-only",
			"departments[0].budget_percent: ", "departments[1].name: is required", "departments[2]: must be an object",
			"departments[4].previous_name: unknown field",
			"agents[0].level: must be one of", "agents[1].nmae: unknown field", "agents[1].id: is read-only", "agents[2].name: is required",
			`agents[3].name: "ANN" is also the name of agents[0]`, "agents[4].name: ", "agents[5].level: ", "agents[5].name: is required", "agents[6].name: ")
		c.post(path, obj{"format": 1, "departments": list{entry("A"), entry("B"), entry("a")}, "agents": list{entry("X"), entry("x ")}}).
			refused(400, 2001, `departments[2].name: "a" is also the name of departments[0]`, `agents[1].name: "x" is also the name of agents[0]`)
		c.post(path, obj{"format": 2}).refused(400, 2001, "format: must be 1")
		c.post(path, obj{"company": obj{}}).refused(400, 2001, "format: is required")
		c.post(path, obj{"format": 1, "agents": obj{}, "departments": 1}).refused(400, 2001, "agents: must be an array", "departments: must be an array")
		c.post(path, obj{"format": 1, "agents": list{entry("Ann", obj{"level": "junior", "autonomy_level": "full"})}}).refused(400, 2000, "agents[0].autonomy_level")
		many := list{}
		for range 1200 {
			many = append(many, obj{})
		}
		c.post(path, obj{"format": 1, "agents": many}).refused(400, 2001, "agents[999].name", "and 200 more")
	}
	c.get("/audit").has("data", trail)
}

// What the organization does not allow is known before anything is changed.
func refusedDocuments(t *testing.T, s *Service) {
	c := newStaff(t, s)
	trail := c.get("/audit").at("data")
	for says, doc := range map[string]obj{
		"agents[1].status: an agent cannot go from active to onboarding": {"agents": list{entry("Ann", obj{"role": "x"}), entry("Bob", obj{"status": "onboarding"})}},
		"agents[0].department: there will be no such department":         {"agents": list{entry("Ann", obj{"department": "Ops"})}},
		"agents[0].hiring_date: cannot change from 2026-01-31":           {"agents": list{entry("Ann", obj{"hiring_date": "2026-02-01"})}},
		"agents[0].model: provider and model_id are both required":       {"agents": list{entry("Bob", obj{"model": obj{"temperature": 1}})}},
		"agents[0].authority.reports_to: an agent must not report":       {"agents": list{entry("Bob", obj{"authority": obj{"reports_to": "bob"}})}},
		"agents[0].role: is required":                                    {"agents": list{entry("New", obj{"department": "Sales"})}},
		"departments[0].reporting_lines[0]: closes a cycle": {"departments": list{entry("Sales", obj{"reporting_lines": list{
			obj{"subordinate": "Ann", "supervisor": "Bob"}, obj{"subordinate": "BOB", "supervisor": "ANN"}}})}},
	} {
		doc["format"] = 1
		c.plan(doc).refused(400, 2000, says)
		c.post("/organization/apply", doc).refused(400, 2000, says)
	}
	c.get("/audit").has("data", trail)
}

// What is wrong is also said as data: where, what, and on which line.
func listedMistakes(t *testing.T, s *Service) {
	c := newStaff(t, s)
	listed := func(c *client, text string, code int, want list) {
		c.plan(text).refused(400, code).has("error_detail.errors", want)
		c.post("/organization/apply", text).refused(400, code).has("error_detail.errors", want)
	}
	at := func(path, text string, line any) obj { return obj{"path": path, "text": text, "line": line} }
	const level = "must be one of junior, mid, senior, lead, principal, director, vp, c_suite"
	listed(c, "{\"format\":2,\n\"agents\":[\n{\"name\":},\n{\"name\":\"z\",\"level\":\"boss\",\"x\":1}],\n\"y\":1}", 2001, list{
		at("format", "must be 1", 1),
		at("agents[0]", `invalid JSON at byte 32 (line 3, column 9): expected a value, found "}"`, 3),
		at("agents[1].level", level, 4), at("agents[1].x", "unknown field", 4), at("y", "unknown field", 5)})
	listed(c, `{"format":1,"agents":[{"name":"z; a: b","department":"x; y: z","role":"R"}]}`, 2000, list{
		at("agents[0].department", "there will be no such department", 1)})
	listed(c, "{}", 2001, list{at("format", "is required", nil)})
	listed(c, "[]", 2001, list{at("", `invalid JSON at byte 0: expected an object, found "["`, 1)})
	listed(c, "{\"format\":1,\"agents\":[\n\n{\"name\":\"Ann\",\"status\":\"onboarding\"},\n{\"name\":\"New\"}]}", 2000, list{
		at("agents[0].status", "an agent cannot go from active to onboarding", 3),
		at("agents[1].role", "is required", 4), at("agents[1].department", "is required", 4)})
	c.post("/organization/plan?prune=true", `{"format":1}`).refused(400, 2000).
		has("error_detail.errors", list{at("", "prune: needs a document with both departments and agents", nil)})
	c.post("/organization/plan?prune=x", `{"format":1}`).refused(400, 2001).has("error_detail.errors.0.line", nil)
}

func badDocuments(t *testing.T, s *Service) {
	c := newStaff(t, s)
	for text, says := range map[string]string{
		`{"format":1,"agents":[{"name":"a"},{"name":}]}`: "agents[1]: invalid JSON at byte 43: ",
		"{\"format\":1,\n\"agents\":[\n{\"name\":},\n{\"name\":\"ä\",\"level\":\"boss\"}, {\"name\":\"a\",\"name\":\"b\"},\n {}], \"x\": 1}": `agents[0]: invalid JSON at byte 32 (line 3, column 9): expected a value, found "}"; agents[1].level: must be one of junior, mid, senior, lead, principal, director, vp, c_suite (line 4); agents[2]: invalid JSON at byte 77 (line 4, column 42): duplicate key "name"; agents[3].name: is required (line 5); x: unknown field`,
		"{\"format\":1, \"departments\":[{\"x\":1,\"x\":2}],\"agents\":[1}":                                                                  "agents[0]: must be an object, not a number; invalid JSON at byte 54: expected a comma or ]",
		`{"format":1,"agents":[{"name":"a"} {}]}`:                                                                                            "expected a comma",
		`{"format":1,"agents":[{}`: "end of the text",
		`{"format":1} x`:           "expected the end",
		`{"format":1,"format":1}`:  "duplicate",
		`{"format":1,"Agents":[]}`: `Agents: unknown field, did you mean "agents"?`,
		`{"format":"1"}`:           "format",
		`{"format":1,"agents":[` + strings.Repeat(" ", 10) + `{"name":"a","description":"` + strings.Repeat("x", 1<<20) + `"}]}`: "agents[0]: must be at most 1048576 bytes, it has 1048605",
	} {
		c.plan(text).refused(400, 2001, says)
		c.post("/organization/apply", text).refused(400, 2001, says)
	}
	c.with("Content-Type", "application/yaml").plan("format: 1").refused(400, 2001, "Content-Type: must be application/json")
	deep := strings.Repeat(`{"a":`, 29) + "1" + strings.Repeat("}", 29)
	c.apply(`{"format":1,"agents":[{"name":"Ann","metadata":`+deep+`}]}`).hasAll("data", counted(0, 1, 0, 0))
	c.get("/organization").want(200)
}

// A plan holds for the state and the document that it was made for.
func planHashes(t *testing.T, s *Service) {
	c := newStaff(t, s)
	doc := obj{"format": 1, "agents": list{entry("Ann", obj{"level": "lead"})}}
	hash := c.plan(doc).want(200).text("data.plan_hash")
	c.plan(doc).has("data.plan_hash", hash)
	at := func(h string) string { return "/organization/apply?plan_hash=" + h }
	c.post(at(hash), obj{"format": 1, "agents": list{entry("Ann", obj{"level": "senior"})}}).refused(409, 4002, "plan_hash")
	c.post(at(hash)+"&prune=true", with(with(doc, "departments", list{entry("Sales"), entry("Design")}), "agents", list{entry("Ann")})).refused(409, 4002)
	c.patch("/agents/Cleo", obj{"description": "x"}).want(200)
	c.post(at(hash), doc).refused(409, 4002)
	c.get("/agents/Ann").has("data.level", "mid")
	for path, order := range map[string]obj{
		"/company/reorder-departments":               {"department_names": list{"Sales", "Design"}},
		departmentPath("Design") + "/reorder-agents": {"agent_names": list{"Ann", "Bob"}},
	} {
		hash = c.plan(doc).want(200).text("data.plan_hash")
		c.post(path, order)
		c.post(at(hash), doc).refused(409, 4002, "plan_hash")
	}
	c.wantNames("departments", "Sales", "Design")
	c.wantNames("agents", "Ann", "Bob", "Cleo")
	hash = c.plan(doc).want(200).text("data.plan_hash")
	c.post(at(hash), doc).want(200).has("data.plan_hash", hash).hasAll("data", counted(0, 1, 0, 0))
	c.post(at(hash), doc).refused(409, 4002)
	hash = c.plan(doc).want(200).text("data.plan_hash")
	c.post(at(hash), doc).want(200).hasAll("data", counted(0, 0, 0, 0))
	for _, bad := range []string{"", "x", strings.Repeat("G", 64), strings.ToUpper(hash), hash + "0", hash + "&plan_hash=" + hash} {
		c.post(at(bad), doc).refused(400, 2001, "plan_hash")
	}
}

// Agents change as they do one by one: with versions, events and audit entries.
func documentEvents(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("D")
	c.hire("Ann", "D")
	c.apply(obj{"format": 1, "departments": list{entry("D")}, "agents": list{
		entry("Ann", obj{"level": "vp", "status": "on_leave"}), entry("Bob", obj{"role": "R", "department": "D", "status": "onboarding"}),
	}})
	types := func(agent string) []any {
		all := []any{}
		for _, e := range c.get(agentPath(agent) + "/history").want(200).items("data") {
			all = append(all, e.(map[string]any)["event_type"])
		}
		return all
	}
	if diff := cmp.Diff([]any{"hired", "onboarded", "status_changed", "promoted"}, types("Ann")); diff != "" {
		t.Errorf("events of Ann (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{"hired"}, types("Bob")); diff != "" {
		t.Errorf("events of Bob (-want +got):\n%s", diff)
	}
	c.get("/agents/Ann/versions").has("data.0.version", 2).has("data.0.saved_by", c.subject)
	trail := c.get("/audit").want(200)
	for i := range 2 {
		trail.has(fmt.Sprintf("data.%d.route", i), "POST /api/v1/organization/apply").has(fmt.Sprintf("data.%d.actor", i), c.subject)
	}
}

// Several applies and single changes at once: each answer is one of the
// described ones, and in the end everything is there.
func appliesBesideOthers(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("D")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			agents := list{entry("shared", obj{"role": "R", "department": "D"})}
			for j := range 10 {
				agents = append(agents, entry(fmt.Sprint("a", i, "-", j), obj{"role": "R", "department": "D", "authority": obj{"reports_to": "shared"}}))
			}
			for tries := 0; tries < 5; {
				switch r := c.post("/organization/apply", obj{"format": 1, "agents": agents}); {
				case r.status == 200:
					return
				case r.is(429, 5002): // two of a subject run at once
					time.Sleep(time.Millisecond)
				case r.is(409, 4001), r.is(400, 2000):
					tries++
				default:
					t.Errorf("apply = %d %s", r.status, clip(r.body))
					return
				}
			}
			t.Error("an apply never got through")
		})
	}
	wg.Wait()
	if n := len(c.names("agents")); n != 41 {
		t.Errorf("there are %d agents, want 41", n)
	}
}

// What is exported makes the same organization anew.
func copiesOrganizations(t *testing.T, s *Service) {
	c := newStaff(t, s)
	export := c.get("/organization").want(200)
	c.post("/organization/apply?prune=true", obj{"format": 1, "company": obj{"company_name": "x", "settings": obj{}}, "departments": list{}, "agents": list{}}).want(200)
	c.post("/organization/apply?prune=true", export.at("data")).want(200).hasAll("data", counted(5, 1, 0, 0))
	if again := c.get("/organization").want(200); !bytes.Equal(again.body, export.body) {
		t.Errorf("the copy differs:\n%s", cmp.Diff(string(export.body), string(again.body)))
	}
	for _, n := range []string{"Ann", "Bob", "Cleo"} {
		c.get(agentPath(n)).has("data.version", 1)
	}
}

func documentCurrency(t *testing.T, s *Service) {
	c := newStaff(t, s)
	c.apply(obj{"format": 1, "company": obj{"currency": "EUR"}}).hasAll("data", counted(0, 1, 0, 0))
	c.report(obj{"event_type": "cost_incurred", "agent": "Ann", "data": obj{"amount": 1}}).want(201)
	doc := obj{"format": 1, "company": obj{"currency": "SEK"}, "agents": list{entry("Ann", obj{"level": "vp"})}}
	c.plan(doc).refused(400, 2000, "company.currency")
	c.post("/organization/apply", doc).refused(400, 2000, "company.currency")
	c.get("/agents/Ann").has("data.level", "mid")
}
