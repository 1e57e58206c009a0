package organization

import (
	"slices"

	"orgd/domain/agent"
	"orgd/domain/name"
)

// Kind is what an operation does.
type Kind int

// The kinds of operations.
const (
	UpdateCompany Kind = iota
	CreateDepartment
	UpdateDepartment
	ReleaseShare // takes its share of the budget from a department
	DeleteDepartment
	CreateAgent
	UpdateAgent
	DeleteAgent
	ReorderAgents // of one department
	ReorderDepartments
)

// Operation is one atomic change.
type Operation struct {
	Kind       Kind
	Department name.Key // "" for the company and agents
	Agent      agent.ID // "" for others
	Entry      int      // in the list of the document
	Fields     Fields   // of the entry, to be set; a new agent gets all
	// From is the revision before the operation; 0 for a creation or a reorder.
	From  int64
	Size  int    // of an agent's entry before or after, the longer one, in bytes
	Moves []Move // of a reorder of agents
}

// stage is a part of a plan.
type stage int

// The stages of a plan, in order. The shares of the budget never exceed 100 percent
// in between, and nothing refers to what does not exist yet.
const (
	updateCompany stage = iota
	lowerShares
	releaseShares
	createDepartments
	changeAgents
	updateDepartments
	deleteAgents
	deleteDepartments
	reorderAgents
	reorderDepartments
	stages
)

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
