package agent

import (
	"orgd/domain/identity"
	"orgd/domain/name"
)

// Query selects a page of agents. Without a prefix they come in the
// organization's order: order key, then id. With a prefix they come in the order of
// their name keys.
type Query struct {
	Department name.Key        // "" means any
	Status     identity.Status // "" means any
	Level      identity.Level  // "" means any
	Prefix     name.Key        // "" means any
	After      *Position       // agents behind this position; nil means from the first
	Limit      int
}

// Position is a position in a list of agents: Name where the list is ordered by
// name, else Place and ID.
type Position struct {
	OrderKey OrderKey
	ID       ID
	Name     name.Key
}

// Position returns the position of a.
func (a Agent) Position() Position {
	return Position{OrderKey: a.OrderKey, ID: a.ID(), Name: a.Name().Key}
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
