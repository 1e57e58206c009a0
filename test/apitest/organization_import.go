package apitest

import (
	"testing"
	"time"
)

// A document can say when and by whom the entry of an agent was written. The version keeps
// that, and everything else what has happened.
func importsVersions(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("Design")
	as := func(at, by string, more ...obj) obj {
		e := entry("ann", append([]obj{{"role": "R", "department": "Design", "as_of": obj{"at": at, "by": by}}}, more...)...)
		return obj{"format": 1, "agents": list{e}}
	}
	first := as("2024-02-03T04:05:06.007+01:00", "Ada <ada@example.com>")
	c.plan(first).want(200).has("data.changes.0.path", `agents["ann"]`)
	begin := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	c.apply(first).hasAll("data", counted(1, 0, 0, 0))
	c.get("/agents/ann/versions/1").hasAll("data", obj{
		"saved_at": "2024-02-03T03:05:06.007Z", "saved_by": "Ada <ada@example.com>", "imported": true, "reason": nil,
	})

	// A document that changes nothing makes no version, whatever it is as of.
	c.apply(as("2024-03-01T00:00:00Z", "bob")).hasAll("data", counted(0, 0, 0, 0))
	c.get("/agents/ann").has("data.version", 1)

	// Times never go back.
	early := as("2023-01-01T00:00:00Z", "bob", obj{"level": "lead"})
	early["agents"].(list)[0].(obj)["as_of"].(obj)["reason"] = "before"
	c.with("Change-Reason", "import").apply(early).hasAll("data", counted(0, 1, 0, 0))
	c.get("/agents/ann/versions/2").hasAll("data", obj{
		"saved_at": "2024-02-03T03:05:06.007Z", "saved_by": "bob", "imported": true, "reason": "before",
	})
	c.with("Change-Reason", "import").apply(as("2024-04-01T00:00:00Z", "cid", obj{"level": "vp"}))
	c.get("/agents/ann/versions/3").hasAll("data", obj{"saved_at": "2024-04-01T00:00:00.000Z", "saved_by": "cid", "reason": "import"})
	c.patch("/agents/ann", obj{"level": "senior"}).want(200)
	c.get("/agents/ann/versions/4").hasAll("data", obj{"saved_by": "admin", "imported": false})

	// The change log and the audit trail say who has imported it, and when that was.
	log := c.get("/changes?action=agent.updated").want(200)
	log.hasAll("data.2", obj{"actor": "admin", "reason": "before", "to_version": 2})
	if at := log.at("data.2.timestamp").(string); at < begin {
		t.Errorf("the import is logged at %s, before it was made", at)
	}
	if at := c.get("/agents/ann").want(200).at("data.created_at").(string); at < begin {
		t.Errorf("the imported agent was created at %s, before the import", at)
	}
}

func refusesToImport(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("Design")
	as := func(of any) obj {
		return obj{"format": 1, "agents": list{entry("ann", obj{"role": "R", "department": "Design", "as_of": of})}}
	}
	good := obj{"at": "2024-02-03T04:05:06Z", "by": "ada"}
	future := obj{"at": time.Now().Add(time.Hour).UTC().Format(time.RFC3339), "by": "ada"}
	c.plan(as(future)).refused(400, 2000, "agents[0].as_of.at: must not be in the future")
	for problem, of := range map[string]any{
		"agents[0].as_of.at: is required":         obj{"by": "ada"},
		"agents[0].as_of.by: is required":         obj{"at": "2024-02-03T04:05:06Z"},
		"agents[0].as_of.at: must be a time such": obj{"at": "yesterday", "by": "ada"},
		"agents[0].as_of.by: must be 1 to 256":    obj{"at": "2024-02-03T04:05:06Z", "by": " "},
		"agents[0].as_of.who: unknown field":      obj{"at": "2024-02-03T04:05:06Z", "by": "ada", "who": 1},
		"agents[0].as_of: must be an object":      "2024-02-03T04:05:06Z",
	} {
		c.plan(as(of)).refused(400, 2001, problem)
	}
	editor := s.as(t, "editor")
	for _, do := range []string{"plan", "apply"} {
		editor.post("/organization/"+do, as(good)).refused(403, 1001, `role "editor" may not set as_of`)
		editor.post("/organization/"+do, as(nil)).want(200)
		c.delete("/agents/ann")
	}
}
