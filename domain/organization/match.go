package organization

import (
	"slices"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// none is the index of nothing.
const none = -1

// pairs says which entry of a document describes which part of an organization.
type pairs struct {
	parts   []int // per entry: the index of its part, or none for a new one
	entries []int // per part: its entry, or none
}

func newPairs(entries, parts int) pairs {
	return pairs{parts: slices.Repeat([]int{none}, entries), entries: slices.Repeat([]int{none}, parts)}
}

func (p pairs) join(entry, part int) { p.parts[entry], p.entries[part] = part, entry }

// match maps the entries of a document to the parts of an organization, and names to
// what will have them after the plan. It does not change once it is made.
type match struct {
	doc   *Document
	state *State
	prune bool

	departments, agents pairs
	ids                 []agent.ID // per entry of an agent
	idOf                map[name.Key]agent.ID
	nameOf              map[agent.ID]string
	departmentOf        map[name.Key]name.Name // as departments write their names
	order, requested    []name.Key             // of the departments: without a reorder, and in the document
	problems            problems
}

// newMatch finds the parts of state that doc names. A new agent gets an id from
// newID, in the order of the document. An error is one of former.
func newMatch(doc *Document, state *State, prune bool, former FormerName, newID func() string) (*match, error) {
	m := &match{
		doc: doc, state: state, prune: prune,
		departments: newPairs(len(doc.Departments), len(state.Departments)),
		agents:      newPairs(len(doc.Agents), len(state.Agents)),
	}
	m.matchDepartments()
	if err := m.matchAgents(former); err != nil {
		return nil, err
	}
	m.nameAgents(newID)
	m.checkDepartments()
	return m, nil
}

func (m *match) matchDepartments() {
	at := make(map[name.Key]int, len(m.state.Departments))
	for i, d := range m.state.Departments {
		at[d.Name.Key] = i
	}
	m.departmentOf = make(map[name.Key]name.Name, len(at)+len(m.doc.Departments))
	var added []name.Key
	for e, p := range m.doc.Departments {
		n := p.Name()
		m.requested = append(m.requested, n.Key)
		if i, ok := at[n.Key]; ok {
			m.departments.join(e, i)
			n = m.state.Departments[i].Name
		} else {
			added = append(added, n.Key)
		}
		m.departmentOf[n.Key] = n
	}
	for i, d := range m.state.Departments {
		if m.departments.entries[i] != none || !m.prune {
			m.departmentOf[d.Name.Key] = d.Name
			m.order = append(m.order, d.Name.Key)
		}
	}
	m.order = append(m.order, added...)
}

// nameAgents decides which agent will have which name.
func (m *match) nameAgents(newID func() string) {
	m.ids = make([]agent.ID, len(m.doc.Agents))
	m.idOf = make(map[name.Key]agent.ID, len(m.ids))
	m.nameOf = make(map[agent.ID]string, len(m.ids))
	call := func(id agent.ID, n name.Name) { m.idOf[n.Key], m.nameOf[id] = id, n.Text }
	for e, i := range m.agents.parts {
		if i == none {
			m.ids[e] = agent.ID(newID())
		} else {
			m.ids[e] = m.state.Agents[i].ID
		}
		call(m.ids[e], m.doc.Agents[e].Name)
	}
	for i, a := range m.state.Agents {
		if m.agents.entries[i] == none && !m.prune {
			call(a.ID, a.Name)
		}
	}
}

// checkDepartments adds the agents whose department will not exist to the problems.
func (m *match) checkDepartments() {
	for e, entry := range m.doc.Agents {
		says := "there will be no such department"
		if entry.Department == nil {
			if m.agents.parts[e] == none {
				continue // it must be given, whatever the state is
			}
			says = "must be given, because the agent's department is to be deleted"
		}
		if _, ok := m.departmentOf[m.department(e)]; !ok {
			m.problems.add(agent.ErrDepartment.At(Path(FieldAgents, e)+".department", "%s", says), entry.Where)
		}
	}
}

// department returns the department that the agent of an entry will be in.
func (m *match) department(e int) name.Key {
	if d := m.doc.Agents[e].Department; d != nil {
		return *d
	}
	return m.state.Agents[m.agents.parts[e]].Department
}

// futureName returns the name that an agent will have.
func (m *match) futureName(id agent.ID) (string, bool) {
	text, ok := m.nameOf[id]
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
		_, ok := m.nameOf[ref.ID]
		return ref.ID, ok
	}
	id, ok := m.idOf[ref.Name]
	return id, ok
}

// agentPatch reads entry number e of the agents again and resolves the names in it.
func (m *match) agentPatch(entries Entries, e int) (agent.Patch, error) {
	v, err := entries.Agent(e)
	if err != nil {
		return agent.Patch{}, err
	}
	_, patch, err := parseAgent(e, v)
	if err != nil {
		return agent.Patch{}, err
	}
	if d := patch.Department(); d != nil {
		if written, ok := m.departmentOf[d.Key]; ok {
			patch = patch.In(written)
		}
	}
	return patch.Resolve(m.references(patch.References())), nil
}
