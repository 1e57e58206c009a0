package organization

import (
	"slices"

	"orgd/domain/agent"
	"orgd/domain/identity"
)

// checkTimes reports entries that are from the future.
func (p *planner) checkTimes() error {
	for i, e := range p.in.Document.Agents {
		if e.AsOf != nil && e.AsOf.At.After(p.in.On.At) {
			p.problems.add(ErrRefused.At(Path(FieldAgents, i)+"."+FieldAsOf+".at", "must not be in the future"), e.Where)
		}
	}
	return nil
}

// compareAgents compares the agents that exist with their entries.
func (p *planner) compareAgents() error {
	entries := p.match.agents.entries
	left := 0 // to compare or delete
	for _, e := range entries {
		if e != none || p.in.Prune {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	for page, err := range p.in.Agents {
		if err != nil {
			return err
		}
		for _, r := range page {
			i, ok := p.index[r.ID]
			if !ok || entries[i] == none && !p.in.Prune {
				continue // created since, or not in the document
			}
			left--
			a, err := r.Agent()
			if err == nil {
				err = p.compareAgent(a, entries[i], p.in.State.Agents[i])
			}
			if err != nil {
				return err
			}
		}
	}
	if left > 0 {
		return ErrChanged // an agent was deleted since
	}
	return nil
}

// compareAgent compares an agent with entry e, or deletes it if e is none.
func (p *planner) compareAgent(a agent.Agent, e int, known Member) error {
	op := Operation{Agent: known.ID, Entry: e, From: known.Revision} // the id of a is a part of its text
	if e == none {
		text := p.text(0, a, p.currentName)
		op.Kind, op.Size = DeleteAgent, len(text)
		p.add(deleteAgents, op)
		return p.emit(Change{Path: entryPath(FieldAgents, a.Name().Text), Action: Delete, Old: text, New: []byte(null)})
	}
	patch, err := p.match.agentPatch(p.in.Entries, e)
	if err != nil {
		return err
	}
	step, err := a.Change(patch, p.in.On)
	if err != nil {
		p.problems.add(err, p.in.Document.Agents[e].Where)
		return nil
	}
	if !step.Effective() {
		return nil
	}
	before, after := p.text(0, a, p.match.futureName), p.text(1, step.Agent, p.match.futureName)
	op.Kind, op.Size = UpdateAgent, max(len(before), len(after))
	op.Fields, err = p.update(entryPath(FieldAgents, a.Name().Text), before, after, func() []byte { return p.text(2, a, p.currentName) })
	if op.Fields != nil {
		p.add(changeAgents, op)
	}
	return err
}

// text returns the entry of an agent in buffer i. It is valid until the buffer is
// used again.
func (p *planner) text(i int, a agent.Agent, show identity.Show) []byte {
	p.buffers[i] = AppendAgent(p.buffers[i][:0], a, show)
	return p.buffers[i]
}

// createAgents creates the agents of entries that are new.
func (p *planner) createAgents() error {
	for e, known := range p.match.agents.parts {
		if known != none {
			continue
		}
		patch, err := p.match.agentPatch(p.in.Entries, e)
		if err != nil {
			return err
		}
		var step agent.Step
		if patch, err = patch.New(); err == nil {
			step, err = agent.Hire(p.match.ids[e], patch, p.in.On)
		}
		if err != nil {
			p.problems.add(err, p.in.Document.Agents[e].Where)
			continue
		}
		text := p.text(0, step.Agent, p.match.futureName)
		p.add(changeAgents, Operation{Kind: CreateAgent, Agent: p.match.ids[e], Entry: e, Size: len(text)})
		if err := p.emit(Change{Path: entryPath(FieldAgents, step.Agent.Name().Text), Action: Create, Old: []byte(null), New: text}); err != nil {
			return err
		}
	}
	return nil
}

// compareOrders compares the orders of departments and agents.
func (p *planner) compareOrders() error {
	if after := arrange(p.match.order, p.match.requested); !slices.Equal(p.match.order, after) {
		p.add(reorderDepartments, Operation{Kind: ReorderDepartments})
		if err := p.emit(reordered(FieldDepartments, p.match.texts(p.match.order), p.match.texts(after))); err != nil {
			return err
		}
	}
	moves := p.match.moves(p.in.NewID)
	if len(moves) == 0 {
		return nil
	}
	p.moveAgents(moves)
	before, after := p.match.agentOrder()
	return p.emit(reordered(FieldAgents, before, after))
}
