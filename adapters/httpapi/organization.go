package httpapi

import (
	"errors"
	"io"
	"net/http"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/adapters/httpapi/yamldoc"
	"orgd/app"
	"orgd/domain/jsondoc"
	"orgd/domain/organization"
	"orgd/domain/receipt"
)

// organizations are the handlers of the organization as one document.
type organizations struct{ svc *app.Documents }

// export serves GET /organization. The document goes out while it is read.
func (h organizations) export(r *request.Request) error {
	r.Writer.Header().Add("Vary", "Accept")
	var form exportForm = exportJSON{}
	if protocol.Prefers(r.HTTP.Header, yamldoc.MediaType, protocol.JSON) {
		form = exportYAML{}
	}
	out := newExporter(r.LongAnswer(form.mediaType()), form)
	err := h.svc.Export(r.Ctx(), app.Export{Company: out.company, Department: out.department, Agent: out.agent})
	if err == nil {
		err = out.end()
	}
	return out.Finish(err)
}

// plan serves POST /organization/plan.
func (h organizations) plan(r *request.Request) (err error) {
	q := r.Query()
	prune := q.Flag("prune")
	if q.Err != nil {
		return q.Err
	}
	doc, body, err := readOrganization(r, prune)
	defer closing(&err, body.close)
	if err != nil {
		return err
	}
	changes := newChangeList()
	defer closing(&err, changes.text.Close)
	hash, err := h.svc.Plan(r.Ctx(), r.Call(), app.PlanDocument{
		Document: doc, Entries: body, Prune: prune, Emit: changes.add, Restart: changes.restart, Reply: changes.reply,
	})
	if err != nil {
		return err
	}
	if reply := changes.reply(hash); reply != nil {
		return r.Send(*reply)
	}
	return changes.stream(r, hash)
}

// closing closes what a function has used and reports that it could not.
func closing(err *error, close func() error) { *err = errors.Join(*err, close()) }

// apply serves POST /organization/apply.
func (h organizations) apply(r *request.Request) (err error) {
	q := r.Query()
	prune := q.Flag("prune")
	hash := planHash(q)
	if q.Err != nil {
		return q.Err
	}
	reason, err := protocol.ChangeReason(r.HTTP.Header)
	if err != nil {
		return err
	}
	doc, body, err := readOrganization(r, prune)
	defer closing(&err, body.close)
	if err != nil {
		return err
	}
	done, err := h.svc.Apply(r.Ctx(), r.Call(), app.ApplyDocument{
		Document: doc, Entries: body, Prune: prune, Hash: hash, Reason: reason, Reply: appliedReply,
	})
	if err != nil {
		return err
	}
	return r.Send(appliedReply(done))
}

// planHash returns the parameter with the hash of a plan, or "".
func planHash(q *request.Query) string {
	text := q.Text("plan_hash", 64)
	if text == "" {
		return ""
	}
	if !organization.IsHash(text) {
		q.Fail("plan_hash: must be 64 hexadecimal digits, as a plan has them")
	}
	return text
}

// appliedReply tells what came of a document.
func appliedReply(a app.Applied) receipt.Reply {
	return receipt.Reply{Status: http.StatusOK, Body: request.Envelope(256, request.Object(func(w *jsondoc.Writer) {
		w.Field("plan_hash").Text(a.Hash)
		w.Field("created").Int(int64(a.Created))
		w.Field("updated").Int(int64(a.Updated))
		w.Field("deleted").Int(int64(a.Deleted))
		w.Field("reordered").Int(int64(a.Reordered))
	}))}
}

// changeList is the list of changes of a plan, which may be too long for memory.
type changeList struct{ text *request.Spool }

func newChangeList() *changeList { return &changeList{request.NewSpool()} }

func (l *changeList) add(c organization.Change) error {
	w := jsondoc.NewWriter(nil)
	w.Open()
	w.Field("path").Text(c.Path)
	w.Field("action").Text(string(c.Action))
	comma := []byte(",")
	if l.text.Size() == 0 {
		comma = nil
	}
	// Old and new may be long, and are not copied.
	for _, part := range [][]byte{comma, w.Bytes(), []byte(`,"old":`), c.Old, []byte(`,"new":`), c.New, []byte("}")} {
		if _, err := l.text.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func (l *changeList) restart() error { return l.text.Reset() }

// around is what stands before and behind the changes in an answer.
func (l *changeList) around(hash string) (before, behind string) {
	return `{"data":{"plan_hash":"` + hash + `","changes":[`, `]},"error":null,"error_detail":null,"success":true}`
}

// reply is the whole answer, or nil if it is too long to be kept.
func (l *changeList) reply(hash string) *receipt.Reply {
	text, ok := l.text.InMemory()
	if !ok {
		return nil
	}
	before, behind := l.around(hash)
	return &receipt.Reply{Status: http.StatusOK, Body: []byte(before + string(text) + behind)}
}

// stream sends an answer that is too long to be kept.
func (l *changeList) stream(r *request.Request, hash string) error {
	out := r.LongAnswer(protocol.JSON)
	before, behind := l.around(hash)
	err := out.Write(append(out.Buffer(), before...))
	part := make([]byte, request.FlushAt)
	for all := l.text.Reader(); err == nil; {
		var n int
		if n, err = all.Read(part); n > 0 {
			err = errors.Join(err, out.Write(append(out.Buffer(), part[:n]...)))
		}
	}
	if !errors.Is(err, io.EOF) {
		return out.Finish(err)
	}
	return out.Finish(out.Write(append(out.Buffer(), behind...)))
}
