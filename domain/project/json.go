package project

import (
	"fmt"

	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

// Canonical returns the JSON form of p that stores keep: what clients see of
// it, with every reference in place.
func (p Project) Canonical() []byte {
	w := jsondoc.NewWriter(make([]byte, 0, 512))
	w.Open()
	p.writeFields(w, identity.AsIs)
	w.Close()
	return w.Bytes()
}

// Parse reads a stored form back. Identity, revision and times of the project
// are kept beside it and are the caller's to fill in.
func Parse(canonical []byte) (Project, error) {
	p := Project{Status: Planning}
	if err := jsondoc.ReadStored(canonical, p.readChange); err != nil {
		return Project{}, fmt.Errorf("project: parse: %w", err)
	}
	return p, nil
}

// Write writes the members of p into the object that w has open. References to
// agents that are gone, of which exists says false, are null or left out.
func (p Project) Write(w *jsondoc.Writer, exists func(identity.ID) bool) {
	w.Field("id").Text(string(p.ID))
	p.writeFields(w, func(id identity.ID) (string, bool) { return string(id), exists(id) })
	w.Field("revision").Int(p.Revision)
	w.Field("created_at").Time(p.CreatedAt)
	w.Field("updated_at").Time(p.UpdatedAt)
}

func (p Project) writeFields(w *jsondoc.Writer, show identity.Show) {
	w.Field("name").Text(p.Name)
	w.Field("description").Text(p.Description)
	identity.WriteRefs(w.Field("team"), p.Team, show)
	identity.WriteRef(w.Field("lead"), p.Lead, show)
	w.Field("task_ids").Texts(p.TaskIDs)
	w.Field("deadline").TimeOrNull(p.Deadline)
	w.Field("budget").Number(p.Budget.Decimal())
	w.Field("status").Text(string(p.Status))
}

// Agents lists the agents that p refers to.
func (p Project) Agents() []identity.ID {
	ids := make([]identity.ID, 0, len(p.Team)+1)
	for _, id := range p.Team {
		ids = append(ids, identity.ID(id))
	}
	if p.Lead != nil {
		ids = append(ids, identity.ID(*p.Lead))
	}
	return ids
}

// Query selects a page of projects, sorted by id.
type Query struct {
	Status Status       // "" means any
	Lead   *identity.ID // nil means any
	After  ID           // projects behind this id; "" means from the first
	Limit  int
}
