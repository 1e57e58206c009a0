package project

import (
	"slices"
	"time"

	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/revision"
)

// Patch is a checked JSON Merge Patch of a project's writable fields. It is
// also what a project is made from.
type Patch struct {
	value jsondoc.Value
	isNew bool
	refs  identity.References
	texts []string
}

// ParseNew reads what a new project is to be. Status and tasks come later.
func ParseNew(v jsondoc.Value) (Patch, error) { return parse(Patch{value: v, isNew: true}) }

// ParsePatch reads a change of a project.
func ParsePatch(v jsondoc.Value) (Patch, error) { return parse(Patch{value: v}) }

func (p *Project) readChange(r *jsondoc.Reader) {
	p.read(r)
	r.Texts("task_ids", &p.TaskIDs, taskBounds)
	jsondoc.Enum(r, "status", &p.Status, statuses...)
}

func parse(patch Patch) (Patch, error) {
	var scratch Project
	if err := patch.apply(&scratch); err != nil {
		return Patch{}, err
	}
	patch.texts = slices.Clone(scratch.Team)
	if scratch.Lead != nil {
		patch.texts = append(patch.texts, *scratch.Lead)
	}
	return patch, nil
}

// readOnly are the fields that clients read and cannot write.
var readOnly = []string{"id", "revision", "created_at", "updated_at"}

// apply reads the patch into p: a new project as it stands there, a change as a
// merge.
func (patch Patch) apply(p *Project) error {
	if patch.isNew {
		return jsondoc.ReadWhole(patch.value, func(r *jsondoc.Reader) {
			r.ReadOnly(readOnly...)
			r.Refuse("can be changed once the project is there", "status", "task_ids")
			p.read(r)
			r.Require("name")
		})
	}
	return jsondoc.Read(patch.value, func(r *jsondoc.Reader) {
		r.ReadOnly(readOnly...)
		p.readChange(r)
	})
}

// References lists the agents that the patch names, as the caller wrote them.
func (patch Patch) References() []string { return patch.texts }

// Resolve returns the patch with the ids of the agents that it names.
func (patch Patch) Resolve(refs identity.References) Patch {
	patch.refs = refs
	return patch
}

// New returns the project that the patch describes.
func New(id ID, p Patch, at time.Time) (Project, error) {
	return Project{ID: id, Status: Planning, Revision: 1, CreatedAt: at, UpdatedAt: at}.merge(p)
}

// Change merges the patch into the project. Without effect the project comes
// back as it was, revision included; a move of status that is not allowed is
// [ErrMove].
func (p Project) Change(patch Patch, at time.Time) (Project, error) {
	next, err := p.merge(patch)
	if err != nil {
		return Project{}, err
	}
	if next.Status != p.Status && !slices.Contains(moves[p.Status], next.Status) {
		return Project{}, ErrMove.With("status: a project cannot go from %s to %s", p.Status, next.Status)
	}
	if string(next.Canonical()) == string(p.Canonical()) {
		return p, nil
	}
	next.Revision++
	next.UpdatedAt = revision.Time(at, p.UpdatedAt)
	return next, nil
}

func (p Project) merge(patch Patch) (Project, error) {
	if err := patch.apply(&p); err != nil {
		return Project{}, err
	}
	if err := p.resolve(patch); err != nil {
		return Project{}, err
	}
	return p, nil
}

// resolve replaces the references that came with the patch by ids. Those that
// were there before are ids, maybe of agents that are gone.
func (p *Project) resolve(patch Patch) (err error) {
	if patch.has("lead") {
		if p.Lead, err = patch.refs.IDOrNull("lead", p.Lead); err != nil {
			return err
		}
	}
	if patch.has("team") {
		p.Team, err = patch.refs.IDs("team", p.Team)
	}
	return err
}

func (patch Patch) has(field string) bool {
	_, ok := patch.value.Get(field)
	return ok
}
