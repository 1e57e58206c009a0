package organization

import (
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
	StepAside // gives an agent a name for a moment, so that another one can have its own
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
