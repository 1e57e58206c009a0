package organization

import (
	"slices"
	"strings"

	"orgd/domain/agent"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// planner makes a plan.
type planner struct {
	in    Inputs
	match *match
	index map[agent.ID]int // of the agents in the state

	problems   problems
	digest     digest
	counts     Counts
	operations [stages][]Operation
	buffers    [3][]byte // for the entries of agents
}

func (p *planner) add(s stage, op Operation) { p.operations[s] = append(p.operations[s], op) }

// refusal returns [ErrRefused] with all problems, or nil.
func (p *planner) refusal() error {
	p.problems.malformed = false // the state is the reason
	return p.problems.err()
}

// currentName returns the name that an agent has.
func (p *planner) currentName(id agent.ID) (string, bool) {
	i, ok := p.index[id]
	if !ok {
		return "", false
	}
	return p.in.State.Agents[i].Name.Text, true
}

func (p *planner) emit(c Change) error {
	p.digest.change(c)
	switch c.Action {
	case Create:
		p.counts.Created++
	case Delete:
		p.counts.Deleted++
	case Reorder:
		p.counts.Reordered++
	}
	if p.in.Emit == nil {
		return nil
	}
	return p.in.Emit(c)
}

// update emits a change for each field that differs, and returns these fields; nil if
// the entries are the same. Both name agents as they will be called, because a
// rename changes nothing in an entry that refers to the agent. current returns the
// entry before with the current names. Entries may be long: no more of them is held
// at once than needed.
func (p *planner) update(path string, before, after []byte, current func() []byte) (Fields, error) {
	if string(before) == string(after) {
		return nil, nil
	}
	was, err := members(before)
	if err != nil {
		return nil, err
	}
	will, err := members(after)
	if err != nil {
		return nil, err
	}
	fields := Fields{}
	for i, m := range will {
		if !was[i].Value.Equal(m.Value) {
			fields = append(fields, strings.Clone(m.Name)) // without the text that it is part of
		}
	}
	p.counts.Updated++
	if was, err = members(current()); err != nil {
		return nil, err
	}
	for i, m := range will {
		if !fields.Has(m.Name) {
			continue
		}
		if err := p.emit(Change{Path: path + "." + m.Name, Action: Update, Old: was[i].Value.Append(nil), New: m.Value.Append(nil)}); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func members(text []byte) ([]jsondoc.Member, error) {
	v, err := jsondoc.ParseStored(text)
	return v.Members(), err
}

// moveAgents adds a reorder for each department with moves.
func (p *planner) moveAgents(moves []Move) {
	index := map[name.Key]int{}
	for _, m := range moves {
		i, ok := index[m.Department]
		if !ok {
			i = len(index)
			index[m.Department] = i
			p.add(reorderAgents, Operation{Kind: ReorderAgents, Department: m.Department})
		}
		op := &p.operations[reorderAgents][i]
		op.Moves = append(op.Moves, m)
	}
}

// phases returns the operations in order. Those on departments depend on each other.
func (p *planner) phases() [][]Operation {
	var phases [][]Operation
	for s, ops := range p.operations {
		switch stage(s) {
		case changeAgents:
			phases = append(phases, p.match.waves(ops)...)
		case deleteAgents:
			phases = append(phases, ops)
		default:
			phases = slices.AppendSeq(phases, slices.Chunk(ops, 1))
		}
	}
	return phases
}
