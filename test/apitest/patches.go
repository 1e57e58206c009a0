package apitest

import "testing"

func patchChecks() map[string]check {
	return map[string]check{
		"NoEffect":       patchesWithoutEffect,
		"NestedObjects":  patchesNest,
		"Arrays":         patchesReplaceArrays,
		"Null":           patchesWithNull,
		"FreeForm":       patchesOfFreeForm,
		"Model":          patchesOfModel,
		"Combinations":   combinations,
		"Outside":        patchesOutsideIdentity,
		"DisjointFields": disjointFields,
	}
}

// resource is something that can be changed, with a change that has an effect.
type resource struct {
	path   string
	change obj
}

func (w world) resources() []resource {
	return []resource{
		{"/company", obj{"company_name": "Acme"}},
		{"/departments/Design", obj{"description": "Makes things pretty"}},
		{agentPath(w.ann), obj{"description": "Leads"}},
		{"/projects/" + w.project, obj{"description": "First"}},
	}
}

// A change counts once: revision, time and tag move with it, and stay where
// they are when the same is said again, or nothing.
func patchesWithoutEffect(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, r := range w.resources() {
		before := w.get(r.path)
		changed := w.patch(r.path, r.change).want(200).has("data.revision", before.number("data.revision")+1)
		if changed.etag() == before.etag() || changed.text("data.updated_at") < before.text("data.updated_at") {
			t.Errorf("%s: tag %s and time %s after an effective change", r.path, changed.etag(), changed.text("data.updated_at"))
		}
		for _, again := range []any{r.change, obj{}, " {} "} {
			got := w.patch(r.path, again).want(200).has("data", changed.at("data"))
			if got.etag() != changed.etag() {
				t.Errorf("%s: tag %s after a change without effect, want %s", r.path, got.etag(), changed.etag())
			}
		}
		read := w.get(r.path).has("data", changed.at("data"))
		if read.etag() != changed.etag() {
			t.Errorf("%s: GET answers tag %s, PATCH %s", r.path, read.etag(), changed.etag())
		}
	}
	if n := len(w.get(agentPath(w.ann) + "/versions").items("data")); n != 3 {
		t.Errorf("Ann has %d versions, want 3", n)
	}
}

// A patch goes into every nested object and leaves what it does not name.
func patchesNest(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	w.patch(path, obj{"personality": obj{"openness": 0.9, "verbosity": "terse"}}).want(200)
	w.patch(path, obj{"personality": obj{"openness": 0.25}}).want(200).
		hasAll("data.personality", obj{"openness": 0.25, "verbosity": "terse", "collaboration": "team", "extraversion": 0.5})
	w.patch(path, obj{"tools": obj{"sub_constraints": obj{"git": "full", "network_allowlist": list{"a"}}}}).want(200).
		hasAll("data.tools.sub_constraints", obj{"git": "full", "file_system": "workspace_only", "network": "none", "terminal": "none", "code_execution": "containerized"})
	w.patch(path, obj{"tools": obj{"sub_constraints": obj{"terminal": "full"}}}).want(200).
		hasAll("data.tools.sub_constraints", obj{"git": "full", "terminal": "full", "network_allowlist": list{"a"}})
	w.patch(path, obj{"skills": obj{"primary": list{obj{"id": "a", "name": "A"}}}}).want(200)
	w.patch(path, obj{"skills": obj{"secondary": list{obj{"id": "b", "name": "B"}}}}).want(200).
		has("data.skills.primary.0.id", "a").has("data.skills.secondary.0.id", "b")
	w.patch("/departments/Design", obj{"policies": obj{"review_requirements": obj{"min_reviewers": 2}}}).want(200)
	w.patch("/departments/Design", obj{"policies": obj{"review_requirements": obj{"self_review_allowed": true}}}).want(200).
		hasAll("data.policies.review_requirements", obj{"min_reviewers": 2, "self_review_allowed": true, "required_reviewer_roles": list{}})
}

// Arrays are replaced as a whole; their items start from the defaults.
func patchesReplaceArrays(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	w.patch(path, obj{"personality": obj{"traits": list{"calm", "kind"}}}).want(200)
	w.patch(path, obj{"personality": obj{"traits": list{"bold"}}}).want(200).has("data.personality.traits", list{"bold"})
	w.patch(path, obj{"skills": obj{"primary": list{obj{"id": "a", "name": "A", "proficiency": 0.5, "tags": list{"x"}}}}}).want(200)
	w.patch(path, obj{"skills": obj{"primary": list{obj{"id": "a", "name": "A"}}}}).want(200).
		has("data.skills.primary", list{obj{
			"id": "a", "name": "A", "description": "", "tags": list{}, "proficiency": 1,
			"input_modes": list{"text/plain"}, "output_modes": list{"text/plain"},
		}})
	w.patch(path, obj{"personality": obj{"traits": list{}}, "skills": obj{"primary": list{}}}).want(200).
		has("data.personality.traits", list{}).has("data.skills.primary", list{})
	w.patch(path, obj{"skills": obj{"primary": list{obj{"id": "a"}}}}).refused(400, 2001, "skills.primary[0].name")
}

// null clears what may be null. Where else it is refused is checked with the fields.
func patchesWithNull(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	full := obj{
		"autonomy_level": "semi", "strategic_output_mode": "advisor", "personality_preset": "calm", "tier": "large", "owner": "ann",
		"model": obj{"provider": "p", "model_id": "m", "fallback_model": "f", "model_tier": "small"}, "model_requirement": obj{"a": 1},
		"memory":    obj{"type": "persistent", "retention_days": 5},
		"tools":     obj{"sub_constraints": obj{}},
		"authority": obj{"reports_to": "Bob"},
	}
	w.patch(path, full).want(200)
	w.patch(path, obj{
		"autonomy_level": nil, "strategic_output_mode": nil, "personality_preset": nil, "tier": nil, "model_requirement": nil, "owner": nil,
		"model": obj{"fallback_model": nil, "model_tier": nil}, "memory": obj{"retention_days": nil},
		"tools": obj{"sub_constraints": nil}, "authority": obj{"reports_to": nil},
	}).want(200).hasAll("data", obj{
		"autonomy_level": nil, "strategic_output_mode": nil, "personality_preset": nil, "tier": nil, "model_requirement": nil, "owner": nil,
		"model.fallback_model": nil, "model.model_tier": nil, "model.provider": "p", "memory.retention_days": nil,
		"tools.sub_constraints": nil, "authority.reports_to": nil,
	})
	w.patch(path, obj{"model": nil}).want(200).has("data.model", nil)
	w.patch(path, obj{"level": nil, "personality": obj{"openness": nil, "traits": nil}}).refused(400, 2001, "level: must not be null", "personality.openness", "personality.traits")

	w.patch("/departments/Design", obj{"head": "Ann", "autonomy_level": "full", "ceremony_policy": obj{"x": 1}}).want(200)
	w.patch("/departments/Design", obj{"head": nil, "autonomy_level": nil, "ceremony_policy": nil}).want(200).
		hasAll("data", obj{"head": nil, "autonomy_level": nil, "ceremony_policy": nil})
	project := "/projects/" + w.project
	w.patch(project, obj{"lead": "Ann", "deadline": "2027-01-31T12:00:00Z"}).want(200).has("data.deadline", "2027-01-31T12:00:00.000Z")
	w.patch(project, obj{"lead": nil, "deadline": nil}).want(200).hasAll("data", obj{"lead": nil, "deadline": nil})
}

// Free-form objects are merged, too: null removes a key.
func patchesOfFreeForm(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, r := range []struct{ path, field string }{
		{"/company", "settings"}, {agentPath(w.ann), "metadata"}, {agentPath(w.ann), "model_requirement"}, {"/departments/Design", "ceremony_policy"},
	} {
		at := "data." + r.field
		w.patch(r.path, obj{r.field: obj{"a": obj{"b": 1, "c": 2}, "l": list{1, 2}}}).want(200)
		w.patch(r.path, obj{r.field: obj{"a": obj{"b": nil, "d": obj{"e": nil, "f": 3}}, "l": list{3, nil}, "gone": nil, "$x.y": ""}}).want(200).
			has(at, obj{"a": obj{"c": 2, "d": obj{"f": 3}}, "l": list{3, nil}, "$x.y": ""})
		w.patch(r.path, obj{r.field: obj{}}).want(200).has(at, obj{"a": obj{"c": 2, "d": obj{"f": 3}}, "l": list{3, nil}, "$x.y": ""})
		w.patch(r.path, obj{r.field: obj{"a": "text", "l": nil, "$x.y": nil}}).want(200).has(at, obj{"a": "text"})
	}
	// What is created keeps its nulls: nothing is merged.
	id := w.hire("Dora", "Design", obj{"metadata": obj{"a": nil, "b": obj{"c": nil}}})
	w.get(agentPath(id)).has("data.metadata", obj{"a": nil, "b": obj{"c": nil}})
}

// The model can be changed in parts once it is there, and set in a short form.
func patchesOfModel(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	w.patch(path, obj{"model": obj{"temperature": 1}}).refused(400, 2000, "model")
	w.patch(path, obj{"model_provider": "p"}).refused(400, 2000, "model_provider, model_id: give both or neither")
	w.patch(path, obj{"model_provider": "p", "model_id": "m"}).want(200).has("data.model", obj{
		"provider": "p", "model_id": "m", "temperature": 0.7, "max_tokens": 4096, "fallback_model": nil, "model_tier": nil,
	})
	w.patch(path, obj{"model": obj{"temperature": 1.5}}).want(200).hasAll("data.model", obj{"provider": "p", "temperature": 1.5})
	w.patch(path, obj{"model_provider": "q", "model_id": "n"}).want(200).hasAll("data.model", obj{"provider": "q", "model_id": "n", "temperature": 1.5})
	w.patch(path, obj{"model_provider": "r", "model_id": "o", "model": nil}).want(200).hasAll("data.model", obj{"provider": "r", "model_id": "o", "temperature": 1.5})
	w.hired("Dora", "Design", obj{"model_provider": "p", "model_id": "m"}).hasAll("data.model", obj{"provider": "p", "model_id": "m"})
	w.hired("Finn", "Design", obj{"model_provider": "p", "model_id": "m", "model": nil}).hasAll("data.model", obj{"provider": "p", "model_id": "m"})
}

// Fields that are fine by themselves may be wrong together, also when they come
// one after the other.
func combinations(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	junior := agentPath(w.hire("Dora", "Design", obj{"level": "junior"}))
	w.patch(junior, obj{"autonomy_level": "full"}).refused(400, 2000, "autonomy_level")
	w.patch(junior, obj{"autonomy_level": "full", "level": "mid"}).want(200)
	w.patch(junior, obj{"level": "junior"}).refused(400, 2000, "autonomy_level")
	w.post("/agents", agentBody("X", "Design", obj{"level": "junior", "autonomy_level": "full"})).refused(400, 2000)

	w.patch(path, obj{"memory": obj{"type": "none", "retention_days": 3}}).refused(400, 2000, "memory")
	w.patch(path, obj{"memory": obj{"type": "persistent", "retention_overrides": list{obj{"category": "social", "retention_days": 3}}}}).want(200)
	w.patch(path, obj{"memory": obj{"type": "none"}}).refused(400, 2000, "memory")
	w.patch(path, obj{"memory": obj{"type": "none", "retention_overrides": list{}}}).want(200)
	w.patch(path, obj{"memory": obj{"retention_overrides": list{
		obj{"category": "social", "retention_days": 3}, obj{"category": "social", "retention_days": 4},
	}}}).refused(400, 2001, "social")

	w.patch(path, obj{"tools": obj{"allowed": list{"a", "b"}}}).want(200)
	w.patch(path, obj{"tools": obj{"denied": list{"b"}}}).refused(400, 2000, "tools")
	w.patch(path, obj{"tools": obj{"denied": list{"b"}, "allowed": list{"a"}}}).want(200)

	w.patch(path, obj{"skills": obj{"primary": list{obj{"id": "a", "name": "A"}}}}).want(200)
	w.patch(path, obj{"skills": obj{"secondary": list{obj{"id": "a", "name": "B"}}}}).refused(400, 2000, "skills")
	w.patch(path, obj{"skills": obj{"secondary": list{obj{"id": "b", "name": "B"}, obj{"id": "b", "name": "C"}}}}).refused(400, 2001, "skills.secondary")

	w.patch(path, obj{"authority": obj{"reports_to": "Ann"}}).refused(400, 2000, "reports_to")
	w.patch(path, obj{"authority": obj{"reports_to": w.ann}}).refused(400, 2000, "reports_to")
	w.patch(path, obj{"authority": obj{"reports_to": "Nobody"}}).refused(400, 2000, "reports_to")
	w.patch(path, obj{"authority": obj{"can_delegate_to": list{"Bob", w.bob}}}).refused(400, 2000, "can_delegate_to")
	w.patch(path, obj{"authority": obj{"reports_to": "bob", "can_delegate_to": list{"CARL", w.bob}}}).want(200).
		hasAll("data.authority", obj{"reports_to": w.bob, "can_delegate_to": list{w.carl, w.bob}})
	w.patch(path, obj{"department": "None"}).refused(400, 2000, "None")
	w.patch(path, obj{"name": "BOB"}).refused(409, 4001)
}

// What says how an identity came about is not part of it: it raises the
// revision and makes no version.
func patchesOutsideIdentity(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	for i, change := range []obj{{"personality_preset": "calm"}, {"tier": "large"}, {"model_requirement": obj{"min": 1}}, {"owner": "bob"}, {"tags": list{"b", "a"}}, {"tags": list{"a", "b"}}} {
		w.patch(path, change).want(200).hasAll("data", obj{"version": 2, "revision": 3 + i})
	}
	w.get(path+"/versions").has("data.0.version", 2)
	r := w.get(path + "/versions/2")
	for _, field := range append([]string{"version", "revision", "created_at", "updated_at"}, outsideIdentity...) {
		if _, err := r.find("data.snapshot." + field); err == nil {
			t.Errorf("the snapshot has %s", field)
		}
	}
	w.patch(path, obj{"owner": "bob", "tags": list{"a", "b"}}).want(200).has("data.revision", 8)
	w.patch(path, obj{"tier": "small", "role": "Lead", "tags": list{}}).want(200).hasAll("data", obj{"version": 3, "revision": 9, "owner": "bob", "tags": list{}})
}

// Changes of different fields do not undo each other.
func disjointFields(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	const writers = 8
	done := make(chan int, 2*writers)
	for i := range writers {
		key := numbered("k", writers)[i]
		go func() { done <- w.patch(path, obj{"metadata": obj{key: i}}).status }()
		go func() { done <- w.patch("/company", obj{"settings": obj{key: i}}).status }()
	}
	for range 2 * writers {
		if status := <-done; status != 200 {
			t.Errorf("PATCH = %d, want 200", status)
		}
	}
	want := obj{}
	for i, key := range numbered("k", writers) {
		want[key] = i
	}
	w.get(path).hasAll("data", obj{"metadata": want, "revision": 2 + writers, "version": 2 + writers})
	w.get("/company").hasAll("data", obj{"settings": want, "revision": 3 + writers})
}
