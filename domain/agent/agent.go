// Package agent holds the rules of an agent's life: hiring, change, rollback
// and dismissal. Each is one step from a state to the next, with the identity
// version and the events that belong to it; whoever stores the step stores all
// of it or nothing.
package agent

import (
	"reflect"
	"slices"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/revision"
)

var (
	// ErrNotFound is an id or name that no agent has.
	ErrNotFound = fault.New(fault.NotFound, "agent not found")
	// ErrExists is a name that another agent has.
	ErrExists = fault.New(fault.Duplicate, "an agent of this name exists")
	// ErrDepartment is a department that does not exist or is being deleted.
	ErrDepartment = fault.New(fault.Validation, "the agent's department does not exist")
	// ErrMove is a change of status that is not allowed.
	ErrMove = fault.New(fault.Conflict, "this change of status is not allowed")
	// ErrRollback is a version that cannot come back as things stand.
	ErrRollback = fault.New(fault.Conflict, "this version cannot be restored")
)

// NoDepartment is [ErrDepartment] for a name that no department has.
func NoDepartment(n name.Name) error {
	return ErrDepartment.At("department", "there is no department %q", n.Text)
}

// Taken is [ErrExists] for the name of an agent, holder, as that writes it.
func Taken(holder string) error { return ErrExists.With("an agent of the name %q exists", holder) }

// ID identifies an agent for ever.
type ID = identity.ID

// OrderKey orders agents. A new agent's order key is its own id; a reorder permutes
// the order keys that the agents of one department hold.
type OrderKey string

// Agent is an agent of the organization.
type Agent struct {
	Identity identity.Content
	Text     string // of Identity, see [identity.Content.Canonical]
	// Preset, Tier and ModelRequirement say how the identity came about. They, the owner
	// and the tags are not part of it: changing them raises the revision, not the version.
	Preset           *string
	Tier             *identity.Tier
	ModelRequirement *jsondoc.Object
	Owner            *string  // a subject
	Tags             []string // each once
	Labels           []Label  // in the order of their names; not part of the identity, too
	Version          int64    // of the identity, one-based
	Revision         int64    // of the record, one-based
	OrderKey         OrderKey
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// ID returns the agent's id.
func (a Agent) ID() ID { return a.Identity.ID }

// Name returns the agent's name.
func (a Agent) Name() name.Name { return a.Identity.Name }

// Department returns the name of the agent's department.
func (a Agent) Department() name.Name { return a.Identity.Department }

// Tag names the current state of a.
func (a Agent) Tag() revision.Tag {
	return revision.Tag{ID: string(a.Identity.ID), Revision: a.Revision}
}

// Step is one change of one agent: the state after it and what belongs to it.
// A step without effect has the agent as it was and nothing else.
type Step struct {
	Agent   Agent
	Version *identity.Version // nil: the identity is as it was
	Events  []activity.Event  // in their order
	From    int64             // the revision before; 0 for a new agent
	Deleted bool
	Moves   []Move       // of labels
	Change  audit.Change // what the change log shows of it
}

// Effective reports whether the step changes anything.
func (s Step) Effective() bool { return s.Deleted || s.From != s.Agent.Revision }

// Hire makes a new agent from what the caller said of it.
func Hire(id ID, p Patch, on activity.Cause) (Step, error) {
	a, err := p.Make(func(a *Agent) {
		p.written(a)
		a.Identity.ID, a.OrderKey = id, OrderKey(id)
		a.Version, a.Revision, a.CreatedAt, a.UpdatedAt = 1, 1, on.At, on.At
		if a.Identity.HiringDate == "" {
			a.Identity.HiringDate = identity.DateOf(on.At)
		}
	})
	if err != nil {
		return Step{}, err
	}
	v := identity.First(a.Identity, on.By, on.At)
	v.Reason, a.Text = on.Reason, v.Text
	return Step{Agent: a, Version: &v, Events: events(nil, a.Identity, 1, on), Change: a.logged(audit.AgentCreated, 0, 1, on)}, nil
}

// Change merges the patch into the agent. It returns [ErrMove] for a change of
// status that is not allowed and identity.ErrCombination for fields that do not
// go together in the result.
func (a Agent) Change(p Patch, on activity.Cause) (Step, error) {
	next, err := p.Apply(&a)
	if err == nil {
		p.written(next)
		err = p.Locate(checkMove(a.Identity.Status, next.Identity.Status))
	}
	if err != nil {
		return Step{}, err
	}
	return a.step(next, on, nil)
}

// Rollback brings the content of an earlier version back as a new version. The
// agent keeps its id and its hiring date. It returns [ErrRollback] if the
// status of the target cannot be reached from here, or its name must not be given again.
func (a Agent) Rollback(target identity.Version, on activity.Cause) (Step, error) {
	next := a
	next.Identity = target.Content
	next.Identity.ID = a.Identity.ID
	next.Identity.HiringDate = a.Identity.HiringDate
	if err := checkMove(a.Identity.Status, next.Identity.Status); err != nil {
		return Step{}, ErrRollback.With("version %d cannot be restored: an agent cannot go from status %s to %s",
			target.Number, a.Identity.Status, next.Identity.Status)
	}
	if next.Name().Key != a.Name().Key {
		if err := next.Name().CheckNew("former name"); err != nil {
			return Step{}, ErrRollback.With("version %d cannot be restored: %s", target.Number, err)
		}
	}
	return a.step(&next, on, &target.Number)
}

// Fire ends the agent.
func (a Agent) Fire(on activity.Cause) Step {
	on.At = revision.Time(on.At, a.UpdatedAt)
	r := on.Record(string(a.ID()), a.Name().Text, a.Version)
	r.Fired(a.Identity.Role, a.Department().Text)
	return Step{Agent: a, Events: r.Events(), From: a.Revision, Deleted: true, Moves: a.unlabeled(on), Change: a.logged(audit.AgentDeleted, a.Version, 0, on)}
}

// step is what leads from a to next, or a step without effect if they are
// equal. restored is the version whose content next has again, or nil.
func (a *Agent) step(next *Agent, on activity.Cause, restored *int64) (Step, error) {
	on.At = revision.Time(on.At, a.UpdatedAt)
	sameIdentity := reflect.DeepEqual(&a.Identity, &next.Identity)
	if sameIdentity && reflect.DeepEqual(a, next) {
		return Step{Agent: *a, From: a.Revision}, nil
	}
	next.Revision++
	next.UpdatedAt = on.At
	s, action := Step{From: a.Revision}, audit.AgentUpdated
	if restored != nil {
		action = audit.AgentRolledBack
	}
	if !sameIdentity {
		next.Version++
		v := identity.Version{Number: a.Version}.Next(next.Identity, on.By, on.At)
		v.RestoredFrom, v.Reason = restored, on.Reason
		s.Version, next.Text = &v, v.Text
		s.Events = events(&a.Identity, next.Identity, next.Version, on)
	}
	s.Agent = *next
	s.Change = next.logged(action, a.Version, next.Version, on).Between(
		[2]string{a.Text, next.Text}, [2]string{a.Unversioned(), next.Unversioned()},
		[2]string{a.assignment(), next.assignment()})
	return s, nil
}

// logged is what the change log shows of a change after which the agent is a.
func (a Agent) logged(action audit.Action, from, to int64, on activity.Cause) audit.Change {
	c := audit.New(action, a.Name().Text).In(a.Department())
	c.Reason, c.FromVersion, c.ToVersion = on.Reason, from, to
	return c
}

// moves lists where an agent may go from each status.
var moves = map[identity.Status][]identity.Status{
	identity.Onboarding: {identity.Active, identity.Terminated},
	identity.Active:     {identity.OnLeave, identity.Terminated},
	identity.OnLeave:    {identity.Active, identity.Terminated},
	identity.Terminated: {identity.Onboarding, identity.Active},
}

func checkMove(from, to identity.Status) error {
	if from == to || slices.Contains(moves[from], to) {
		return nil
	}
	return ErrMove.At("status", "an agent cannot go from %s to %s", from, to)
}

// events lists what the change amounts to. A nil before is a new agent.
func events(before *identity.Content, after identity.Content, version int64, on activity.Cause) []activity.Event {
	r := on.Record(string(after.ID), after.Name.Text, version)
	var from identity.Status
	if before != nil {
		from = before.Status
		if by := after.Level.Compare(before.Level); by > 0 {
			r.Promoted(string(before.Level), string(after.Level))
		} else if by < 0 {
			r.Demoted(string(before.Level), string(after.Level))
		}
	}
	to := after.Status
	if from == to {
		return r.Events()
	}
	switch {
	case before == nil:
		r.Hired(after.Role, after.Department.Text)
	case from == identity.Terminated:
		r.Rehired(after.Role, after.Department.Text)
	}
	if to == identity.Active && from != identity.OnLeave {
		r.Onboarded(string(from), string(to))
	}
	if before != nil || to == identity.OnLeave || to == identity.Terminated {
		r.StatusChanged(string(from), string(to))
	}
	if to == identity.Terminated {
		r.Offboarded(string(from), string(to))
	}
	return r.Events()
}
