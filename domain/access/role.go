// Package access decides who may do what: the roles, the operations of the
// interface, one table that joins them, and the rules for operations that
// depend on a department, an agent or a session.
//
// Every role is granted by a token. A caller without a token has no role and
// may perform only the operations for which [Operation.Public] holds.
package access

import (
	"slices"

	"orgd/domain/fault"
)

// Role is what a token makes of its bearer. The zero value is no role and may
// do nothing.
type Role string

// The roles, from the least to the most powerful. All of them may read.
const (
	// Viewer reads, and nothing else.
	Viewer Role = "viewer"
	// Agent is a member of the organization: it reports its own activity.
	Agent Role = "agent"
	// Reporter is the runtime of many agents: it reports the activity of those in the
	// departments that its token names, or of all if it names none.
	Reporter Role = "reporter"
	// DepartmentAdmin manages the departments that its token names, and the
	// agents in them.
	DepartmentAdmin Role = "department_admin"
	// Editor changes the whole organization.
	Editor Role = "editor"
	// Admin also manages tokens, sessions and webhooks and reads the audit trail.
	Admin Role = "admin"
)

// ErrRole is a text that names no role.
var ErrRole = fault.New(fault.RequestValidation, "role: must be one of "+fault.List(Roles()))

// Roles lists every role, from the least to the most powerful.
func Roles() []Role { return []Role{Viewer, Agent, Reporter, DepartmentAdmin, Editor, Admin} }

// ParseRole reads a role, or returns [ErrRole]. Letter case matters.
func ParseRole(s string) (Role, error) {
	if r := Role(s); slices.Contains(Roles(), r) {
		return r, nil
	}
	return "", ErrRole
}

// Strongest returns the most powerful of several roles, and false if there is
// none among them.
func Strongest(roles []Role) (Role, bool) {
	for _, r := range slices.Backward(Roles()) {
		if slices.Contains(roles, r) {
			return r, true
		}
	}
	return "", false
}
