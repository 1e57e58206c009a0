package apitest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func agentChecks() map[string]check {
	return map[string]check{
		"Defaults":       agentDefaults,
		"AllFields":      agentWithAllFields,
		"Identity":       agentByNameAndID,
		"Names":          agentNames,
		"Department":     agentDepartments,
		"Lifecycle":      lifecycleEvents,
		"StatusMoves":    statusMoves,
		"Delete":         deletedAgents,
		"Restore":        restoredAgents,
		"RestoreRefused": refusedRestores,
		"RestoreAtOnce":  restoredAtOnce,
		"RestoreRoles":   restorePermissions,
		"DeletedPages":   deletedPages,
		"Purge":          purgedAgents,
		"References":     agentReferences,
		"Scripts":        namesOfManyScripts,
		"Paths":          namesThatArePaths,
		"Missing":        missingAgents,
		"NoSideEffects":  agentsChangeNothingElse,
		"HistoryMeaning": careerEntries,
	}
}

// An agent about which little is said has all the defaults.
func agentDefaults(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("Design")
	r := c.hired("  Ann ", "design")
	golden(t, "agent_defaults.json", r)
	r.hasAll("data", obj{"name": "Ann", "department": "Design", "version": 1, "revision": 1})
	if r.text("data.created_at") != r.text("data.updated_at") || !strings.HasPrefix(r.text("data.created_at"), r.text("data.hiring_date")) {
		t.Errorf("times = %v, %v, hired on %v", r.at("data.created_at"), r.at("data.updated_at"), r.at("data.hiring_date"))
	}
	if loc := r.header.Get("Location"); loc != api+"/agents/"+r.text("data.id") {
		t.Errorf("Location = %s", loc)
	}
	c.get("/agents/Ann").has("data", r.at("data"))
}

// outsideIdentity are the writable fields of an agent that are not part of its identity.
var outsideIdentity = []string{"personality_preset", "tier", "model_requirement", "owner", "tags"}

// everything is a body with every writable field, none at its default.
func everything() obj {
	return obj{
		"name": "Zed", "role": "Architect", "department": "Design", "description": "Draws", "level": "principal", "status": "onboarding",
		"hiring_date": "2020-02-29", "instructions": "Line 1\nLine 2", "metadata": obj{"team": obj{"color": "red"}}, "autonomy_level": "semi",
		"strategic_output_mode": "decision_maker", "personality_preset": "calm", "tier": "small", "model_requirement": obj{"min_context": 9007199254740993},
		"owner": "https://idp.example.com|Zoë", "tags": list{"eu", "9.a_b-c", "b"},
		"personality": obj{
			"traits": list{"calm", "kind"}, "communication_style": "formal", "description": "Quiet", "risk_tolerance": "low", "creativity": "high",
			"openness": 0.1, "conscientiousness": 0.2, "extraversion": 0.3, "agreeableness": 0.4, "stress_response": 1,
			"decision_making": "directive", "collaboration": "pair", "verbosity": "verbose", "conflict_approach": "avoid",
		},
		"skills": obj{
			"primary": list{obj{
				"id": "go", "name": "Go", "description": "Writes Go", "tags": list{"lang"}, "input_modes": list{"text/markdown"},
				"output_modes": list{"text/x-go"}, "proficiency": 0.75,
			}},
			"secondary": list{obj{
				"id": "sql", "name": "SQL", "description": "", "tags": list{}, "input_modes": list{"text/plain"}, "output_modes": list{"text/plain"}, "proficiency": 0,
			}},
		},
		"model": obj{"provider": "p", "model_id": "m", "temperature": 0, "max_tokens": 1, "fallback_model": "f", "model_tier": "medium"},
		"memory": obj{
			"type": "project", "retention_days": 30, "retention_overrides": list{obj{"category": "episodic", "retention_days": 7}},
		},
		"tools": obj{
			"access_level": "custom", "allowed": list{"git"}, "denied": list{"rm"}, "mcp_capabilities": list{"files"},
			"sub_constraints": obj{
				"file_system": "full", "network": "open", "git": "read_and_branch", "code_execution": "process", "terminal": "restricted_commands",
				"requires_approval": list{"deploy"}, "network_allowlist": list{"example.com"},
			},
		},
		"authority": obj{"can_approve": list{"merge"}, "reports_to": nil, "can_delegate_to": list{}, "budget_limit": 12.5},
	}
}

// What is written comes back, from the agent and from its version.
func agentWithAllFields(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("Design")
	body := everything()
	r := c.post("/agents", body).want(201).hasAll("data", body)
	version := c.get(agentPath(r.text("data.id"))+"/versions/1").want(200).hasAll("data", obj{
		"entity_id": r.at("data.id"), "version": 1, "saved_by": "admin", "saved_at": r.at("data.created_at"), "restored_from": nil, "reason": nil,
	})
	for field := range body {
		if !slices.Contains(outsideIdentity, field) {
			version.has("data.snapshot."+field, body[field])
		}
	}
	if hash := version.text("data.content_hash"); len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		t.Errorf("content_hash = %s, want 64 hexadecimal digits", hash)
	}
	// The same, written another way, is the same.
	c.patch("/agents/zed", `{"personality":{"openness":1e-1},"authority":{"budget_limit":12.50}}`).want(200).has("data.revision", 1)
}

// Wherever a path takes a name it takes an id, and the other way round.
func agentByNameAndID(t *testing.T, s *Service) {
	w := newWorld(t, s)
	want := w.get("/agents/Ann")
	for _, key := range []string{w.ann, strings.ToUpper(w.ann), "ann", "ANN", "%20Ann%20"} {
		r := w.get("/agents/"+key).want(200).has("data", want.at("data"))
		if r.etag() != want.etag() {
			t.Errorf("%s: tag %s, want %s", key, r.etag(), want.etag())
		}
		for _, below := range []string{"activity", "health", "history", "performance", "versions", "versions/1", "versions/diff?from_version=1&to_version=2"} {
			w.get("/agents/" + key + "/" + below).want(200)
		}
	}
	w.post("/agents/ann/versions/rollback", obj{"target_version": 1}).want(200).has("data.id", w.ann)
	w.patch("/agents/ANN", obj{"description": "x"}).want(200).has("data.id", w.ann)
}

// Two names that differ only in how they are written are one name.
func agentNames(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("D")
	c.hire("Zoë", "D")
	for _, taken := range []string{"Zoë", "ZOË", "zoe\u0308", " zoë\t"} {
		c.post("/agents", agentBody(taken, "D")).refused(409, 4001)
	}
	c.hire("Zoe", "D") // another letter
	c.patch("/agents/Zoe", obj{"name": "zoË"}).refused(409, 4001)
	c.patch("/agents/Zoe", obj{"name": "ZOE"}).want(200).hasAll("data", obj{"name": "ZOE", "version": 2}) // one's own name may be written anew
	c.get("/agents/zoe").has("data.name", "ZOE")
	c.patch("/agents/zoe", obj{"name": "Max"}).want(200)
	c.get("/agents/Zoe").refused(404, 3000)
	c.hire("zoe", "D")
	c.hire("Straße", "D")
	c.post("/agents", agentBody("STRASSE", "D")).refused(409, 4001)
	for _, bad := range []string{"", "..", "a\tb", nobody, strings.Repeat("a", 129)} {
		c.post("/agents", agentBody(bad, "D")).refused(400, 2001, "name")
	}
	c.hire(strings.Repeat("名", 128), "D")
	c.hire("  "+strings.Repeat("é", 124)+"  ", "D")
}

// An agent is always in a department that exists, written as it writes itself.
func agentDepartments(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.post("/agents", agentBody("X", "None")).refused(400, 2000, "None")
	w.patch("/agents/Ann", obj{"department": "None"}).refused(400, 2000, "None")
	w.patch("/agents/Ann", obj{"department": "SALES"}).want(200).hasAll("data", obj{"department": "Sales", "version": 3, "revision": 3})
	w.patch("/agents/Ann", obj{"department": "sales"}).want(200).has("data.revision", 3)
	w.get("/agents/Ann/activity").has("data.0.event_type", "onboarded") // a move emits nothing
	for _, d := range []string{"Design", "Sales"} {
		w.get(departmentPath(d)).has("data.revision", 1)
	}
	w.get("/departments/Sales/health").has("data.agent_count", 2)
	w.get("/departments/Design/health").has("data.agent_count", 1)
}

// References of an agent are ids, and stay when their target goes.
func agentReferences(t *testing.T, s *Service) {
	w := newWorld(t, s)
	body := agentBody("Dora", "Design", obj{"authority": obj{"reports_to": "ann", "can_delegate_to": list{"Bob", w.carl}}})
	dora := w.post("/agents", body).want(201).hasAll("data.authority", obj{"reports_to": w.ann, "can_delegate_to": list{w.bob, w.carl}}).text("data.id")
	w.patch("/agents/Ann", obj{"name": "Anna"}).want(200)
	w.delete("/agents/Bob").want(204)
	w.get(agentPath(dora)).hasAll("data", obj{"authority.reports_to": w.ann, "authority.can_delegate_to": list{w.bob, w.carl}, "revision": 1})
	w.patch(agentPath(dora), obj{"description": "x"}).want(200).has("data.authority.can_delegate_to", list{w.bob, w.carl})
	w.post("/agents", agentBody("X", "Design", obj{"authority": obj{"reports_to": "Nobody"}})).refused(400, 2000, "authority.reports_to")
	w.post("/agents", agentBody("X", "Design", obj{"authority": obj{"can_delegate_to": list{"Bob"}}})).refused(400, 2000, "authority.can_delegate_to")
}

// Names of all scripts come back as they were written, in NFC.
func namesOfManyScripts(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("D")
	for name, shown := range map[string]string{
		"Ελένη": "", "Иван": "", "שרה": "", "فاطمة": "", "देवी": "", "สมชาย": "", "김민수": "", "山田太郎": "", "𠮷野家": "", "👩🚀": "", "Ⅷ": "", "ǅ": "",
		"Nguyễn": "Nguyễn", "e\u0301": "é", "A\u030a": "Å", "\u212b x": "Å x", "ﬁn": "ﬁn", "O'Brien": "", "a.b": "", "$where": "", "İstanbul": "", "ıŞIK": "", "ΣΊΣΥΦΟΣ": "",
		"{\"$ne\":\"\"}": "", "../../etc/passwd": "", "<script>": "", "Robert'); DROP TABLE agents;--": "", "null": "", "NaN": "", "-1": "", "0": "", "true": "",
		"می\u200cخواهم": "", "👩\u200d👩\u200d👧": "",
	} {
		if shown == "" {
			shown = name
		}
		id := c.hired(name, "D").has("data.name", shown).text("data.id")
		for _, written := range []string{name, shown} {
			c.get(agentPath(written)).want(200).hasAll("data", obj{"id": id, "name": shown})
		}
		c.get(agentPath(id)+"/activity").has("data.0.agent_name", shown)
		c.get("/agents?q="+url.QueryEscape(name)).has("data.0.id", id)
		c.post("/agents", agentBody(shown, "D")).refused(409, 4001)
	}
}

// No agent gets a name that a proxy which decodes %2F makes a path below another name.
func namesThatArePaths(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, bad := range []string{"Ann/health", "nobody/versions/3"} {
		const says = "name: the name must not end in"
		w.post("/agents", agentBody(bad, "Design")).refused(400, 2001, says)
		w.patch("/agents/Ann", obj{"name": bad}).refused(400, 2001, says)
		for _, e := range []obj{entry(bad, obj{"role": "r", "department": "Design"}), entry(bad, obj{"previous_name": "Ann"})} {
			doc := obj{"format": 1, "agents": list{e}}
			w.plan(doc).refused(400, 2000, "agents[0].name: the name must not end in")
			w.post("/organization/apply", doc).refused(400, 2000, "agents[0].name: the name must not end in")
		}
	}
	w.get("/agents/Ann").want(200).has("data.name", "Ann")
	for _, good := range []string{"Ann/diff", "health/Ann"} {
		w.hired(good, "Design")
	}
}

// What does not exist is 404/3000 everywhere, and named as it was asked for.
func missingAgents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, key := range []string{"NoBody", nobody, w.project, "Ann2", "%24ne"} {
		shown := fmt.Sprintf("agent %q", strings.ReplaceAll(key, "%24", "$"))
		for _, below := range []string{
			"", "/activity", "/health", "/history", "/performance", "/days", "/versions", "/versions/1", "/versions/diff?from_version=1&to_version=2",
		} {
			w.get("/agents/"+key+below).refused(404, 3000, shown)
		}
		w.patch("/agents/"+key, obj{"description": "x"}).refused(404, 3000, shown)
		w.delete("/agents/"+key).refused(404, 3000, shown)
		w.post("/agents/"+key+"/versions/rollback", obj{"target_version": 1}).refused(404, 3000, shown)
	}
}

// Hiring, moving and deleting an agent changes neither department nor company.
func agentsChangeNothingElse(t *testing.T, s *Service) {
	w := newWorld(t, s)
	design, company := w.get("/departments/Design"), w.get("/company")
	dora := w.hire("Dora", "Design")
	w.patch(agentPath(dora), obj{"department": "Sales"}).want(200)
	w.delete(agentPath(dora)).want(204)
	for path, before := range map[string]*reply{"/departments/Design": design, "/company": company} {
		if r := w.get(path).has("data", before.at("data")); r.etag() != before.etag() {
			t.Errorf("%s: tag %s, want %s", path, r.etag(), before.etag())
		}
	}
}
