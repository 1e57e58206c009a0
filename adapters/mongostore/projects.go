package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/project"
	"orgd/ports"
)

var _ ports.ProjectStore = (*Projects)(nil)

// Projects keeps projects.
type Projects struct{ db *DB }

// NewProjects returns the projects in db.
func NewProjects(db *DB) *Projects { return &Projects{db} }

// projectDoc is a project or, without doc, the place where one was.
type projectDoc struct {
	Head     head   `bson:",inline"`
	Doc      string `bson:"doc"`
	Status   string `bson:"status"`
	Lead     string `bson:"lead"`
	Revision int64  `bson:"revision"`
	Created  int64  `bson:"created"`
	Updated  int64  `bson:"updated"`
}

func projectFields(p project.Project) bson.D {
	lead := ""
	if p.Lead != nil {
		lead = *p.Lead
	}
	return bson.D{
		is("doc", string(p.Canonical())), is("status", string(p.Status)), is("lead", lead),
		is("revision", p.Revision), is("created", millis(p.CreatedAt)), is("updated", millis(p.UpdatedAt)),
	}
}

func (d projectDoc) project() (project.Project, error) {
	p, err := project.Parse([]byte(d.Doc))
	if err != nil {
		return project.Project{}, fmt.Errorf("mongostore: read project %s: %w", d.Head.ID, err)
	}
	p.ID, p.Revision = project.ID(d.Head.ID), d.Revision
	p.CreatedAt, p.UpdatedAt = fromMillis(d.Created), fromMillis(d.Updated)
	return p, nil
}

// Create implements [ports.ProjectStore].
func (s *Projects) Create(ctx context.Context, step ports.ProjectStep) error {
	h := home{projectsColl, string(step.Project.ID)}
	return retry(ctx, func() (bool, error) {
		var d projectDoc
		var found *head
		err := s.db.find(ctx, s.db.coll(projectsColl), byKey(h.ID), nil, &d)
		switch {
		case errors.Is(err, mongo.ErrNoDocuments):
		case err != nil:
			return false, err
		case d.Doc != "":
			return false, project.ErrExists
		default:
			found = &d.Head
		}
		a := s.db.attempt(h, found, step.Note)
		a.set = projectFields(step.Project)
		return s.db.try(ctx, a)
	})
}

// Update implements [ports.ProjectStore].
func (s *Projects) Update(ctx context.Context, id project.ID, change func(project.Project) (ports.ProjectStep, error)) (project.Project, error) {
	var result project.Project
	err := retry(ctx, func() (bool, error) {
		d, err := s.find(ctx, id)
		if err != nil {
			return false, err
		}
		if d.Head.isFull() {
			return false, s.db.settle(ctx, home{projectsColl, d.Head.ID}, d.Head.Pending)
		}
		before, err := d.project()
		if err != nil {
			return false, err
		}
		step, err := change(before)
		if err != nil {
			return false, err
		}
		result = step.Project
		if !step.Deleted && step.Project.Revision == step.From {
			return true, s.db.leaveReceipt(ctx, step.Receipt)
		}
		return s.db.try(ctx, s.changing(d, step))
	})
	if err != nil {
		return project.Project{}, err
	}
	return result, nil
}

func (s *Projects) changing(d projectDoc, step ports.ProjectStep) *attempt {
	a := s.db.attempt(home{projectsColl, d.Head.ID}, &d.Head, step.Note)
	if step.Deleted {
		a.unset = []string{"doc", "status", "lead", "revision", "created", "updated"}
	} else {
		a.set = projectFields(step.Project)
	}
	return a
}

// Project implements [ports.ProjectStore].
func (s *Projects) Project(ctx context.Context, id project.ID) (project.Project, error) {
	d, err := s.find(ctx, id)
	if err != nil {
		return project.Project{}, err
	}
	return d.project()
}

func (s *Projects) find(ctx context.Context, id project.ID) (d projectDoc, err error) {
	err = s.db.find(ctx, s.db.coll(projectsColl), bson.D{is("_id", string(id)), exists("doc", true)}, nil, &d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return d, project.ErrNotFound.With("project %q not found", id)
	}
	return d, err
}

// Projects implements [ports.ProjectStore].
func (s *Projects) Projects(ctx context.Context, q project.Query) ([]project.Project, error) {
	filter := bson.D{is("_id", bson.D{is("$gt", string(q.After))}), exists("doc", true)}
	if q.Status != "" {
		filter = append(filter, is("status", string(q.Status)))
	}
	if q.Lead != nil {
		filter = append(filter, is("lead", string(*q.Lead)))
	}
	var docs []projectDoc
	opts := options.Find().SetSort(bson.D{is("_id", 1)}).SetLimit(int64(q.Limit)).SetProjection(unowed())
	if err := s.db.all(ctx, s.db.coll(projectsColl), filter, &docs, opts); err != nil {
		return nil, err
	}
	projects := make([]project.Project, len(docs))
	for i, d := range docs {
		p, err := d.project()
		if err != nil {
			return nil, err
		}
		projects[i] = p
	}
	return projects, nil
}
