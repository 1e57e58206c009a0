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

// State is an organization, without what its departments and agents say.
type State struct {
	Company     company.Company
	Departments []department.Department // in order: their ids, names, shares and revisions
	Agents      []Member                // in order
}

// Member is an agent of a [State].
type Member struct {
	ID         agent.ID
	Name       name.Name
	Department name.Key
	Place      agent.Place
	Revision   int64
}

// none is the index of nothing.
const none = -1

// Match says which entries of a document are which parts of an organization.
type Match struct {
	doc   *Document
	state *State
	prune bool

	agents      []int // per entry: index in the state, or none for a new agent
	entries     []int // per agent of the state: its entry, or none
	departments []int // per entry, as agents
	named       []int // per department of the state, as entries
	ids         []agent.ID
	byName      map[name.Key]agent.ID // as it will be
	names       map[agent.ID]string
	homes       map[name.Key]name.Name // the departments that there will be
	problems    problems
}

// NewMatch finds the parts of state that doc names. A new agent gets an id from
// newID, in the order of the document.
func NewMatch(doc *Document, state *State, prune bool, newID func() string) *Match {
	m := &Match{doc: doc, state: state, prune: prune}
	m.matchDepartments()
	m.matchAgents()
	m.name(newID)
	m.check()
	return m
}

func (m *Match) matchDepartments() {
	at := make(map[name.Key]int, len(m.state.Departments))
	m.named = nothing(len(m.state.Departments))
	for i, d := range m.state.Departments {
		at[d.Name.Key] = i
	}
	m.departments = nothing(len(m.doc.Departments))
	m.homes = make(map[name.Key]name.Name, len(at)+len(m.departments))
	for e, p := range m.doc.Departments {
		n := p.Name()
		if i, ok := at[n.Key]; ok {
			m.departments[e], m.named[i] = i, e
			n = m.state.Departments[i].Name
		}
		m.homes[n.Key] = n
	}
	for i, d := range m.state.Departments {
		if m.named[i] == none && !m.prune {
			m.homes[d.Name.Key] = d.Name
		}
	}
}

func nothing(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = none
	}
	return list
}

// matchAgents gives every entry the agent of its name. An entry whose name
// nobody has gets the agent of its previous name; that agent's old name is then
// free for another entry, which may follow suit.
func (m *Match) matchAgents() {
	at := make(map[name.Key]int, len(m.state.Agents))
	for i, a := range m.state.Agents {
		at[a.Name.Key] = i
	}
	m.agents, m.entries = nothing(len(m.doc.Agents)), nothing(len(m.state.Agents))
	var nameless []int // entries that no agent has the name of, or has it any longer
	for e, entry := range m.doc.Agents {
		if i, ok := at[entry.Name.Key]; ok {
			m.agents[e], m.entries[i] = i, e
		} else {
			nameless = append(nameless, e)
		}
	}
	renamed := map[int]int{} // agents of the state that have another name by now
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

// name says who will have which name.
func (m *Match) name(newID func() string) {
	m.ids = make([]agent.ID, len(m.agents))
	m.byName = make(map[name.Key]agent.ID, len(m.agents))
	m.names = make(map[agent.ID]string, len(m.agents))
	for e, i := range m.agents {
		if i == none {
			m.ids[e] = agent.ID(newID())
		} else {
			m.ids[e] = m.state.Agents[i].ID
		}
		m.call(m.ids[e], m.doc.Agents[e].Name)
	}
	for i, a := range m.state.Agents {
		if m.entries[i] == none && !m.prune {
			m.call(a.ID, a.Name)
		}
	}
}

func (m *Match) call(id agent.ID, n name.Name) {
	m.byName[n.Key] = id
	m.names[id] = n.Text
}

// check notes agents whose department will not be there.
func (m *Match) check() {
	for e, entry := range m.doc.Agents {
		path := Path(FieldAgents, e)
		switch {
		case entry.Department != nil:
			if _, ok := m.homes[*entry.Department]; !ok {
				m.problems.add(agent.ErrDepartment.With("%s.department: there will be no such department", path), entry.Where)
			}
		case m.agents[e] != none:
			key := m.state.Agents[m.agents[e]].Department
			if _, ok := m.homes[key]; !ok {
				m.problems.add(agent.ErrDepartment.With("%s.department: must be given, because the agent's department is to be deleted", path), entry.Where)
			}
		}
	}
}

// Show turns the id of an agent into the name that it will have.
func (m *Match) Show(id agent.ID) (string, bool) {
	text, ok := m.names[id]
	return text, ok
}

// References are the ids of the agents that some references name.
func (m *Match) References(texts []string) identity.References {
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

func (m *Match) resolve(ref identity.Ref) (agent.ID, bool) {
	if ref.ID != "" {
		_, ok := m.names[ref.ID]
		return ref.ID, ok
	}
	id, ok := m.byName[ref.Name]
	return id, ok
}

// Entry returns the entry of agent number i of the state. named is false if
// there is none; then the agent is to be deleted if gone says so.
func (m *Match) Entry(i int) (e int, named, gone bool) {
	e = m.entries[i]
	return e, e != none, e == none && m.prune
}

// ID returns the id of the agent of an entry, and whether the agent is new.
func (m *Match) ID(e int) (id agent.ID, isNew bool) { return m.ids[e], m.agents[e] == none }

// Home returns the department of a key as it writes its name.
func (m *Match) Home(key name.Key) *name.Name {
	n, ok := m.homes[key]
	if !ok {
		return nil
	}
	return &n
}

// department returns the department that the agent of an entry will be in.
func (m *Match) department(e int) name.Key {
	if d := m.doc.Agents[e].Department; d != nil {
		return *d
	}
	return m.state.Agents[m.agents[e]].Department
}

// Department returns the department of an entry as it is, or nil for a new one.
func (m *Match) Department(e int) *department.Department {
	if i := m.departments[e]; i != none {
		return &m.state.Departments[i]
	}
	return nil
}

// Unnamed returns the departments that no entry names.
func (m *Match) Unnamed() []department.Department {
	var all []department.Department
	for i, d := range m.state.Departments {
		if m.named[i] == none {
			all = append(all, d)
		}
	}
	return all
}

// DepartmentProblem notes that a department's entry cannot be applied.
func (m *Match) DepartmentProblem(e int, err error) { m.problems.add(err, m.doc.Wheres[e]) }

// AgentProblem notes that an agent's entry cannot be applied.
func (m *Match) AgentProblem(e int, err error) { m.problems.add(err, m.doc.Agents[e].Where) }

// Refuse notes that something else cannot be applied.
func (m *Match) Refuse(err error) { m.problems.add(err, "") }

// Err returns [ErrRefused] with everything that was noted, or nil.
func (m *Match) Err() error {
	m.problems.malformed = false // it is the state that is in the way
	return m.problems.err()
}

// Order returns the keys of the departments that there will be, named ones in
// the order of the document and in the positions that named ones have; and
// whether that is another order than they would have by themselves.
func (m *Match) Order() (before, after []name.Key, moved bool) {
	var natural, asked []name.Key
	for i, d := range m.state.Departments {
		if m.named[i] != none || !m.prune {
			natural = append(natural, d.Name.Key)
		}
	}
	for e, p := range m.doc.Departments {
		asked = append(asked, p.Name().Key)
		if m.departments[e] == none {
			natural = append(natural, p.Name().Key)
		}
	}
	after = Arrange(natural, asked)
	return natural, after, !slices.Equal(natural, after)
}

// Arrange returns keys with those that asked has in the order of asked, in the
// positions that those have.
func Arrange(keys, asked []name.Key) []name.Key {
	named := make(map[name.Key]bool, len(asked))
	there := make(map[name.Key]bool, len(keys))
	for _, k := range asked {
		named[k] = true
	}
	for _, k := range keys {
		there[k] = true
	}
	next := slices.DeleteFunc(slices.Clone(asked), func(k name.Key) bool { return !there[k] })
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
	From, To   agent.Place
}

// Moves returns what brings the agents of the entries into the order of the
// document. They give each other the places that they have; new agents have
// their ids as places. Places that several hold are made up for by fresh ones.
func (m *Match) Moves(newPlace func() string) []Move {
	now := make([]agent.Place, len(m.ids))
	for e, i := range m.agents {
		if now[e] = agent.Place(m.ids[e]); i != none {
			now[e] = m.state.Agents[i].Place
		}
	}
	places := slices.Compact(slices.Sorted(slices.Values(now)))
	for len(places) < len(now) {
		places = append(places, agent.Place(newPlace()))
	}
	var moves []Move
	for e, p := range places {
		if p != now[e] {
			moves = append(moves, Move{ID: m.ids[e], Department: m.department(e), From: now[e], To: p})
		}
	}
	return moves
}

// AgentOrder returns the names of the agents of the entries in the order that
// they would have by themselves, and in that of the document.
func (m *Match) AgentOrder() (before, after []string) {
	order := make([]int, len(m.ids))
	place := func(e int) agent.Place {
		if i := m.agents[e]; i != none {
			return m.state.Agents[i].Place
		}
		return agent.Place(m.ids[e])
	}
	for e, entry := range m.doc.Agents {
		order[e] = e
		after = append(after, entry.Name.Text)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(m.ids[a], m.ids[b]))
	})
	for _, e := range order {
		before = append(before, m.doc.Agents[e].Name.Text)
	}
	return before, after
}
