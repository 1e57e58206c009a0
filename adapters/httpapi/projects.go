package httpapi

import (
	"net/http"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
	"orgd/domain/project"
)

// projects are the handlers of projects.
type projects struct{ svc *app.Projects }

// list serves GET /projects.
func (h projects) list(r *request.Request) error {
	q := r.Query()
	in := app.ListProjects{Lead: q.Ref("lead")}
	in.Status = request.Word(q, "status", maxFilter, project.ParseStatus)
	p, err := q.Paging(request.DefaultLimit, 1)
	if err != nil {
		return err
	}
	if p.At != nil {
		in.After = project.ID(p.At[0])
	}
	in.Limit = p.Limit + 1
	rows, err := h.svc.List(r.Ctx(), in)
	if err != nil {
		return err
	}
	return request.SendPage(r, p, rows, writeProject, func(p app.Project) protocol.Position { return protocol.Position{string(p.ID)} })
}

// create serves POST /projects.
func (h projects) create(r *request.Request) error {
	p, call, err := readNew(r, project.ParseNew)
	if err != nil {
		return err
	}
	reply := func(p app.Project) idempotency.Reply { return projectReply(p, http.StatusCreated) }
	made, err := h.svc.Start(r.Ctx(), call, app.StartProject{Patch: p, Reply: reply})
	if err != nil {
		return err
	}
	return r.Send(reply(made))
}

// get serves GET /projects/{project_id}.
func (h projects) get(r *request.Request) error {
	p, err := find(r, projectID, h.svc.Project)
	if err != nil {
		return err
	}
	return r.Send(projectReply(p, http.StatusOK))
}

// update serves PATCH /projects/{project_id}.
func (h projects) update(r *request.Request) error {
	id, p, call, err := readChange(r, projectID, project.ParsePatch)
	if err != nil {
		return err
	}
	next, err := h.svc.Change(r.Ctx(), call, id, p)
	if err != nil {
		return err
	}
	return r.Send(projectReply(next, http.StatusOK))
}

// remove serves DELETE /projects/{project_id}.
func (h projects) remove(r *request.Request) error {
	return removeTarget(r, projectID, h.svc.Delete)
}

// projectID reads the project in the path.
func projectID(r *request.Request) (project.ID, error) {
	text, err := r.BoundedParam("project_id")
	if err != nil {
		return "", err
	}
	return project.ParseID(text)
}

// projectReply is the reply with one project.
func projectReply(p app.Project, status int) idempotency.Reply {
	r := idempotency.Reply{
		Status: status,
		Body:   request.Envelope(512, func(w *jsondoc.Writer) { writeProject(w, p) }),
		ETag:   protocol.ETag(p.Tag(), projectDigest(p)),
	}
	if status == http.StatusCreated {
		r.Location = request.Prefix + "/projects/" + string(p.ID)
	}
	return r
}

func writeProject(w *jsondoc.Writer, p app.Project) {
	w.Open()
	p.Write(w, p.Names.Exists)
	w.Close()
}
