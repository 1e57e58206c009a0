package agent

import (
	"fmt"
	"time"

	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/revision"
)

// Record is an agent as stores keep it. What it is stays the text that was
// stored: whoever only shows an agent need not read it.
type Record struct {
	ID          ID
	Name        string // as it is written
	OrderKey    OrderKey
	Identity    string // the canonical form of [Agent.Identity]
	Unversioned string // what [Agent.Unversioned] returns
	Owner       *string
	Tags        []string
	Labels      string // what [LabelsText] returns
	Status      identity.Status
	Version     int64
	Revision    int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Record returns a as stores keep it.
func (a Agent) Record() Record {
	return Record{
		ID: a.ID(), Name: a.Name().Text, OrderKey: a.OrderKey, Identity: a.Text, Unversioned: a.Unversioned(),
		Owner: a.Owner, Tags: a.Tags, Labels: LabelsText(a.Labels), Status: a.Identity.Status,
		Version: a.Version, Revision: a.Revision, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}
}

// Size implements [page.Row].
func (r Record) Size() int {
	n := len(r.Identity) + len(r.Unversioned)
	if r.Owner != nil {
		n += len(*r.Owner)
	}
	for _, tag := range r.Tags {
		n += len(tag)
	}
	return n
}

// Position returns the position of r in a list that is ordered by order key.
func (r Record) Position() Position { return Position{OrderKey: r.OrderKey, ID: r.ID} }

// Department returns the name of the agent's department, and reads nothing else.
func (r Record) Department() (name.Name, error) {
	n, err := identity.DepartmentIn(r.Identity)
	if err != nil {
		return n, fmt.Errorf("agent %s: %w", r.ID, err)
	}
	return n, nil
}

// Resolve returns the agent as a label that names a version has it, with the content of
// the version.
func (r Record) Resolve(label string, version int64, content identity.Stored) (Resolved, error) {
	d, err := identity.DepartmentText(r.Identity)
	if err != nil {
		err = fmt.Errorf("agent %s: department: %w", r.ID, err)
	}
	return Resolved{
		ID: r.ID, Name: r.Name, Department: d, Status: r.Status, OrderKey: r.OrderKey,
		Label: label, Version: version, Content: content, Bytes: r.Size(),
	}, err
}

// Tag names the state of r.
func (r Record) Tag() revision.Tag { return revision.Tag{ID: string(r.ID), Revision: r.Revision} }

// Write writes the members of the agent into the object that w has open: those of the
// identity, then those of the record.
func (r Record) Write(w *jsondoc.Writer) {
	w.Members(r.Identity)
	r.writeRecord(w)
}

func (r Record) writeRecord(w *jsondoc.Writer) {
	w.Members(r.Unversioned)
	writeAssignment(w, r.Owner, r.Tags)
	w.Field("version").Int(r.Version)
	w.Field("revision").Int(r.Revision)
	w.Field("created_at").Time(r.CreatedAt)
	w.Field("updated_at").Time(r.UpdatedAt)
}

// WriteSummary writes what [Record.Write] does, without the instructions.
func (r Record) WriteSummary(w *jsondoc.Writer) {
	head, tail := identity.WithoutInstructions(r.Identity)
	w.Raw(head)
	w.Raw(tail)
	r.writeRecord(w)
}

// Agent reads the record.
func (r Record) Agent() (Agent, error) {
	c, err := identity.Parse(r.Identity)
	if err != nil {
		return Agent{}, fmt.Errorf("agent %s: %w", r.ID, err)
	}
	a := Agent{
		Identity: c, Text: r.Identity, Owner: r.Owner, Tags: r.Tags,
		Version: r.Version, Revision: r.Revision, OrderKey: r.OrderKey, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if a.Labels, err = ParseLabels(r.Labels); err != nil {
		return Agent{}, fmt.Errorf("agent %s: %w", r.ID, err)
	}
	if r.Unversioned == nothingUnversioned {
		return a, nil
	}
	if err := jsondoc.ReadStored(r.Unversioned, a.readUnversioned); err != nil {
		return Agent{}, fmt.Errorf("agent %s: %w", r.ID, err)
	}
	return a, nil
}
