package sqlitestore

import (
	"context"

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
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := putTrail(tx, step.Trail, true); err != nil {
			return err
		}
		p := step.State
		_, err := tx.Exec(insertProject, projectArgs(p)...)
		if isTaken(err) {
			return project.ErrExists.With("project id %q is taken", p.ID)
		}
		return wrap(err, "write project", string(p.ID))
	})
}

func projectArgs(p project.Project) []any {
	return []any{
		string(p.ID), string(p.Status), p.Lead, string(p.Canonical()), p.Revision, millis(p.CreatedAt), millis(p.UpdatedAt),
	}
}

// Update implements [ports.ProjectStore].
func (s *Projects) Update(ctx context.Context, id project.ID, change func(project.Project) (ports.Change[project.Project], error)) (_ project.Project, err error) {
	defer s.db.observer.Begin(&ctx, "projects.update").End(&err)
	step, err := update(ctx, s.db, func(tx *Tx) (step ports.Change[project.Project], _ ports.Trail, err error) {
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

func putProject(tx *Tx, step ports.Change[project.Project]) (err error) {
	p := step.State
	if step.Deleted {
		_, err = tx.Exec(deleteProject, string(p.ID))
	} else {
		_, err = tx.Exec(updateProject, string(p.Status), p.Lead, string(p.Canonical()),
			p.Revision, millis(p.UpdatedAt), string(p.ID))
	}
	return wrap(err, "write project", string(p.ID))
}

// Project implements [ports.ProjectStore].
func (s *Projects) Project(ctx context.Context, id project.ID) (_ project.Project, err error) {
	defer s.db.observer.Begin(&ctx, "projects.get").End(&err)
	return ask(ctx, s.db, func(v *View) (project.Project, error) { return findProject(v, id) })
}

const (
	projectColumns = "id, doc, revision, created_at, updated_at"
	selectProject  = "SELECT " + projectColumns + " FROM projects WHERE id = ?"
)

func findProject(v *View, id project.ID) (project.Project, error) {
	p, err := scanProject(v.Row(selectProject, string(id)))
	return p, notFound(err, "project", string(id), project.ErrNotFound)
}

// Projects implements [ports.ProjectStore].
func (s *Projects) Projects(ctx context.Context, q project.Query) (_ []project.Project, err error) {
	defer s.db.observer.Begin(&ctx, "projects.list").End(&err)
	query, args := projectsQuery(q)
	return readPage(ctx, s.db, "list projects", query, args, scanProject)
}

// projectsQuery reads along one index; that of the lead has the status at its
// end.
func projectsQuery(q project.Query) (string, []any) {
	var f filter
	index := ""
	if q.Status != "" {
		index = " INDEXED BY projects_status"
		f.and("status = ?", string(q.Status))
	}
	if q.Lead != nil {
		index = " INDEXED BY projects_lead"
		f.and("lead = ?", string(*q.Lead))
	}
	if q.After != "" {
		f.and("id > ?", string(q.After))
	}
	return "SELECT " + projectColumns + " FROM projects" + index + f.where() + " ORDER BY id LIMIT (? + 0)",
		append(f.args, q.Limit)
}

func scanProject(r Row) (project.Project, error) {
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
	p.CreatedAt, p.UpdatedAt = fromMillis(created), fromMillis(updated)
	return p, nil
}
