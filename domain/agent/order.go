package agent

import (
	"slices"

	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// ErrPermutation is a reorder that does not name every member exactly once.
var ErrPermutation = fault.New(fault.Validation, "not a permutation of the department's agents")

// MaxReorder bounds the members of one reorder.
const MaxReorder = 10_000

// Member is an agent as a reorder sees it.
type Member struct {
	ID       ID
	Name     name.Key
	OrderKey OrderKey
}

// Reorder gives the order keys of members to the same members in the order asked
// for. It returns the members in their new order, each with its new order key, or
// [ErrPermutation] if asked is not an exact permutation.
func Reorder(members []Member, asked []identity.Ref) ([]Member, error) {
	if len(asked) != len(members) {
		return nil, ErrPermutation.With("agent_names: must name each of the department's %d agents exactly once, has %d names",
			len(members), len(asked))
	}
	byRef := make(map[identity.Ref]int, 2*len(members))
	keys := make([]OrderKey, len(members))
	for i, m := range members {
		byRef[identity.Ref{ID: m.ID}] = i
		byRef[identity.Ref{Name: m.Name}] = i
		keys[i] = m.OrderKey
	}
	slices.Sort(keys)
	next := make([]Member, len(members))
	used := make([]bool, len(members))
	for i, ref := range asked {
		at, ok := byRef[ref]
		if !ok {
			return nil, ErrPermutation.With("agent_names[%d]: is not an agent of the department", i)
		}
		if used[at] {
			return nil, ErrPermutation.With("agent_names[%d]: is named twice", i)
		}
		used[at] = true
		next[i] = members[at]
		next[i].OrderKey = keys[i]
	}
	return next, nil
}

// Query selects a page of agents. Without a prefix they come in the
// organization's order: order key, then id. With a prefix they come in the order of
// their name keys.
type Query struct {
	Department name.Key        // "" means any
	Status     identity.Status // "" means any
	Level      identity.Level  // "" means any
	Owner      string          // "" means any
	Tags       []string        // the agent has all of them
	Prefix     name.Key        // "" means any
	After      *Position       // agents behind this position; nil means from the first
	Limit      int
}

// Position is a position in a list of agents: Name where the list is ordered by
// name, else OrderKey and ID.
type Position struct {
	OrderKey OrderKey
	ID       ID
	Name     name.Key
}

// Position returns the position of a.
func (a Agent) Position() Position {
	return Position{OrderKey: a.OrderKey, ID: a.ID(), Name: a.Name().Key}
}

// Key is what agents are told apart by, and put in order.
type Key struct {
	ID   ID
	Name name.Name
}

// Profile is what others need to know of an agent that they refer to.
type Profile struct {
	ID         ID
	Name       name.Name
	Department name.Key
	// DepartmentID tells the department from others that had the name before it
	// or will have it after it.
	DepartmentID string
}

// Profile returns the profile of a, whose department has this id.
func (a Agent) Profile(departmentID string) Profile {
	return Profile{ID: a.ID(), Name: a.Name(), Department: a.Department().Key, DepartmentID: departmentID}
}

// Counts of the agents of one department.
type Counts struct {
	Total  int64
	Active int64 // of status active
}
