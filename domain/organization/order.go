package organization

import (
	"cmp"
	"slices"

	"orgd/domain/agent"
	"orgd/domain/name"
)

// texts returns how departments write their names.
func (m *match) texts(keys []name.Key) []string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = m.departmentOf[k].Text
	}
	return texts
}

// arrange puts those keys that are requested into that order, in the positions that
// they have. Others stay where they are.
func arrange(keys, requested []name.Key) []name.Key {
	exists := make(map[name.Key]bool, len(keys))
	for _, k := range keys {
		exists[k] = true
	}
	var next []name.Key
	moves := make(map[name.Key]bool, len(requested))
	for _, k := range requested {
		if exists[k] {
			next, moves[k] = append(next, k), true
		}
	}
	arranged := slices.Clone(keys)
	for i, k := range arranged {
		if moves[k] {
			arranged[i], next = next[0], next[1:]
		}
	}
	return arranged
}

// Move is an agent that gets another order key.
type Move struct {
	ID         agent.ID
	Department name.Key // the one that it will be in
	From, To   agent.OrderKey
}

// orderKey returns the order key that the agent of an entry has. A new agent has its id.
func (m *match) orderKey(e int) agent.OrderKey {
	if i := m.agents.parts[e]; i != none {
		return m.state.Agents[i].OrderKey
	}
	return agent.OrderKey(m.ids[e])
}

// moves brings the agents of the entries into the order of the document. They
// exchange their order keys. If several agents have one key, it is used once, and new
// keys are added.
func (m *match) moves(newKey func() string) []Move {
	var keys []agent.OrderKey
	for e := range m.ids {
		keys = append(keys, m.orderKey(e))
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for len(keys) < len(m.ids) {
		keys = append(keys, agent.OrderKey(newKey()))
	}
	var moves []Move
	for e, to := range keys {
		if from := m.orderKey(e); to != from {
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
		return cmp.Or(cmp.Compare(m.orderKey(a), m.orderKey(b)), cmp.Compare(m.ids[a], m.ids[b]))
	})
	for _, e := range order {
		before = append(before, m.doc.Agents[e].Name.Text)
	}
	return before, after
}

// Place returns the members of a department in their order after the operation, or
// [ErrChanged] if one does not have the order key that it moves from.
func (op Operation) Place(now []agent.Member) ([]agent.Member, error) {
	index := make(map[agent.ID]int, len(now))
	for i, m := range now {
		index[m.ID] = i
	}
	next := slices.Clone(now)
	for _, m := range op.Moves {
		i, ok := index[m.ID]
		if !ok || next[i].OrderKey != m.From {
			return nil, ErrChanged
		}
		next[i].OrderKey = m.To
	}
	slices.SortFunc(next, func(a, b agent.Member) int {
		return cmp.Or(cmp.Compare(a.OrderKey, b.OrderKey), cmp.Compare(a.ID, b.ID))
	})
	return next, nil
}
