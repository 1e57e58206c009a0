package portstest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/ports"
)

type memoryAgents struct{ *memory }

type memoryIdentities struct{ *memory }

// labelMove is an entry of the history of a label of an agent.
type labelMove struct {
	of agent.ID
	agent.Move
}

func (m *memory) find(ref identity.Ref) (agent.Agent, error) {
	if a, ok := m.agents[ref.ID]; ok {
		return a, nil
	}
	for _, a := range m.agents {
		if a.Name().Key == ref.Name {
			return a, nil
		}
	}
	return agent.Agent{}, agent.ErrNotFound
}

// store is one step of an agent that was in the department from.
func (m *memory) store(s ports.AgentChange, from name.Key) error {
	a := s.Agent
	if err := m.free(s.Idempotency); err != nil {
		return err
	}
	if err := m.refuse(a, from); err != nil {
		return err
	}
	m.putTrail(s.Trail, s.Effective())
	if !s.Effective() {
		return nil
	}
	m.agents[a.ID()], m.names[a.ID()] = a, a.Name()
	if s.Deleted {
		delete(m.agents, a.ID())
		a.Labels = nil
		m.former[a.ID()] = agent.Former{Last: a, Deletion: s.Deletion()}
	}
	if s.Version != nil {
		m.versions[a.ID()] = append(m.versions[a.ID()], *s.Version)
	}
	for _, move := range s.Moves {
		m.moves = append(m.moves, labelMove{a.ID(), move})
	}
	for _, e := range s.Events {
		m.enter(e, a.Department().Key)
	}
	return nil
}

// refuse returns every reason against an agent that was in the department from.
func (m *memory) refuse(a agent.Agent, from name.Key) error {
	var errs []error
	if other, err := m.find(identity.Ref{Name: a.Name().Key}); err == nil && other.ID() != a.ID() {
		errs = append(errs, agent.Taken(other.Name().Text))
	}
	if _, ok := m.departments[a.Department().Key]; !ok && a.Department().Key != from {
		errs = append(errs, agent.ErrDepartment)
	}
	return errors.Join(errs...)
}

func (m memoryAgents) Create(ctx context.Context, asked name.Name, hire func(name.Name) (ports.AgentChange, error)) (agent.Agent, error) {
	if err := ended(ctx); err != nil {
		return agent.Agent{}, err
	}
	defer m.lock()()
	d, found := m.departments[asked.Key]
	if !found {
		return agent.Agent{}, agent.NoDepartment(asked)
	}
	s, err := hire(d.Name)
	if err == nil {
		err = m.store(s, "")
	}
	return s.Agent, err
}

func (m memoryAgents) Update(ctx context.Context, ref identity.Ref, do func(agent.Agent) (ports.AgentChange, error)) (agent.Agent, error) {
	if err := ended(ctx); err != nil {
		return agent.Agent{}, err
	}
	for { // do reads, so it does not run behind the lock
		a, err := m.Agent(ctx, ref)
		if err != nil {
			return agent.Agent{}, err
		}
		s, err := do(a)
		if err != nil {
			return agent.Agent{}, err
		}
		if done, err := m.replace(ref, a, s); done || err != nil {
			return s.Agent, err
		}
	}
}

// replace stores a step of an agent unless that has changed.
func (m memoryAgents) replace(ref identity.Ref, a agent.Agent, s ports.AgentChange) (bool, error) {
	defer m.lock()()
	now, err := m.find(ref)
	if err != nil || now.ID() != a.ID() || now.Revision != a.Revision || now.OrderKey != a.OrderKey {
		return false, err
	}
	return true, m.store(s, a.Department().Key)
}

func (m memoryAgents) Deleted(_ context.Context, q agent.Deletions) ([]agent.Deletion, error) {
	defer m.lock()()
	var all []agent.Deletion
	for _, f := range m.former {
		all = append(all, f.Deletion)
	}
	order := func(a, b agent.DeletionPosition) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID))
	}
	found := sorted(all, func(d agent.Deletion) bool { return q.After == nil || order(d.Position(), *q.After) > 0 },
		func(a, b agent.Deletion) int { return order(a.Position(), b.Position()) })
	return first(found, q.Limit), nil
}

// changeFormer makes a step of a deleted agent.
func (m *memory) changeFormer(id agent.ID, change func(agent.Former) (ports.AgentChange, error)) (ports.AgentChange, error) {
	f, found := m.former[id]
	if !found {
		return ports.AgentChange{}, agent.ErrNotFound
	}
	return change(f)
}

func (m memoryAgents) Restore(ctx context.Context, id agent.ID, change func(agent.Former) (ports.AgentChange, error)) (agent.Agent, error) {
	if err := ended(ctx); err != nil {
		return agent.Agent{}, err
	}
	defer m.lock()()
	s, err := m.changeFormer(id, change)
	if err == nil {
		err = m.store(s, "")
	}
	if err == nil {
		delete(m.former, id)
	}
	return s.Agent, err
}

func (m memoryAgents) Purge(ctx context.Context, id agent.ID, change func(agent.Former) (ports.AgentChange, error)) error {
	if err := ended(ctx); err != nil {
		return err
	}
	defer m.lock()()
	s, err := m.changeFormer(id, change)
	if err != nil {
		return err
	}
	m.putTrail(s.Trail, true)
	m.purged[string(id)] = true
	delete(m.former, id)
	delete(m.names, id)
	delete(m.versions, id)
	m.moves = slices.DeleteFunc(m.moves, func(move labelMove) bool { return move.of == id })
	maps.DeleteFunc(m.events, func(_ activity.ID, e activity.Event) bool { return e.AgentID == string(id) })
	for i := range m.counted { // departments keep the figures
		if e := &m.counted[i].Event; e.AgentID == string(id) {
			e.AgentID = "purged " + string(id)
		}
	}
	return nil
}

func (m memoryAgents) Label(ctx context.Context, ref identity.Ref, label string, version int64, change ports.LabelChange) (agent.Agent, error) {
	if err := ended(ctx); err != nil {
		return agent.Agent{}, err
	}
	defer m.lock()()
	a, err := m.find(ref)
	if err != nil {
		return agent.Agent{}, err
	}
	var named []int64
	for _, move := range m.moves {
		if move.of == a.ID() && move.Label == label {
			named = append(named, move.To)
		}
	}
	s, err := change(a, m.departments[a.Department().Key], agent.Below(named, version))
	if err == nil {
		err = m.store(s, a.Department().Key)
	}
	return s.Agent, err
}

func (m memoryAgents) Moves(_ context.Context, q agent.Moves) ([]agent.Move, error) {
	defer m.lock()()
	found := sorted(m.moves, func(move labelMove) bool {
		return move.of == q.Agent && move.Label == q.Label && (q.Before == 0 || move.Revision < q.Before)
	}, func(a, b labelMove) int { return cmp.Compare(b.Revision, a.Revision) })
	var moves []agent.Move
	for _, move := range first(found, q.Limit) {
		moves = append(moves, move.Move)
	}
	return moves, nil
}

func (m memoryAgents) Labeled(ctx context.Context, q agent.LabelQuery) ([]agent.Resolved, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	defer m.lock()()
	var all []agent.Resolved
	in := agent.Query{Department: q.Department, Status: q.Status, Owner: q.Owner, Tags: q.Tags}
	for _, a := range m.agents {
		l, err := a.Label(q.Label)
		if err != nil || !selects(in, a) {
			continue
		}
		v := m.versions[a.ID()][l.Version-1]
		all = append(all, must(a.Record().Resolve(l.Name, l.Version, identity.Stored{Text: v.Text, Hash: v.Hash})))
	}
	order := func(a, b agent.Position) int {
		return cmp.Or(cmp.Compare(a.OrderKey, b.OrderKey), cmp.Compare(a.ID, b.ID))
	}
	found := sorted(all, func(r agent.Resolved) bool { return q.After == nil || order(r.Position(), *q.After) > 0 },
		func(a, b agent.Resolved) int { return order(a.Position(), b.Position()) })
	return firstPage(ctx, first(found, q.Limit), q.Limit)
}

func (m memoryAgents) Agent(_ context.Context, ref identity.Ref) (agent.Agent, error) {
	defer m.lock()()
	return m.find(ref)
}

func (m memoryAgents) Records(ctx context.Context, q agent.Query) ([]agent.Record, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	return firstPage(ctx, records(first(m.selected(q), q.Limit)), q.Limit)
}

// selected are the agents that q selects, without a limit.
func (m memoryAgents) selected(q agent.Query) []agent.Agent {
	defer m.lock()()
	order := func(a, b agent.Position) int {
		if q.Prefix != "" {
			return strings.Compare(string(a.Name), string(b.Name))
		}
		return cmp.Or(cmp.Compare(a.OrderKey, b.OrderKey), cmp.Compare(a.ID, b.ID))
	}
	all := slices.Collect(maps.Values(m.agents))
	return sorted(all, func(a agent.Agent) bool {
		return selects(q, a) && (q.After == nil || order(a.Position(), *q.After) > 0)
	}, func(a, b agent.Agent) int { return order(a.Position(), b.Position()) })
}

func (m memoryAgents) Keys(_ context.Context, q agent.Query) (keys []agent.Key, err error) {
	q.Prefix, q.After = "", nil
	for _, a := range m.selected(q) {
		keys = append(keys, agent.Key{ID: a.ID(), Name: a.Name()})
	}
	return keys, nil
}

func (m memoryAgents) RecordsOf(ctx context.Context, ids []agent.ID) ([]agent.Record, error) {
	var found []agent.Agent
	for _, id := range ids {
		a, err := m.Agent(ctx, identity.Ref{ID: id})
		if errors.Is(err, agent.ErrNotFound) {
			continue
		}
		found = append(found, a)
	}
	return firstPage(ctx, records(found), len(found))
}

func (m memoryAgents) Search(ctx context.Context, q agent.SearchQuery) (agent.Found, error) {
	if err := ended(ctx); err != nil {
		return agent.Found{}, err
	}
	found := agent.Search(q)
	for _, r := range records(m.selected(q.Query)) {
		done, err := found.Look(r, func() (agent.Record, error) { return r, nil })
		if err = cmp.Or(err, page.Allow(ctx, found.Bytes)); done || err != nil {
			return found.Found, err
		}
	}
	return found.Found, nil
}

func (m memoryAgents) Record(ctx context.Context, ref identity.Ref) (agent.Record, error) {
	a, err := m.Agent(ctx, ref)
	return a.Record(), err
}

func (m memoryAgents) Resolve(_ context.Context, ref identity.Ref) (agent.ID, name.Name, error) {
	defer m.lock()()
	if n, ok := m.names[ref.ID]; ok {
		return ref.ID, n, nil
	}
	a, err := m.find(ref)
	return a.ID(), a.Name(), err
}

func (m memoryAgents) Find(_ context.Context, refs []identity.Ref) (map[identity.Ref]agent.Profile, error) {
	defer m.lock()()
	found := map[identity.Ref]agent.Profile{}
	for _, ref := range refs {
		if a, err := m.find(ref); err == nil {
			found[ref] = a.Profile(m.departments[a.Department().Key].ID)
		}
	}
	return found, nil
}

func (m memoryAgents) Names(_ context.Context, ids []agent.ID) (map[agent.ID]string, error) {
	defer m.lock()()
	names := map[agent.ID]string{}
	for _, id := range ids {
		if a, ok := m.agents[id]; ok {
			names[id] = a.Name().Text
		}
	}
	return names, nil
}

func (m memoryAgents) Counts(_ context.Context, departments []name.Key) (map[name.Key]agent.Counts, error) {
	defer m.lock()()
	counts := map[name.Key]agent.Counts{}
	for _, d := range departments {
		counts[d] = m.counts(d)
	}
	return counts, nil
}

func (m *memory) counts(department name.Key) (n agent.Counts) {
	for _, a := range m.agents {
		if a.Department().Key == department {
			n.Total++
			if a.Identity.Status == identity.Active {
				n.Active++
			}
		}
	}
	return n
}

func (m memoryIdentities) Versions(ctx context.Context, id agent.ID, before int64, limit int) ([]identity.Version, error) {
	defer m.lock()()
	found := sorted(m.versions[id], func(v identity.Version) bool { return before == 0 || v.Number < before },
		func(a, b identity.Version) int { return cmp.Compare(b.Number, a.Number) })
	return firstPage(ctx, found, limit)
}

func (m memoryIdentities) Version(_ context.Context, id agent.ID, number int64) (identity.Version, error) {
	defer m.lock()()
	for _, v := range m.versions[id] {
		if v.Number == number {
			return v, nil
		}
	}
	return identity.Version{}, identity.ErrVersionNotFound
}

func (m memoryIdentities) Content(ctx context.Context, id agent.ID, number int64) (identity.Stored, error) {
	v, err := m.Version(ctx, id, number)
	return identity.Stored{Text: v.Text, Hash: v.Hash}, err
}
