package portstest

import (
	"errors"
	"fmt"

	"pgregory.net/rapid"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// pair is a store and its model, which get the same steps.
type pair struct {
	*rapid.T
	store, model *world
	ids          []agent.ID // of all agents that were to be hired
	names        []string
	places       []string // names of departments, which come and go
}

// agentModel does random steps with a few agents, names and departments, and
// compares what the store answers and shows with the model.
func agentModel(w *world) {
	w.randomly(func(w *world, t *rapid.T) {
		p := &pair{T: t, store: w, model: &world{tester: t, Stores: newMemory(), made: w.made}}
		for i := range 3 {
			p.names = append(p.names, fmt.Sprint("agent ", i, " ", w.id()))
			p.places = append(p.places, fmt.Sprint("department ", i, " ", w.id()))
		}
		p.found(p.places[0])
		p.hire(p.names[0], p.places[0])
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			p.step()
		}
		p.compare()
	})
}

// each does the same with both and compares the answers. Of several reasons
// against a step a store names one.
func (p *pair) each(call string, do func(*world) (any, error)) {
	p.Helper()
	got, err := do(p.store)
	want, wantErr := do(p.model)
	if !errors.Is(wantErr, kindOf(err)) {
		p.store.Errorf("%s = %v, want %v", call, err, wantErr)
	} else if err == nil {
		p.store.want(call, got, want)
	}
}

// kindOf returns the sentinel that err belongs to.
func kindOf(err error) error {
	for _, kind := range []error{
		agent.ErrNotFound, agent.ErrExists, agent.ErrDepartment, agent.ErrMove, agent.ErrRollback,
		identity.ErrCombination, department.ErrNotFound, department.ErrExists, department.ErrNotEmpty,
	} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return err
}

func pick[T any](p *pair, what string, from ...T) T { return rapid.SampledFrom(from).Draw(p.T, what) }

func (p *pair) step() {
	title, place := pick(p, "name", p.names...), pick(p, "department", p.places...)
	switch pick(p, "step", "hire", "change", "change", "change", "roll back", "fire", "found", "dissolve", "reorder") {
	case "hire":
		p.hire(title, place)
	case "change":
		p.update("change", p.store.changing(pick(p, "patch",
			`{"name":`+quote(title)+`}`, `{"department":`+quote(place)+`}`,
			`{"level":"vp"}`, `{"level":"junior"}`, `{"autonomy_level":"full"}`, `{"status":"on_leave"}`, `{"status":"active"}`,
			`{"status":"terminated"}`, `{"tier":"small"}`, `{"owner":"ann","tags":["a"]}`, `{"owner":null,"tags":["b","a"]}`, `{"tags":[],"level":"lead"}`, `{"metadata":{"$ne":1}}`, `{"metadata":{"$ne":null}}`, `{}`), nil))
	case "roll back":
		if versions := p.model.versions(pick(p, "of", p.ids...)); len(versions) > 0 {
			p.update("roll back", p.store.rollingBack(pick(p, "version", versions...), nil))
		}
	case "fire":
		p.update("fire", p.store.firing())
	case "found":
		p.found(place)
	case "dissolve":
		do := p.store.deleting(nil)
		p.each("Delete", func(w *world) (any, error) {
			return nil, w.Departments.Delete(w.Context(), key(place), do)
		})
	case "reorder":
		do := p.store.reordering(pick(p, "order", reversed, rotated, asTheyAre), nil)
		p.each("Reorder", func(w *world) (any, error) {
			return w.Departments.Reorder(w.Context(), key(place), do)
		})
	}
}

func (p *pair) hire(title, place string) {
	s := p.store.hiring(title, place)
	p.ids = append(p.ids, s.Agent.ID())
	p.each("Create", func(w *world) (any, error) { return nil, Hire(w.Context(), w.Agents, s) })
}

func (p *pair) found(place string) {
	do := p.store.creating(place, nil)
	p.each("Create", func(w *world) (any, error) {
		d, err := w.Departments.Create(w.Context(), key(place), do)
		return d.Tag(), err
	})
}

// update applies a change to an agent named by its id or by a name.
func (p *pair) update(what string, do change) {
	ref := pick(p, "agent", byID(pick(p, "id", p.ids...)), byName(pick(p, "called", p.names...)))
	p.each(what, func(w *world) (any, error) { return w.Agents.Update(w.Context(), ref, do) })
}

// compare compares all that can be read.
func (p *pair) compare() {
	var refs []identity.Ref
	for _, id := range p.ids {
		refs = append(refs, byID(id))
		p.compareHistory(id)
	}
	for _, title := range p.names {
		refs = append(refs, byName(title))
	}
	p.each("Find", func(w *world) (any, error) { return w.Agents.Find(w.Context(), refs) })
	for _, ref := range refs {
		p.each("Agent", func(w *world) (any, error) { return w.Agents.Agent(w.Context(), ref) })
		p.each("Resolve", func(w *world) (any, error) {
			id, n, err := w.Agents.Resolve(w.Context(), ref)
			return []any{id, n}, err
		})
	}
	for _, place := range p.places {
		p.compareDepartment(key(place))
	}
}

func (p *pair) compareHistory(id agent.ID) {
	p.each("Versions", func(w *world) (any, error) { return w.versions(id), nil })
	p.each("Career", func(w *world) (any, error) { return w.career(id), nil })
	p.each("Events", func(w *world) (any, error) { return w.feed(activity.Query{AgentID: string(id)}, 2), nil })
	p.each("Entries", func(w *world) (any, error) { return w.entries(audit.Agent(string(id))), nil })
}

func (p *pair) compareDepartment(k name.Key) {
	p.each("Department", func(w *world) (any, error) {
		d, err := w.Departments.Department(w.Context(), k)
		d.OrderKey = "" // is the store's
		return d, err
	})
	p.each("Counts", func(w *world) (any, error) { return w.counts(k), nil })
	for _, q := range []agent.Query{
		{Department: k}, {Department: k, Status: identity.Active}, {Department: k, Level: identity.VP, Status: identity.Active},
		{Department: k, Prefix: "agent"}, {Department: k, Owner: "ann"}, {Department: k, Tags: []string{"a"}},
	} {
		p.each("Agents", func(w *world) (any, error) { return w.agents(q, 2), nil })
	}
}
