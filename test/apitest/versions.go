package apitest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func versionChecks() map[string]check {
	return map[string]check{
		"History":         versionHistory,
		"Reason":          changeReasons,
		"Diff":            diffs,
		"DiffForms":       diffForms,
		"Rollback":        rollbacks,
		"RollbackCases":   rollbacksThatCannotBe,
		"RollbackStatus":  rollbackEvents,
		"DryRun":          dryRuns,
		"ContentHash":     contentHashes,
		"MissingVersions": missingVersions,
		"Parallel":        parallelVersions,
	}
}

// Every change of the identity is one version more.
func versionHistory(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	s.as(t, "editor").patch(path, obj{"role": "Lead"}).want(200)
	r := w.get(path + "/versions").want(200)
	if got := r.column("data", "version"); !cmp.Equal(got, asJSON(t, []int{3, 2, 1})) {
		t.Errorf("versions = %v, want 3, 2, 1", got)
	}
	r.hasAll("data.0", obj{"entity_id": w.ann, "saved_by": "editor", "snapshot.role": "Lead", "snapshot.description": "Designs", "restored_from": nil})
	r.hasAll("data.1", obj{"saved_by": "admin", "snapshot.role": "Worker", "snapshot.description": "Designs"})
	r.hasAll("data.2", obj{"saved_by": "admin", "snapshot.description": ""})
	for i, item := range r.items("data") {
		w.get(fmt.Sprintf("%s/versions/%d", path, 3-i)).want(200).has("data", item)
	}
	w.get(path).has("data.updated_at", r.at("data.0.saved_at"))
	golden(t, "version.json", w.get(path+"/versions/2"))
}

// A version carries the reason that came with its change.
func changeReasons(t *testing.T, s *Service) {
	w := newWorld(t, s)
	c := w.with("Change-Reason", "new%20hire: %E5%90%8D+1")
	id := c.hire("Dora", "Design")
	w.get(agentPath(id)+"/versions/1").has("data.reason", "new hire: 名+1")
	c.patch(agentPath(id), obj{"role": "Lead"}).want(200)
	c.patch(agentPath(id), obj{"role": "Boss"}).want(200)
	w.patch(agentPath(id), obj{"role": "Peer"}).want(200)
	w.get(agentPath(id)+"/versions").hasAll("data", obj{"0.reason": nil, "1.reason": "new hire: 名+1", "2.reason": "new hire: 名+1"})
	for _, bad := range []string{"", "%zz"} {
		w.with("Change-Reason", bad).patch(agentPath(id), obj{"role": "X"}).refused(400, 2001, "Change-Reason")
		w.with("Change-Reason", bad).post("/agents", agentBody("X", "Design")).refused(400, 2001, "Change-Reason")
	}
	w.with("Change-Reason", strings.Repeat("%C3%A4", 1024)).patch(agentPath(id), obj{"role": "X"}).want(200)
	w.with("Change-Reason", "").post("/organization/apply", obj{"format": 1}).refused(400, 2001, "Change-Reason")
	c.apply(obj{"format": 1, "agents": list{entry("Dora", obj{"role": "Clerk"}), entry("Emil", obj{"role": "Clerk", "department": "Design"})}})
	w.get(agentPath(id)+"/versions").has("data.0.reason", "new hire: 名+1")
	w.get("/agents/Emil/versions").has("data.0.reason", "new hire: 名+1")
	w.with("Change-Reason", "").report(task("Dora", 1, nil)).want(201) // means nothing to what is no change
}

// A diff names every field that differs, whatever lies between.
func diffs(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	w.patch(path, obj{
		"role": "Lead", "personality": obj{"openness": 0.75, "traits": list{"a"}}, "metadata": obj{"k": 1, "o": obj{"p": "q"}},
		"model": obj{"provider": "p", "model_id": "m"}, "skills": obj{"primary": list{obj{"id": "a", "name": "A"}}},
	}).want(200)
	w.patch(path, obj{"role": "Worker", "metadata": obj{"k": nil, "o": obj{"p": "r", "n": nil}, "z": true}, "model": obj{"temperature": 1}}).want(200)
	diff := func(from, to int) *reply {
		t.Helper()
		return w.get(fmt.Sprintf("%s/versions/diff?from_version=%d&to_version=%d", path, from, to)).want(200).
			hasAll("data", obj{"agent_id": w.ann, "from_version": from, "to_version": to})
	}
	change := func(path, kind string, was, is any) obj {
		return obj{"field_path": path, "change_type": kind, "old_value": was, "new_value": is, "text_diff": nil}
	}
	diff(1, 2).hasAll("data", obj{"summary": "1 field changed", "field_changes": list{change("description", "modified", `""`, `"Designs"`)}})
	diff(3, 4).hasAll("data", obj{"summary": "5 fields changed", "field_changes": list{
		change("metadata.k", "removed", "1", nil),
		change("metadata.o.p", "modified", `"q"`, `"r"`),
		change("metadata.z", "added", nil, "true"),
		change("model.temperature", "modified", "0.7", "1"),
		change("role", "modified", `"Lead"`, `"Worker"`),
	}})
	r := diff(2, 3).has("data.summary", "7 fields changed")
	if got := r.column("data.field_changes", "field_path"); !cmp.Equal(got, anys([]string{"metadata.k", "metadata.o", "model", "personality.openness", "personality.traits", "role", "skills.primary"})) {
		t.Errorf("changed fields = %v", got)
	}
	w.post(path+"/versions/rollback", obj{"target_version": 1}).want(200)
	diff(1, 5).hasAll("data", obj{"summary": "no changes", "field_changes": list{}})
	for _, q := range []string{"from_version=2&to_version=1", "from_version=2&to_version=2"} {
		w.get(path+"/versions/diff?"+q).refused(400, 2000, "from_version")
	}
	const many = "has no version 9: it has 5 versions"
	w.get(path+"/versions/diff?from_version=1&to_version=9").refused(404, 3000, many)
	w.get(path+"/versions/diff?from_version=9&to_version=10").refused(404, 3000, many)
	w.get(path+"/versions/9").refused(404, 3000, many)
	for _, query := range []string{"", "?dry_run=true"} {
		w.post(path+"/versions/rollback"+query, obj{"target_version": 9}).refused(404, 3000, many)
	}
	w.get(agentPath(w.hire("Once", "Design"))+"/versions/2").refused(404, 3000, "has no version 2: it has 1 version")
}

// A diff can be had as a JSON Patch, and shows long texts line by line.
func diffForms(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	w.patch(path, obj{"instructions": "one\ntwo\nthree\n", "metadata": obj{"a/b": 1, "m~n": 2}}).want(200)
	w.patch(path, obj{"instructions": "one\n2\nthree\n", "metadata": obj{"a/b": nil, "m~n": 3, "": 4}}).want(200)
	r := w.get(path+"/versions/diff?from_version=3&to_version=4").want(200).hasAll("data.field_changes.0", obj{
		"field_path": "instructions", "text_diff": "--- old\n+++ new\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
	})
	for _, c := range []struct{ from, to, diff string }{
		{"one\r\ntwo\r\n", "one\ntwo\n", "only line ends: CRLF → LF\n"},
		{"one\r\ntwo\n", "one\ntwo\n", "only line ends: mixed → LF\n"},
		{"one\r\ntwo\r\n", "one\n2\n", "line ends: CRLF → LF\n--- old\n+++ new\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"},
	} {
		id := w.hire("Lines", "Design")
		w.patch(agentPath(id), obj{"instructions": c.from}).want(200)
		w.patch(agentPath(id), obj{"instructions": c.to}).want(200)
		w.get(agentPath(id)+"/versions/diff?from_version=2&to_version=3").want(200).has("data.field_changes.0.text_diff", c.diff)
		w.delete(agentPath(id)).want(204)
	}
	patch := w.with("Accept", "application/json-patch+json").get(path + "/versions/diff?from_version=3&to_version=4").want(200)
	if patch.header.Get("Content-Type") != "application/json-patch+json" || r.header.Get("Content-Type") != "application/json" || patch.header.Get("Vary") != "Accept" {
		t.Errorf("Content-Type = %s and %s, Vary %s", patch.header.Get("Content-Type"), r.header.Get("Content-Type"), patch.header.Get("Vary"))
	}
	got, err := decode(patch.body)
	if err != nil {
		t.Fatal(err)
	}
	want := asJSON(t, list{
		obj{"op": "replace", "path": "/instructions", "value": "one\n2\nthree\n"},
		obj{"op": "add", "path": "/metadata/", "value": 4},
		obj{"op": "remove", "path": "/metadata/a~1b"},
		obj{"op": "replace", "path": "/metadata/m~0n", "value": 3},
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("JSON Patch (-want +got):\n%s", diff)
	}
	for accept, typ := range map[string]string{
		"application/json, application/json-patch+json": "application/json", "*/*": "application/json", "application/json;q=0.1, application/json-patch+json": "application/json-patch+json",
		"application/json-patch+json;q=0": "application/json",
	} {
		if got := w.with("Accept", accept).get(path + "/versions/diff?from_version=3&to_version=4").want(200).header.Get("Content-Type"); got != typ {
			t.Errorf("Accept %s: Content-Type = %s, want %s", accept, got, typ)
		}
	}
	w.with("Accept", "application/json-patch+json").get(path+"/versions/diff?from_version=3&to_version=9").refused(404, 3000)
}

// The hash is that of the content, not of how it was written.
func contentHashes(t *testing.T, s *Service) {
	w := newWorld(t, s)
	hash := func(n int) any {
		return w.get(fmt.Sprintf("%s/versions/%d", agentPath(w.ann), n)).at("data.content_hash")
	}
	w.patch(agentPath(w.ann), `{"metadata":{"b":1.0,"a":[1e2]},"personality":{"openness":0.10}}`).want(200)
	w.patch(agentPath(w.ann), obj{"role": "X"}).want(200)
	w.patch(agentPath(w.ann), `{"role":"Worker","personality":{"openness":0.1},"metadata":{"a":[100],"b":1}}`).want(200)
	if hash(3) != hash(5) || hash(3) == hash(4) || hash(1) == hash(2) {
		t.Errorf("hashes = %v, %v, %v, %v, %v, want the third and the fifth equal", hash(1), hash(2), hash(3), hash(4), hash(5))
	}
	if a, b := w.get(agentPath(w.bob)+"/versions/1").at("data.content_hash"), hash(1); a == b {
		t.Error("two agents have one hash")
	}
}

func missingVersions(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, n := range []string{"3", "99", "9007199254740991", "9223372036854775807"} {
		w.get(agentPath(w.ann)+"/versions/"+n).refused(404, 3000)
	}
	w.send("DELETE", agentPath(w.ann)+"/versions/1", nil).refused(405, 2001)
	w.put(agentPath(w.ann)+"/versions/1", obj{}).refused(405, 2001)
}

// Parallel changes get numbers of their own, without a hole.
func parallelVersions(t *testing.T, s *Service) {
	w := newWorld(t, s)
	const writers = 12
	done := make(chan int, writers)
	for _, role := range numbered("Role ", writers) {
		go func() { done <- w.patch(agentPath(w.ann), obj{"role": role}).status }()
	}
	for range writers {
		if status := <-done; status != 200 {
			t.Errorf("PATCH = %d, want 200", status)
		}
	}
	var want []any
	for n := writers + 2; n > 0; n-- {
		want = append(want, n)
	}
	if got := w.get(agentPath(w.ann)+"/versions?limit=200").column("data", "version"); !cmp.Equal(got, asJSON(t, want)) {
		t.Errorf("versions = %v, want %v", got, want)
	}
	w.get(agentPath(w.ann)).hasAll("data", obj{"version": writers + 2, "revision": writers + 2})
}
