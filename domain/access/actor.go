package access

import (
	"slices"

	"orgd/domain/fault"
	"orgd/domain/name"
)

// ErrForbidden is returned when the caller is known but may not do this.
var ErrForbidden = fault.New(fault.Forbidden, "this role may not perform this operation")

// Actor is who asks. The zero value has no role and may do nothing.
type Actor struct {
	// Subject is who the limits and the audit trail count: the sub claim of an
	// own token, issuer + "|" + sub for a token of an external issuer.
	Subject string
	Role    Role
	// Departments are the departments that a department admin manages, or those of whose
	// agents a reporter reports, which are all if there are none. They mean nothing for
	// other roles.
	Departments []name.Key
	// Agent is the id of the agent that an actor of role agent is.
	Agent string
	// Session is the id of the session that the token belongs to.
	Session string
}

// Check returns [ErrForbidden] if the actor may not perform op at all. For a
// [Scoped] right it returns nil: the caller then checks the department, the
// owner or the agent as soon as it is known.
func Check(a Actor, op Operation) error {
	if Of(a.Role, op) == Denied {
		return ErrForbidden.With("role %q may not perform %s", a.Role, op)
	}
	return nil
}

// CheckIn returns [ErrForbidden] unless the actor may perform op on each of
// these departments. A change that moves something between departments names
// both; without departments a scoped right is refused.
func CheckIn(a Actor, op Operation, departments ...name.Key) error {
	return a.check(op, a.manages(departments), "only in its own departments")
}

// check is [Check] for an op whose scoped right holds for what is mine; where says what that is.
func (a Actor) check(op Operation, mine bool, where string) error {
	if Of(a.Role, op) == Scoped && !mine {
		return ErrForbidden.With("role %q may perform %s %s", a.Role, op, where)
	}
	return Check(a, op)
}

// CheckReplay returns [ErrForbidden] unless the actor may be shown again what
// came of op, which it performed before and for which it needed permission in
// these departments.
func CheckReplay(a Actor, op Operation, departments []name.Key) error {
	if (a.Role == DepartmentAdmin || a.Role == Reporter) && Of(a.Role, op) == Scoped {
		return CheckIn(a, op, departments...)
	}
	return Check(a, op)
}

// manages reports whether all of departments, at least one, are the actor's.
func (a Actor) manages(departments []name.Key) bool {
	if a.Role == Reporter && len(a.Departments) == 0 {
		return true
	}
	for _, d := range departments {
		if a.Role != DepartmentAdmin && a.Role != Reporter || !slices.Contains(a.Departments, d) {
			return false
		}
	}
	return len(departments) > 0
}

// CheckBudgetShare returns [ErrForbidden] unless the actor may set the share
// of the company's budget that a department gets. A department admin may not,
// not even of his own.
func CheckBudgetShare(a Actor) error {
	if Of(a.Role, DepartmentsUpdate) == Allowed {
		return nil
	}
	return ErrForbidden.With("role %q may not set budget_percent", a.Role)
}

// CheckImport returns [ErrForbidden] unless the actor may say when and by whom a version was
// made.
func CheckImport(a Actor) error {
	if a.Role == Admin {
		return nil
	}
	return ErrForbidden.With("role %q may not set as_of; role %q may", a.Role, Admin)
}

// MovesProtected reports whether the actor, who may move labels of a department's agents,
// may also move those that the department protects.
func (a Actor) MovesProtected() bool { return a.Role == DepartmentAdmin || a.Role == Admin }

// CheckReport returns [ErrForbidden] unless the actor may report activity of
// this agent, which works in this department.
func CheckReport(a Actor, agentID string, department name.Key) error {
	if a.Role != Agent || Of(a.Role, ActivitiesIngest) != Scoped {
		return CheckIn(a, ActivitiesIngest, department)
	}
	if agentID == "" || a.Agent != agentID {
		return ErrForbidden.With("role %q may report activity only for itself", a.Role)
	}
	return nil
}

// CheckOwner returns [ErrForbidden] unless the actor may perform op, which is
// about sessions, on a session of this subject.
func CheckOwner(a Actor, op Operation, subject string) error {
	return a.check(op, subject != "" && a.Subject == subject, "only on its own sessions")
}
