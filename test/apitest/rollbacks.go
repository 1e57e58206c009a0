package apitest

import (
	"strings"
	"testing"
)

// A rollback is a new version with old content; what makes the agent the agent
// stays.
func rollbacks(t *testing.T, s *Service) {
	w := newWorld(t, s)
	id := w.hire("Dora", "Design", obj{"hiring_date": "2020-01-01", "tier": "small", "owner": "eve", "tags": list{"a"}})
	path := agentPath(id)
	first := w.get(path + "/versions/1")
	w.patch(path, obj{"name": "Dorothea", "department": "Sales", "role": "Lead", "tier": "large", "owner": "bob", "tags": list{"b"}, "metadata": obj{"a": 1}}).want(200)
	editor := s.as(t, "editor")
	r := editor.post(path+"/versions/rollback", obj{"target_version": 1, "reason": "mistake"}).want(200).has("data", first.at("data.snapshot"))
	if _, err := r.find("data.revision"); err == nil {
		t.Error("a rollback answers the record, want the identity")
	}
	w.get("/agents/Dora").hasAll("data", obj{"id": id, "department": "Design", "version": 3, "revision": 3, "tier": "large", "owner": "bob", "tags": list{"b"}, "hiring_date": "2020-01-01"})
	w.get(path+"/versions/3").hasAll("data", obj{
		"restored_from": 1, "reason": "mistake", "saved_by": "editor", "content_hash": first.at("data.content_hash"), "snapshot": first.at("data.snapshot"),
	})
	// Content that is there already is no change.
	tag := w.get(path).etag()
	w.post(path+"/versions/rollback", obj{"target_version": 1}).want(200)
	w.post(path+"/versions/rollback", obj{"target_version": 3, "reason": nil}).want(200)
	if now := w.get(path).has("data.version", 3).etag(); now != tag {
		t.Errorf("tag = %s after rollbacks without effect, want %s", now, tag)
	}
	for _, bad := range []any{obj{}, obj{"target_version": 0}, obj{"target_version": "1"}, obj{"target_version": 1.5}, obj{"target_version": nil}, obj{"target_version": 1, "reason": ""}, obj{"target_version": 1, "reason": strings.Repeat("x", 1025)}} {
		w.post(path+"/versions/rollback", bad).refused(400, 2001)
	}
	w.post(path+"/versions/rollback", obj{"target_version": 2}).want(200).hasAll("data", obj{"name": "Dorothea", "department": "Sales"})
}

// A version whose world is gone cannot come back; the answer says what is in
// the way.
func rollbacksThatCannotBe(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.found("Gone")
	id := w.hire("Dora", "Gone")
	path := agentPath(id) + "/versions/rollback"
	w.patch(agentPath(id), obj{"department": "Design"}).want(200)
	w.delete("/departments/Gone").want(204)
	w.post(path, obj{"target_version": 1}).refused(409, 4000, "Gone")
	w.post(path+"?dry_run=true", obj{"target_version": 1}).refused(409, 4000, "Gone")
	w.found("gone") // another department of that name
	w.post(path+"?dry_run=true", obj{"target_version": 1}).want(200)

	w.patch(agentPath(id), obj{"name": "Thea"}).want(200)
	w.hire("dora", "Design")
	w.post(path, obj{"target_version": 2}).refused(409, 4000, "Dora")
	w.post(path+"?dry_run=true", obj{"target_version": 2}).refused(409, 4000, "Dora")

	w.patch(agentPath(id), obj{"status": "terminated"}).want(200)
	w.patch(agentPath(id), obj{"name": "Free", "status": "onboarding"}).want(200)
	w.patch(agentPath(id), obj{"status": "active"}).want(200)
	w.post(path, obj{"target_version": 5}).refused(409, 4000, "active", "onboarding")
	w.get(agentPath(id)).hasAll("data", obj{"version": 6, "revision": 6, "name": "Free"})

	// References come back as they are, their targets may be gone.
	w.patch(agentPath(w.bob), obj{"authority": obj{"reports_to": "Carl"}}).want(200)
	w.patch(agentPath(w.bob), obj{"authority": obj{"reports_to": nil}}).want(200)
	w.delete(agentPath(w.carl)).want(204)
	w.post(agentPath(w.bob)+"/versions/rollback", obj{"target_version": 2}).want(200).has("data.authority.reports_to", w.carl)
}

// A rollback emits what the change amounts to.
func rollbackEvents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	id := w.hire("Dora", "Design", obj{"level": "lead"})
	seen := eventIDs{}
	seen.emitted(w.client, id, "hired", "onboarded")
	roll := func(version int, want ...string) {
		t.Helper()
		w.post(agentPath(id)+"/versions/rollback", obj{"target_version": version}).want(200)
		seen.emitted(w.client, id, want...)
	}
	w.patch(agentPath(id), obj{"level": "junior", "status": "terminated"}).want(200)
	seen.emitted(w.client, id, "status_changed", "offboarded", "demoted")
	roll(1, "hired", "onboarded", "status_changed", "promoted")
	roll(2, "status_changed", "offboarded", "demoted")
	roll(2)
	w.get(agentPath(id)+"/history").hasAll("data", obj{"5.metadata": obj{"version": "3"}, "7.metadata": obj{"from": "terminated", "to": "active", "version": "3"}})
}

// A dry run checks everything and does nothing.
func dryRuns(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	before, events := w.get(path), w.get(path+"/activity").at("data")
	audit := w.get("/audit").at("data")
	for _, q := range []string{"?dry_run=true", "?x=1&dry_run=true"} {
		w.post(path+"/versions/rollback"+q, obj{"target_version": 1}).want(200).hasAll("data", obj{"id": w.ann, "description": ""})
	}
	if r := w.get(path).has("data", before.at("data")); r.etag() != before.etag() {
		t.Errorf("tag = %s after a dry run, want %s", r.etag(), before.etag())
	}
	w.get(path+"/activity").has("data", events)
	w.get("/audit").has("data", audit)
	w.counts(path+"/versions", 2)
	w.post(path+"/versions/rollback?dry_run=true", obj{"target_version": 9}).refused(404, 3000)
	s.as(t, "department_admin", "Sales").post(path+"/versions/rollback?dry_run=true", obj{"target_version": 1}).refused(403, 1001)
	for _, q := range []string{"?dry_run=", "?dry_run=1", "?dry_run=TRUE", "?dry_run=true&dry_run=true"} {
		w.post(path+"/versions/rollback"+q, obj{"target_version": 1}).refused(400, 2001, "dry_run")
	}
	w.post(path+"/versions/rollback?dry_run=false", obj{"target_version": 1}).want(200)
	w.counts(path+"/versions", 3)
}
