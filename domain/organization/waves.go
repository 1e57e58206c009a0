package organization

import (
	"slices"

	"orgd/domain/agent"
	"orgd/domain/name"
)

// waves puts operations on agents into an order: those of one wave may run at the
// same time, one wave after the other. An agent takes a name after the agent that
// had it, and comes after the new agents that it refers to. In a cycle of references
// one of them comes first: it refers to an id whose agent is created later.
func (m *match) waves(ops []Operation) [][]Operation {
	g := m.graph(ops)
	var waves [][]Operation
	for first := 0; first < len(ops); {
		switch {
		case g.done[first]:
			first++
		case len(g.ready) == 0:
			g.cut(first)
		default:
			ready := g.ready
			g.ready = nil
			wave := make([]Operation, len(ready))
			for k, i := range ready {
				wave[k] = ops[i]
				g.finish(i)
			}
			waves = append(waves, wave)
		}
	}
	return waves
}

// graph says which operations wait for which, by their indexes.
type graph struct {
	refs  [][]int // those that create agents which an operation refers to
	name  []int   // the one that frees a name, or none
	after [][]int // those that wait for an operation
	waits []int   // for how many operations that are not done
	done  []bool
	ready []int
}

func (m *match) graph(ops []Operation) *graph {
	n := len(ops)
	g := &graph{refs: make([][]int, n), name: nothing(n), after: make([][]int, n), waits: make([]int, n), done: make([]bool, n)}
	byID := make(map[agent.ID]int, n)
	freed := map[name.Key]int{}
	for i, op := range ops {
		byID[op.Agent] = i
		if a := m.agents[op.Entry]; a != none {
			freed[m.state.Agents[a].Name.Key] = i
		}
	}
	for i, op := range ops {
		entry := m.doc.Agents[op.Entry]
		for _, ref := range entry.Refs {
			id, _ := m.resolve(ref)
			if to, ok := byID[id]; ok && to != i && m.agents[ops[to].Entry] == none {
				g.refs[i] = append(g.refs[i], to)
				g.wait(i, to)
			}
		}
		if to, ok := freed[entry.Name.Key]; ok && to != i {
			g.name[i] = to
			g.wait(i, to)
		}
		if g.waits[i] == 0 {
			g.ready = append(g.ready, i)
		}
	}
	return g
}

func (g *graph) wait(i, to int) {
	g.after[to] = append(g.after[to], i)
	g.waits[i]++
}

func (g *graph) finish(i int) {
	g.done[i] = true
	for _, next := range g.after[i] {
		g.release(next)
	}
}

func (g *graph) release(i int) {
	if g.waits[i]--; g.waits[i] == 0 {
		g.ready = append(g.ready, i)
	}
}

// cut finds a cycle of operations that wait for each other, beginning at one that is
// not done, and removes a reference from it. Names do not form a cycle: the first of
// a row of renames takes a name that no agent has.
func (g *graph) cut(at int) {
	var path []int
	index := map[int]int{}
	for {
		if start, ok := index[at]; ok {
			path = path[start:]
			break
		}
		index[at] = len(path)
		path = append(path, at)
		at = g.next(at)
	}
	for k, i := range path {
		to := path[(k+1)%len(path)]
		if ref := slices.Index(g.refs[i], to); ref >= 0 {
			g.refs[i] = slices.Delete(g.refs[i], ref, ref+1)
			back := slices.Index(g.after[to], i)
			g.after[to] = slices.Delete(g.after[to], back, back+1)
			g.release(i)
			return
		}
	}
	panic("organization: a cycle of names")
}

// next returns an operation that i waits for.
func (g *graph) next(i int) int {
	for _, to := range g.refs[i] {
		if !g.done[to] {
			return to
		}
	}
	return g.name[i]
}
