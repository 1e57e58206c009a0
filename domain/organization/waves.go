package organization

import (
	"orgd/domain/agent"
	"orgd/domain/name"
)

// Waves puts the entries of agents that change into an order: those of one wave
// may be applied beside each other, one wave after the other. An agent takes a
// name after the agent that had it, and comes after the new agents that it
// refers to. Agents that refer to each other in a circle cannot; there one
// refers to an id whose agent is made later.
func (m *Match) Waves(changed []int) [][]int {
	g := m.graph(changed)
	var waves [][]int
	for left := len(changed); left > 0; {
		wave := g.ready
		g.ready = nil
		if len(wave) == 0 {
			g.cut()
			continue
		}
		for _, e := range wave {
			g.done(e)
		}
		left -= len(wave)
		waves = append(waves, wave)
	}
	return waves
}

// graph says which entries wait for which.
type graph struct {
	order  []int         // the entries, as they were given
	waits  map[int][]int // for references
	name   map[int]int   // for a name
	before map[int][]int // who waits for an entry, the other way round
	count  map[int]int   // what an entry still waits for
	ended  map[int]bool
	ready  []int
	from   int // those of order before it have ended
}

func (m *Match) graph(changed []int) *graph {
	g := &graph{
		order: changed, waits: map[int][]int{}, name: map[int]int{}, before: map[int][]int{},
		count: make(map[int]int, len(changed)), ended: make(map[int]bool, len(changed)),
	}
	byID := make(map[agent.ID]int, len(changed))
	changes := make(map[int]bool, len(changed))
	for _, e := range changed {
		byID[m.ids[e]], changes[e] = e, true
	}
	holder := map[name.Key]int{} // of names that change hands
	for i, a := range m.state.Agents {
		if e := m.entries[i]; e != none && changes[e] && m.doc.Agents[e].Name.Key != a.Name.Key {
			holder[a.Name.Key] = e
		}
	}
	for _, e := range changed {
		for _, ref := range m.doc.Agents[e].Refs {
			id, _ := m.resolve(ref)
			if to, ok := byID[id]; ok && to != e && m.agents[to] == none {
				g.waits[e] = append(g.waits[e], to)
				g.wait(e, to)
			}
		}
		if first, ok := holder[m.doc.Agents[e].Name.Key]; ok && first != e {
			g.name[e] = first
			g.wait(e, first)
		}
	}
	for _, e := range changed {
		if g.count[e] == 0 {
			g.ready = append(g.ready, e)
		}
	}
	return g
}

func (g *graph) wait(e, other int) {
	g.before[other] = append(g.before[other], e)
	g.count[e]++
}

// done lets those go on that waited for e.
func (g *graph) done(e int) {
	g.ended[e] = true
	for _, next := range g.before[e] {
		g.release(next)
	}
	g.before[e] = nil
}

func (g *graph) release(e int) {
	if g.count[e]--; g.count[e] == 0 {
		g.ready = append(g.ready, e)
	}
}

// cut finds a circle of entries that wait for each other and lets one of them
// refer to somebody who is not there yet. Names cannot form a circle: the first
// of a row of renames takes a name that nobody has.
func (g *graph) cut() {
	for g.ended[g.order[g.from]] {
		g.from++
	}
	at := g.order[g.from]
	var path []int
	met := map[int]int{}
	for {
		if start, ok := met[at]; ok {
			path = path[start:]
			break
		}
		met[at] = len(path)
		path = append(path, at)
		at = g.next(at)
	}
	for i, e := range path {
		to := path[(i+1)%len(path)]
		for k, w := range g.waits[e] {
			if w == to && !g.ended[to] {
				g.drop(e, k)
				return
			}
		}
	}
	panic("organization: a circle of names")
}

// next is somebody whom e waits for.
func (g *graph) next(e int) int {
	for _, to := range g.waits[e] {
		if !g.ended[to] {
			return to
		}
	}
	return g.name[e]
}

// drop lets e no longer wait for reference number k.
func (g *graph) drop(e, k int) {
	to := g.waits[e][k]
	g.waits[e] = append(g.waits[e][:k:k], g.waits[e][k+1:]...)
	for i, other := range g.before[to] {
		if other == e {
			g.before[to] = append(g.before[to][:i:i], g.before[to][i+1:]...)
			break
		}
	}
	g.release(e)
}
