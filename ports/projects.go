package ports

import (
	"context"

	"orgd/domain/project"
)

// ProjectStore keeps projects. Every implementation passes
// portstest.ProjectStore. Steps are atomic, as those of an AgentStore are, and
// treat idempotency records alike.
type ProjectStore interface {
	// Create stores a new project. It returns project.ErrExists if the id is
	// taken.
	Create(ctx context.Context, s Change[project.Project]) error

	// Update loads a project and stores the step that change makes of it; a
	// step that is Deleted removes it. It returns project.ErrNotFound if there
	// is no such project. change may run more than once and touches only its
	// argument; its error is returned as it is and nothing is stored.
	Update(ctx context.Context, id project.ID, change func(project.Project) (Change[project.Project], error)) (project.Project, error)

	// Project returns one project, or project.ErrNotFound.
	Project(ctx context.Context, id project.ID) (project.Project, error)

	// Projects returns the projects that q selects, in ascending order of id. It
	// ends with the first that is behind its page, see page.Fits and page.ErrLarge.
	Projects(ctx context.Context, q project.Query) ([]project.Project, error)
}
