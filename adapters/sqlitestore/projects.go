package sqlitestore

import (
	"context"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/project"
	"orgd/ports"
)

// Projects keeps projects.
type Projects struct{ db *DB }

const insertProject = `
INSERT INTO projects (id, status, lead, doc, revision, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?)`

// Create implements [ports.ProjectStore].
func (s *Projects) Create(ctx context.Context, step ports.Change[project.Project]) (err error) {
	defer s.db.observer.Begin(&ctx, "projects.create").End(&err)
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		if err := putTrail(tx, step.Trail, true); err != nil {
			return err
		}
		p := step.State
		_, err := tx.Exec(insertProject, projectArgs(p)...)
		if sqlite.IsTaken(err) {
			return project.ErrExists.With("project id %q is taken", p.ID)
		}
		return sqlite.Wrap(err, "write project", string(p.ID))
	})
}

func projectArgs(p project.Project) []any {
	return []any{
		string(p.ID), string(p.Status), p.Lead, string(p.Canonical()), p.Revision, sqlite.Millis(p.CreatedAt), sqlite.Millis(p.UpdatedAt),
	}
}

// Update implements [ports.ProjectStore].
func (s *Projects) Update(ctx context.Context, id project.ID, change func(project.Project) (ports.Change[project.Project], error)) (_ project.Project, err error) {
	defer s.db.observer.Begin(&ctx, "projects.update").End(&err)
	step, err := update(ctx, s.db, func(tx *engine.Tx) (step ports.Change[project.Project], _ ports.Trail, err error) {
		p, err := findProject(&tx.View, id)
		if err == nil {
			step, err = change(p)
		}
		return step, step.Trail, err
	}, putProject)
	return step.State, err
}

const (
	updateProject = "UPDATE projects SET status = ?, lead = ?, doc = ?, revision = ?, updated_at = ? WHERE id = ?"
	deleteProject = "DELETE FROM projects WHERE id = ?"
)

func putProject(tx *engine.Tx, step ports.Change[project.Project]) (err error) {
	p := step.State
	if step.Deleted {
		_, err = tx.Exec(deleteProject, string(p.ID))
	} else {
		_, err = tx.Exec(updateProject, string(p.Status), p.Lead, string(p.Canonical()),
			p.Revision, sqlite.Millis(p.UpdatedAt), string(p.ID))
	}
	return sqlite.Wrap(err, "write project", string(p.ID))
}

// Project implements [ports.ProjectStore].
func (s *Projects) Project(ctx context.Context, id project.ID) (_ project.Project, err error) {
	defer s.db.observer.Begin(&ctx, "projects.get").End(&err)
	return sqlite.Ask(ctx, s.db, func(v *sqlite.View) (project.Project, error) { return findProject(v, id) })
}

const (
	projectColumns = "id, doc, revision, created_at, updated_at"
	selectProject  = "SELECT " + projectColumns + " FROM projects WHERE id = ?"
)

func findProject(v *sqlite.View, id project.ID) (project.Project, error) {
	p, err := scanProject(v.Row(selectProject, string(id)))
	return p, sqlite.NotFound(err, "project", string(id), project.ErrNotFound)
}

// Projects implements [ports.ProjectStore].
func (s *Projects) Projects(ctx context.Context, q project.Query) (_ []project.Project, err error) {
	defer s.db.observer.Begin(&ctx, "projects.list").End(&err)
	query, args := projectsQuery(q)
	return sqlite.ReadPage(ctx, s.db, "list projects", query, args, scanProject)
}

// projectsQuery reads along one index; that of the lead has the status at its
// end.
func projectsQuery(q project.Query) (string, []any) {
	var f sqlite.Filter
	index := ""
	if q.Status != "" {
		index = " INDEXED BY projects_status"
		f.And("status = ?", string(q.Status))
	}
	if q.Lead != nil {
		index = " INDEXED BY projects_lead"
		f.And("lead = ?", string(*q.Lead))
	}
	if q.After != "" {
		f.And("id > ?", string(q.After))
	}
	return "SELECT " + projectColumns + " FROM projects" + index + f.Where() + " ORDER BY id LIMIT (? + 0)",
		append(f.Args, q.Limit)
}

func scanProject(r sqlite.Row) (project.Project, error) {
	var id project.ID
	var doc []byte
	var revision, created, updated int64
	if err := r.Scan(&id, &doc, &revision, &created, &updated); err != nil {
		return project.Project{}, err
	}
	p, err := project.Parse(doc)
	if err != nil {
		return project.Project{}, err
	}
	p.ID, p.Revision = id, revision
	p.CreatedAt, p.UpdatedAt = sqlite.FromMillis(created), sqlite.FromMillis(updated)
	return p, nil
}
