package httpapi

import (
	"net/http"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/app"
	"orgd/domain/jsondoc"
	"orgd/domain/project"
	"orgd/domain/receipt"
)

// projects are the handlers of projects.
type projects struct{ svc *app.Projects }

// list serves GET /projects.
func (h projects) list(x *exchange) error {
	q := x.query()
	in := app.ListProjects{Lead: q.ref("lead")}
	in.Status = word(q, "status", project.ParseStatus)
	p, err := q.paging(x, defaultLimit, 1)
	if err != nil {
		return err
	}
	if p.at != nil {
		in.After = project.ID(p.at[0])
	}
	in.Limit = p.limit + 1
	rows, err := h.svc.List(x.ctx(), in)
	if err != nil {
		return err
	}
	return page(x, p, rows, writeProject, func(p app.Project) protocol.Position { return protocol.Position{string(p.ID)} })
}

// create serves POST /projects.
func (h projects) create(x *exchange) error {
	doc, err := x.document(false)
	if err != nil {
		return err
	}
	p, err := project.ParseNew(doc)
	if err != nil {
		return err
	}
	reply := func(p app.Project) receipt.Reply { return projectReply(p, http.StatusCreated) }
	made, err := h.svc.Start(x.ctx(), x.call(), app.StartProject{Patch: p, Reply: reply})
	if err != nil {
		return err
	}
	return x.send(reply(made))
}

// get serves GET /projects/{project_id}.
func (h projects) get(x *exchange) error {
	id, err := projectID(x)
	if err != nil {
		return err
	}
	p, err := h.svc.Project(x.ctx(), id)
	if err != nil {
		return err
	}
	return x.show(projectReply(p, http.StatusOK))
}

// update serves PATCH /projects/{project_id}.
func (h projects) update(x *exchange) error {
	id, err := projectID(x)
	if err != nil {
		return err
	}
	doc, err := x.document(true)
	if err != nil {
		return err
	}
	p, err := project.ParsePatch(doc)
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	next, err := h.svc.Change(x.ctx(), call, id, p)
	if err != nil {
		return err
	}
	return x.send(projectReply(next, http.StatusOK))
}

// remove serves DELETE /projects/{project_id}.
func (h projects) remove(x *exchange) error {
	id, err := projectID(x)
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	if err := h.svc.Delete(x.ctx(), call, id); err != nil {
		return err
	}
	return x.noContent()
}

// projectID reads the project in the path.
func projectID(x *exchange) (project.ID, error) {
	text := x.param("project_id")
	if err := checkPathText("project_id", text); err != nil {
		return "", err
	}
	return project.ParseID(text)
}

// projectReply shows one project.
func projectReply(p app.Project, status int) receipt.Reply {
	r := receipt.Reply{
		Status: status,
		Body:   envelope(512, func(w *jsondoc.Writer) { writeProject(w, p) }),
		ETag:   protocol.ETag(p.Tag(), projectDigest(p)),
	}
	if status == http.StatusCreated {
		r.Location = prefix + "/projects/" + string(p.ID)
	}
	return r
}

func writeProject(w *jsondoc.Writer, p app.Project) {
	w.Open()
	p.Write(w, p.Names.Exists)
	w.Close()
}
