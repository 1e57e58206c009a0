package organization

import (
	"cmp"
	"slices"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// State is an organization without the contents of its departments and agents.
type State struct {
	Company     company.Company
	Departments []department.Department // in order: their ids, names, shares and revisions
	Agents      []Member                // in order
}

// Member is an agent in a [State].
type Member struct {
	ID         agent.ID
	Name       name.Name
	Department name.Key
	OrderKey   agent.OrderKey
	Revision   int64
}

// none is the index of nothing.
const none = -1

// match maps the entries of a document to the parts of an organization.
type match struct {
	doc   *Document
	state *State
	prune bool

	agents      []int // per entry: index in the state, or none for a new agent
	entries     []int // per agent of the state: its entry, or none
	departments []int // per entry, as agents
	named       []int // per department of the state, as entries
	ids         []agent.ID
	byName      map[name.Key]agent.ID // after the plan, as the next two
	names       map[agent.ID]string
	future      map[name.Key]name.Name // of departments
	problems    problems
}

// newMatch finds the parts of state that doc names. A new agent gets an id from
// newID, in the order of the document.
func newMatch(doc *Document, state *State, prune bool, newID func() string) *match {
	m := &match{doc: doc, state: state, prune: prune}
	m.matchDepartments()
	m.matchAgents()
	m.name(newID)
	m.check()
	return m
}

func (m *match) matchDepartments() {
	at := make(map[name.Key]int, len(m.state.Departments))
	m.named = nothing(len(m.state.Departments))
	for i, d := range m.state.Departments {
		at[d.Name.Key] = i
	}
	m.departments = nothing(len(m.doc.Departments))
	m.future = make(map[name.Key]name.Name, len(at)+len(m.departments))
	for e, p := range m.doc.Departments {
		n := p.Name()
		if i, ok := at[n.Key]; ok {
			m.departments[e], m.named[i] = i, e
			n = m.state.Departments[i].Name
		}
		m.future[n.Key] = n
	}
	for i, d := range m.state.Departments {
		if m.named[i] == none && !m.prune {
			m.future[d.Name.Key] = d.Name
		}
	}
}

func nothing(n int) []int { return slices.Repeat([]int{none}, n) }

// matchAgents maps every entry to the agent of its name. An entry whose name no agent
// has gets the agent of its previous name. The old name of that agent is then free
// for another entry.
func (m *match) matchAgents() {
	at := make(map[name.Key]int, len(m.state.Agents))
	for i, a := range m.state.Agents {
		at[a.Name.Key] = i
	}
	m.agents, m.entries = nothing(len(m.doc.Agents)), nothing(len(m.state.Agents))
	var nameless []int // entries whose name no agent has, or has kept
	for e, entry := range m.doc.Agents {
		if i, ok := at[entry.Name.Key]; ok {
			m.agents[e], m.entries[i] = i, e
		} else {
			nameless = append(nameless, e)
		}
	}
	renamed := map[int]int{} // agents of the state that get another name
	for len(nameless) > 0 {
		e := nameless[0]
		nameless = nameless[1:]
		previous := m.doc.Agents[e].Previous
		if previous == nil {
			continue
		}
		i, ok := at[*previous]
		if !ok {
			continue
		}
		if first, taken := renamed[i]; taken {
			m.problems.add(ErrRefused.With("%s.%s: is also that of %s", Path(FieldAgents, e), FieldPreviousName, Path(FieldAgents, first)), m.doc.Agents[e].Where)
			continue
		}
		renamed[i] = e
		if other := m.entries[i]; other != none {
			m.agents[other] = none
			nameless = append(nameless, other)
		}
		m.agents[e], m.entries[i] = i, e
	}
}

// name decides which agent will have which name.
func (m *match) name(newID func() string) {
	m.ids = make([]agent.ID, len(m.agents))
	m.byName = make(map[name.Key]agent.ID, len(m.agents))
	m.names = make(map[agent.ID]string, len(m.agents))
	call := func(id agent.ID, n name.Name) { m.byName[n.Key], m.names[id] = id, n.Text }
	for e, i := range m.agents {
		if i == none {
			m.ids[e] = agent.ID(newID())
		} else {
			m.ids[e] = m.state.Agents[i].ID
		}
		call(m.ids[e], m.doc.Agents[e].Name)
	}
	for i, a := range m.state.Agents {
		if m.entries[i] == none && !m.prune {
			call(a.ID, a.Name)
		}
	}
}

// check adds the agents whose department will not exist to the problems.
func (m *match) check() {
	for e, entry := range m.doc.Agents {
		path := Path(FieldAgents, e)
		switch {
		case entry.Department != nil:
			if _, ok := m.future[*entry.Department]; !ok {
				m.problems.add(agent.ErrDepartment.With("%s.department: there will be no such department", path), entry.Where)
			}
		case m.agents[e] != none:
			key := m.state.Agents[m.agents[e]].Department
			if _, ok := m.future[key]; !ok {
				m.problems.add(agent.ErrDepartment.With("%s.department: must be given, because the agent's department is to be deleted", path), entry.Where)
			}
		}
	}
}

// futureName returns the name that an agent will have.
func (m *match) futureName(id agent.ID) (string, bool) {
	text, ok := m.names[id]
	return text, ok
}

// references returns the ids of the agents that some references name.
func (m *match) references(texts []string) identity.References {
	refs := make(identity.References, len(texts))
	for _, text := range texts {
		ref, err := identity.ParseRef(text)
		if err != nil {
			continue // no agent has this name
		}
		if id, ok := m.resolve(ref); ok {
			refs[text] = id
		}
	}
	return refs
}

func (m *match) resolve(ref identity.Ref) (agent.ID, bool) {
	if ref.ID != "" {
		_, ok := m.names[ref.ID]
		return ref.ID, ok
	}
	id, ok := m.byName[ref.Name]
	return id, ok
}

// texts returns how departments write their names.
func (m *match) texts(keys []name.Key) []string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = m.future[k].Text
	}
	return texts
}

// patch reads entry number e of the agents again and resolves the names in it.
func (m *match) patch(entries Entries, e int) (agent.Patch, error) {
	v, err := entries.Agent(e)
	if err != nil {
		return agent.Patch{}, err
	}
	_, patch, err := parseAgent(e, v)
	if err != nil {
		return agent.Patch{}, err
	}
	if d := patch.Department(); d != nil {
		if written, ok := m.future[d.Key]; ok {
			patch = patch.In(written)
		}
	}
	return patch.Resolve(m.references(patch.References())), nil
}

// department returns the department that the agent of an entry will be in.
func (m *match) department(e int) name.Key {
	if d := m.doc.Agents[e].Department; d != nil {
		return *d
	}
	return m.state.Agents[m.agents[e]].Department
}

// refusal returns [ErrRefused] with all problems, or nil.
func (m *match) refusal() error {
	m.problems.malformed = false // the state is the reason
	return m.problems.err()
}

// order returns the keys of the departments that there will be: without a reorder and
// in the order of the document, and whether these differ. Departments that the
// document does not name keep their positions.
func (m *match) order() (before, after []name.Key, moved bool) {
	for i, d := range m.state.Departments {
		if m.named[i] != none || !m.prune {
			before = append(before, d.Name.Key)
		}
	}
	for e, p := range m.doc.Departments {
		if m.departments[e] == none {
			before = append(before, p.Name().Key)
		}
	}
	after = arrange(before, m.requested())
	return before, after, !slices.Equal(before, after)
}

// requested returns the keys of the departments in the order of the document.
func (m *match) requested() []name.Key {
	keys := make([]name.Key, len(m.doc.Departments))
	for e, p := range m.doc.Departments {
		keys[e] = p.Name().Key
	}
	return keys
}

// arrange puts those keys that are requested into that order, in the positions that
// they have. Others stay where they are.
func arrange(keys, requested []name.Key) []name.Key {
	named := make(map[name.Key]bool, len(requested))
	exists := make(map[name.Key]bool, len(keys))
	for _, k := range requested {
		named[k] = true
	}
	for _, k := range keys {
		exists[k] = true
	}
	next := slices.DeleteFunc(slices.Clone(requested), func(k name.Key) bool { return !exists[k] })
	arranged := slices.Clone(keys)
	for i, k := range arranged {
		if named[k] {
			arranged[i], next = next[0], next[1:]
		}
	}
	return arranged
}

// Move is an agent that gets another place.
type Move struct {
	ID         agent.ID
	Department name.Key // the one that it will be in
	From, To   agent.OrderKey
}

// place returns the place that the agent of an entry has. A new agent has its id.
func (m *match) place(e int) agent.OrderKey {
	if i := m.agents[e]; i != none {
		return m.state.Agents[i].OrderKey
	}
	return agent.OrderKey(m.ids[e])
}

// moves brings the agents of the entries into the order of the document. They
// exchange their places. If several agents have one place, it is used once, and new
// places are added.
func (m *match) moves(newPlace func() string) []Move {
	var places []agent.OrderKey
	for e := range m.ids {
		places = append(places, m.place(e))
	}
	slices.Sort(places)
	places = slices.Compact(places)
	for len(places) < len(m.ids) {
		places = append(places, agent.OrderKey(newPlace()))
	}
	var moves []Move
	for e, to := range places {
		if from := m.place(e); to != from {
			moves = append(moves, Move{ID: m.ids[e], Department: m.department(e), From: from, To: to})
		}
	}
	return moves
}

// agentOrder returns the names of the agents of the entries in the order without
// moves, and in that of the document.
func (m *match) agentOrder() (before, after []string) {
	order := make([]int, len(m.ids))
	for e, entry := range m.doc.Agents {
		order[e] = e
		after = append(after, entry.Name.Text)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(m.place(a), m.place(b)), cmp.Compare(m.ids[a], m.ids[b]))
	})
	for _, e := range order {
		before = append(before, m.doc.Agents[e].Name.Text)
	}
	return before, after
}
