package agent

import (
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
	// ErrNotDeleted is an agent that exists, where a deleted one is meant.
	ErrNotDeleted = fault.New(fault.Conflict, "the agent is not deleted")
	// ErrRestore is a deleted agent that cannot come back as things stand.
	ErrRestore = fault.New(fault.Conflict, "the agent cannot be restored")
)

// Deletion says which agent was deleted, when and by whom.
type Deletion struct {
	ID         ID
	Name       string
	Department string
	At         time.Time
	By         string // the subject
}

// Former is an agent that was deleted, as it was last, without its labels.
type Former struct {
	Last Agent
	Deletion
}

// Deletion returns what a step that is Deleted amounts to. It is that of [Agent.Fire].
func (s Step) Deletion() Deletion {
	e := s.Events[0]
	return Deletion{ID: s.Agent.ID(), Name: s.Agent.Name().Text, Department: s.Agent.Department().Text, At: e.At, By: e.By}
}

// Deletions selects deleted agents, the one that was deleted last first, ties by the greater
// id.
type Deletions struct {
	After *DeletionPosition // those behind this position; nil means from the first
	Limit int
}

// DeletionPosition is a position in a list of deleted agents.
type DeletionPosition struct {
	At time.Time
	ID ID
}

// Position returns the position of d.
func (d Deletion) Position() DeletionPosition { return DeletionPosition{d.At, d.ID} }

// Restoring says as what a deleted agent comes back. What is nil is as it was.
type Restoring struct {
	Name       *name.Name
	Department *name.Name
}

// ParseRestoring reads a Restoring.
func ParseRestoring(v jsondoc.Value) (in Restoring, err error) {
	read := func(r *jsondoc.Reader, field string, dst **name.Name) {
		if r.Given(field) {
			*dst = new(name.Name)
			name.Read(r, field, *dst, name.MaxLength)
		}
	}
	err = jsondoc.ReadWhole(v, func(r *jsondoc.Reader) {
		read(r, "name", &in.Name)
		read(r, "department", &in.Department)
	})
	if err == nil && in.Name != nil {
		err = in.Name.CheckNew("name")
	}
	return in, err
}

// Into returns the department that the agent comes back into.
func (f Former) Into(in Restoring) name.Name {
	if in.Department != nil {
		return *in.Department
	}
	return f.Last.Department()
}

// Restore brings the agent back with its last content as a new version. It keeps its id,
// its hiring date and its place; its labels do not come back. It returns [ErrRestore] if its
// last name must not be given again.
func (f Former) Restore(in Restoring, on activity.Cause) (Step, error) {
	last, next := f.Last, f.Last
	on.At = revision.Time(on.At, f.At)
	next.Identity.Department = f.Into(in)
	if in.Name != nil {
		next.Identity.Name = *in.Name
	} else if err := last.Name().CheckNew("last name"); err != nil {
		return Step{}, ErrRestore.With("the agent cannot be restored without another name: %s", err)
	}
	next.Version++
	next.Revision += 2 // the end of its labels has the one between
	next.UpdatedAt = on.At
	v := identity.Version{Number: last.Version}.Next(next.Identity, on.By, on.At)
	v.RestoredFrom, v.Reason, next.Text = &last.Version, on.Reason, v.Text
	r := on.Record(string(next.ID()), next.Name().Text, next.Version)
	r.Rehired(next.Identity.Role, next.Department().Text)
	return Step{
		Agent: next, Version: &v, Events: r.Events(),
		Change: next.logged(audit.AgentRestored, last.Version, next.Version, on).Between([2]string{last.Text, next.Text}),
	}, nil
}

// PurgeLasts is how long what others report of an agent that was purged may be under way: longer than a request or a
// transaction of a store lasts. For so long a store remembers that the agent was purged.
const PurgeLasts = 2 * time.Minute

// Purge ends what is left of the agent.
func (f Former) Purge(on activity.Cause) Step {
	return Step{Agent: f.Last, Deleted: true, Change: f.Last.logged(audit.AgentPurged, f.Last.Version, 0, on)}
}
