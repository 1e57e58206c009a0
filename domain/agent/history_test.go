package agent

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/identity"
)

// changes touch every part of an agent that is held by pointer or slice.
var changes = []string{
	`{}`, `{"role":"Lead"}`, `{"status":"terminated"}`, `{"status":"active"}`, `{"status":"on_leave"}`, `{"level":"vp"}`, `{"level":"junior"}`,
	`{"autonomy_level":"full"}`, `{"autonomy_level":null}`, `{"model":null}`, `{"model":{"temperature":1,"fallback_model":"f"}}`,
	`{"model_provider":"p","model_id":"m"}`, `{"personality":{"traits":["a"]}}`, `{"personality":{"traits":["b","c"]}}`,
	`{"skills":{"primary":[{"id":"a","name":"a","tags":["t"]}]}}`, `{"skills":{"primary":[]}}`,
	`{"memory":{"retention_days":3,"retention_overrides":[{"category":"social","retention_days":1}]}}`, `{"memory":{"retention_days":null}}`,
	`{"tools":{"allowed":["x"],"sub_constraints":{"network":"open","requires_approval":["y"]}}}`, `{"tools":{"sub_constraints":null}}`,
	`{"authority":{"reports_to":"Bob","can_delegate_to":["Bob"],"can_approve":["z"]}}`, `{"authority":{"reports_to":null,"can_delegate_to":[]}}`,
	`{"metadata":{"a":{"b":1}}}`, `{"metadata":{"a":{"b":null,"c":2}}}`, `{"tier":"large"}`, `{"tier":null}`,
	`{"model_requirement":{"x":1}}`, `{"model_requirement":{"x":null}}`, `{"model_requirement":null}`,
	`{"owner":"ann","tags":["a","b"]}`, `{"owner":null}`, `{"tags":["b"]}`, `{"tags":[]}`,
}

// image is all that can be seen of an agent, as text.
func image(a Agent) string {
	return a.Identity.Canonical() + a.Unversioned() + a.UpdatedAt.String()
}

// An agent's history has numbers without gaps, ascending times, and states that
// no later change reaches back to.
func TestHistory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		first, err := Hire(adaID, parseNew(t, ada("")), on(0))
		if err != nil {
			rt.Fatalf("Hire = %v", err)
		}
		now := first.Agent
		versions := []identity.Version{*first.Version}
		images := map[string]Agent{image(now): now}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			s, err := draw(t, rt, now, versions)
			if err != nil {
				if !errors.Is(err, ErrMove) && !errors.Is(err, ErrRollback) && !errors.Is(err, identity.ErrCombination) {
					rt.Fatalf("step = %v", err)
				}
				continue
			}
			checkStep(rt, now, s)
			if s.Version != nil {
				versions = append(versions, *s.Version)
			}
			now = s.Agent
			images[image(now)] = now
		}
		for text, a := range images {
			if got := image(a); got != text {
				rt.Errorf("a state has changed since (-want +got):\n%s", cmp.Diff(text, got))
			}
		}
		for _, v := range versions {
			if v.Hash != v.Content.Hash() {
				rt.Errorf("version %d has changed since it was made", v.Number)
			}
		}
	})
}

// draw makes a random step, at a time that may lie before the last one.
func draw(t *testing.T, rt *rapid.T, a Agent, versions []identity.Version) (Step, error) {
	at := on(rapid.IntRange(-5, 50).Draw(rt, "ms"))
	if rapid.IntRange(0, 3).Draw(rt, "rollback") == 0 {
		return a.Rollback(rapid.SampledFrom(versions).Draw(rt, "target"), at)
	}
	return a.Change(patch(t, rapid.SampledFrom(changes).Draw(rt, "patch")), at)
}

func checkStep(t *rapid.T, before Agent, s Step) {
	after := s.Agent
	if s.From != before.Revision || s.Deleted {
		t.Errorf("step = from %d, deleted %t, want from %d", s.From, s.Deleted, before.Revision)
	}
	if !s.Effective() {
		if image(after) != image(before) || after.Revision != before.Revision || s.Version != nil || s.Events != nil {
			t.Errorf("a step without effect has one: %+v", s)
		}
		return
	}
	if image(after) == image(before) {
		t.Errorf("an effective step changes nothing: %+v", s)
	}
	if after.Revision != before.Revision+1 || after.UpdatedAt.Before(before.UpdatedAt) || !after.CreatedAt.Equal(before.CreatedAt) {
		t.Errorf("revision %d at %v follows %d at %v", after.Revision, after.UpdatedAt, before.Revision, before.UpdatedAt)
	}
	if same := after.Identity.Hash() == before.Identity.Hash(); same != (s.Version == nil) || same != (after.Version == before.Version) {
		t.Errorf("identity is the same: %t, version %d after %d, new version %v", same, after.Version, before.Version, s.Version)
	}
	if v := s.Version; v != nil && (v.Number != before.Version+1 || after.Version != v.Number ||
		v.Hash != after.Identity.Hash() || !v.SavedAt.Equal(after.UpdatedAt)) {
		t.Errorf("version %d of hash %s at %v does not belong to the agent", v.Number, v.Hash, v.SavedAt)
	}
	if after.Identity.ID != before.Identity.ID || after.Identity.HiringDate != before.Identity.HiringDate || after.OrderKey != before.OrderKey {
		t.Errorf("id, day of hiring or place has changed: %+v", after)
	}
}
