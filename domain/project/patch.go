package project

import (
	"slices"
	"time"

	"orgd/domain/jsondoc"
	"orgd/domain/mergepatch"
	"orgd/domain/revision"
)

// Patch is a checked JSON Merge Patch of a project's writable fields. It is
// also what a project is made from.
type Patch = mergepatch.Patch[Project]

var noun = &mergepatch.Noun[Project]{
	Blank:  func(mergepatch.Form) Project { return Project{Status: Planning} },
	Read:   (*Project).readForm,
	Finish: resolve,
	Agents: Project.Agents,
}

// ParseNew reads what a new project is to be. Status and tasks come later.
func ParseNew(v jsondoc.Value) (Patch, error) { return noun.Parse("", v, mergepatch.New) }

// ParsePatch reads a change of a project.
func ParsePatch(v jsondoc.Value) (Patch, error) { return noun.Parse("", v, mergepatch.Change) }

func (p *Project) readForm(r *jsondoc.Reader, form mergepatch.Form) {
	r.ReadOnly("id", "revision", "created_at", "updated_at")
	if form != mergepatch.New {
		p.readChange(r)
		return
	}
	r.Refuse("can be changed once the project is there", "status", "task_ids")
	p.read(r)
	r.Require("name")
}

func (p *Project) readChange(r *jsondoc.Reader) {
	p.read(r)
	r.Texts("task_ids", &p.TaskIDs, taskBounds)
	jsondoc.Enum(r, "status", &p.Status, statuses...)
}

// resolve replaces the references that came with the patch by ids. Those that
// were there before are ids, maybe of agents that are gone.
func resolve(p, _ *Project, patch Patch) (err error) {
	if patch.Has("lead") {
		if p.Lead, err = patch.Refs.IDOrNull("lead", p.Lead); err != nil {
			return err
		}
	}
	if patch.Has("team") {
		p.Team, err = patch.Refs.IDs("team", p.Team)
	}
	return err
}

// New returns the project that the patch describes.
func New(id ID, p Patch, at time.Time) (Project, error) {
	return p.Make(func(p *Project) { p.ID, p.Revision, p.CreatedAt, p.UpdatedAt = id, 1, at, at })
}

// Change merges the patch into the project. Without effect the project comes
// back as it was, revision included; a move of status that is not allowed is
// [ErrMove].
func (p Project) Change(patch Patch, at time.Time) (Project, error) {
	next, err := patch.Apply(&p)
	if err != nil {
		return Project{}, err
	}
	if next.Status != p.Status && !slices.Contains(moves[p.Status], next.Status) {
		return Project{}, ErrMove.At("status", "a project cannot go from %s to %s", p.Status, next.Status)
	}
	if string(next.Canonical()) == string(p.Canonical()) {
		return p, nil
	}
	next.Revision++
	next.UpdatedAt = revision.Time(at, p.UpdatedAt)
	return *next, nil
}
