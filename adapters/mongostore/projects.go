package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/project"
	"orgd/ports"
)

// Projects keeps projects.
type Projects struct{ db *DB }

type projectDoc struct {
	ID       string `bson:"_id"`
	Doc      string `bson:"doc"`
	Status   string `bson:"status"`
	Lead     string `bson:"lead"`
	Revision int64  `bson:"revision"`
	Created  int64  `bson:"created"`
	Updated  int64  `bson:"updated"`
}

func projectOf(p project.Project) projectDoc {
	d := projectDoc{
		ID: string(p.ID), Doc: string(p.Canonical()), Status: string(p.Status), Revision: p.Revision,
		Created: mongodb.Millis(p.CreatedAt), Updated: mongodb.Millis(p.UpdatedAt),
	}
	if p.Lead != nil {
		d.Lead = *p.Lead
	}
	return d
}

func (d projectDoc) project() (project.Project, error) {
	p, err := project.Parse([]byte(d.Doc))
	if err != nil {
		return project.Project{}, fmt.Errorf("mongostore: read project %s: %w", d.ID, err)
	}
	p.ID, p.Revision = project.ID(d.ID), d.Revision
	p.CreatedAt, p.UpdatedAt = mongodb.FromMillis(d.Created), mongodb.FromMillis(d.Updated)
	return p, nil
}

// Create implements [ports.ProjectStore].
func (s *Projects) Create(ctx context.Context, step ports.Change[project.Project]) (err error) {
	defer s.db.observer.Begin(&ctx, "projects.create").End(&err)
	return s.db.write(ctx, func(t *tx) error {
		t.addTrail(step.Trail, true)
		t.insert(projectsColl, projectOf(step.State), &claim{need: needByID(projectsColl, string(step.State.ID)), taken: always(project.ErrExists)})
		return nil
	})
}

// Update implements [ports.ProjectStore].
func (s *Projects) Update(ctx context.Context, id project.ID, change func(project.Project) (ports.Change[project.Project], error)) (_ project.Project, err error) {
	defer s.db.observer.Begin(&ctx, "projects.update").End(&err)
	step, err := write(ctx, s.db.engine, func(t *tx) (step ports.Change[project.Project], err error) {
		before, err := findProject(t, id)
		if err != nil {
			return step, err
		}
		if step, err = change(before); err != nil {
			return step, err
		}
		switch {
		case step.Deleted:
			t.remove(projectsColl, string(id))
		case step.Effective():
			t.replace(projectsColl, string(id), projectOf(step.State), nil)
		}
		t.addTrail(step.Trail, step.Effective())
		return step, nil
	})
	return step.State, err
}

// Project implements [ports.ProjectStore].
func (s *Projects) Project(ctx context.Context, id project.ID) (_ project.Project, err error) {
	defer s.db.observer.Begin(&ctx, "projects.get").End(&err)
	return findProject(s.db.ask(ctx), id)
}

func findProject(r reader, id project.ID) (project.Project, error) {
	p, err := get(r, projectsColl, mongodb.ByID(string(id)), projectDoc.project)
	return p, mongodb.NotFound(err, "project", string(id), project.ErrNotFound)
}

// Projects implements [ports.ProjectStore].
func (s *Projects) Projects(ctx context.Context, q project.Query) (_ []project.Project, err error) {
	defer s.db.observer.Begin(&ctx, "projects.list").End(&err)
	filter := append(bson.D{mongodb.Compare("_id", "$gt", string(q.After))}, mongodb.Given(mongodb.Is("status", string(q.Status)))...)
	if q.Lead != nil {
		filter = append(filter, mongodb.Is("lead", string(*q.Lead)))
	}
	return list(s.db.ask(ctx), projectsColl, filter, projectDoc.project, first(q.Limit, "_id"))
}
