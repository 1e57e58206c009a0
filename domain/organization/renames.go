package organization

import (
	"crypto/sha256"
	"fmt"

	"orgd/domain/agent"
	"orgd/domain/name"
)

// FormerName returns the name that an agent had before the one that it has, "" if it had no other.
type FormerName func(agent.ID) (name.Key, error)

// aside returns the name that an agent has for a moment, on its way to the name of an entry, while
// agents exchange their names in a circle. Where an apply was cut short it is found again by it.
func (e AgentEntry) aside() name.Key {
	return name.Key(fmt.Sprintf("renamed-%x", sha256.Sum256([]byte(string(*e.Previous)+"\x00"+string(e.Name.Key))))[:40])
}

// matchAgents maps every entry to the agent of its name. An entry gets the agent of its
// previous name if no agent has its name, or if another entry gives that another name. The old
// name of an agent that is renamed is then free for another entry.
func (m *match) matchAgents(former FormerName) error {
	at := make(map[name.Key]int, len(m.state.Agents))
	for i, a := range m.state.Agents {
		at[a.Name.Key] = i
	}
	var open []int         // entries that get the agent of their previous name, or a new one
	done := map[int]bool{} // entries whose agents had their previous names before
	for e, entry := range m.doc.Agents {
		own, found := at[entry.Name.Key]
		i := m.previous(e, at)
		takes := found && i != none && i != own
		if takes {
			was, err := former(m.state.Agents[own].ID)
			if err != nil {
				return err
			}
			done[e] = was == *entry.Previous || was == entry.aside()
		}
		if found && (!takes || done[e]) {
			m.agents.join(e, own)
		} else {
			open = append(open, e)
		}
	}
	renamed := map[int]int{} // entries, by the agents that they rename
	for k := 0; k < len(open); k++ {
		e := open[k]
		i := m.previous(e, at)
		if i == none {
			continue
		}
		if first, taken := renamed[i]; taken {
			m.problems.add(ErrRefused.At(Path(FieldAgents, e)+"."+FieldPreviousName, "is also that of %s", Path(FieldAgents, first)), m.doc.Agents[e].Where)
			continue
		}
		renamed[i] = e
		if other := m.agents.entries[i]; other != none {
			m.agents.parts[other] = none
			open = append(open, other)
		}
		m.agents.join(e, i)
	}
	m.checkNames(at, renamed, done)
	return nil
}

// previous returns the agent that has the previous name of an entry, or is on its way from there to
// its name; none if there is no such agent.
func (m *match) previous(e int, at map[name.Key]int) int {
	entry := m.doc.Agents[e]
	if entry.Previous == nil {
		return none
	}
	for _, key := range []name.Key{entry.aside(), *entry.Previous} {
		if i, ok := at[key]; ok {
			return i
		}
	}
	return none
}

// checkNames adds entries to the problems whose name another agent keeps. renamed are the entries
// that rename agents; what is done says nothing of a name that another one takes.
func (m *match) checkNames(at map[name.Key]int, renamed map[int]int, done map[int]bool) {
	for e, entry := range m.doc.Agents {
		i := m.agents.parts[e]
		own, found := at[entry.Name.Key]
		if i == none || !found || i == own {
			continue
		}
		if by, leaves := renamed[own]; leaves && !done[by] {
			continue
		}
		m.problems.add(ErrRefused.At(Path(FieldAgents, e)+"."+FieldPreviousName,
			"there are agents of both names, %q and %q, and no entry gives the second another name",
			m.state.Agents[i].Name.Text, entry.Name.Text), entry.Where)
	}
}
