package organization

import (
	"slices"

	"orgd/domain/agent"
	"orgd/domain/name"
)

// waves puts operations on agents into an order: those of one wave may run at the
// same time, one wave after the other. An agent takes a name after the agent that
// had it, and comes after the new agents that it refers to. In a cycle of references
// one of them comes first: it refers to an id whose agent is created later. In a cycle of
// names one agent steps aside.
func (m *match) waves(ops []Operation) [][]Operation {
	g, ops := m.graph(ops), slices.Clone(ops)
	var waves [][]Operation
	for first := 0; first < len(ops); {
		switch {
		case len(g.ready) > 0:
			ready := g.ready
			g.ready = nil
			wave := make([]Operation, len(ready))
			for k, i := range ready {
				wave[k] = ops[i]
				for _, next := range g.after[i] {
					g.release(next, i)
				}
			}
			waves = append(waves, wave)
		case len(g.waits[first]) == 0:
			first++ // it is done
		default:
			if i := g.cut(first); i != none {
				waves = append(waves, []Operation{{Kind: StepAside, Agent: ops[i].Agent, Entry: ops[i].Entry, From: ops[i].From}})
				ops[i].From++
			}
		}
	}
	return waves
}

// graph says which operations wait for which, by their indexes.
type graph struct {
	// waits are those that are not done and that an operation waits for: the ones that
	// create agents which it refers to, then the one that frees its name.
	waits  [][]int
	after  [][]int // those that wait for an operation
	create []bool  // whether an operation creates an agent
	ready  []int   // not done, and waiting for nothing

	// What cut uses again and again, because there may be as many cuts as references:
	// its path, and for each operation its index in the path, or none.
	path, index []int
}

func (m *match) graph(ops []Operation) *graph {
	n := len(ops)
	g := &graph{waits: make([][]int, n), after: make([][]int, n), create: make([]bool, n), index: slices.Repeat([]int{none}, n)}
	byID := make(map[agent.ID]int, n)
	freed := map[name.Key]int{}
	for i, op := range ops {
		byID[op.Agent] = i
		if a := m.agents.parts[op.Entry]; a == none {
			g.create[i] = true
		} else {
			freed[m.state.Agents[a].Name.Key] = i
		}
	}
	for i, op := range ops {
		entry := m.doc.Agents[op.Entry]
		for _, ref := range entry.Refs {
			id, _ := m.resolve(ref)
			if to, ok := byID[id]; ok && to != i && g.create[to] {
				g.wait(i, to)
			}
		}
		if to, ok := freed[entry.Name.Key]; ok && to != i {
			g.wait(i, to)
		}
		if len(g.waits[i]) == 0 {
			g.ready = append(g.ready, i)
		}
	}
	return g
}

func (g *graph) wait(i, to int) {
	g.after[to] = append(g.after[to], i)
	g.waits[i] = append(g.waits[i], to)
}

// release lets i wait for to no longer.
func (g *graph) release(i, to int) {
	g.waits[i] = without(g.waits[i], to)
	if len(g.waits[i]) == 0 {
		g.ready = append(g.ready, i)
	}
}

// without removes one x from list.
func without(list []int, x int) []int {
	i := slices.Index(list, x)
	return slices.Delete(list, i, i+1)
}

// cut finds a cycle of operations that wait for each other, beginning at one that is
// not done, and removes a reference from it. If it has only names, it returns the operation
// whose agent steps aside, which another one waits for no longer, else none.
func (g *graph) cut(at int) (aside int) {
	g.path = g.path[:0]
	for ; g.index[at] == none; at = g.waits[at][0] {
		g.index[at] = len(g.path)
		g.path = append(g.path, at)
	}
	cycle := g.path[g.index[at]:]
	for _, i := range g.path {
		g.index[i] = none
	}
	for k, i := range cycle {
		if to := cycle[(k+1)%len(cycle)]; g.create[to] {
			g.remove(i, to)
			return none
		}
	}
	g.remove(cycle[len(cycle)-1], cycle[0])
	return cycle[0]
}

// remove lets i not wait for to.
func (g *graph) remove(i, to int) {
	g.after[to] = without(g.after[to], i)
	g.release(i, to)
}
