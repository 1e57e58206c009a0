package httpapi

import (
	"net/http"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/session"
)

// sessions are the handlers of tokens and sessions.
type sessions struct {
	svc          *app.Sessions
	signIns      *app.SignIns
	clients      protocol.Clients
	browsers     browsers
	countFailure func(*request.Request, error) error // see [Server.countFailure]
}

// issue serves POST /auth/tokens.
func (h sessions) issue(r *request.Request) error {
	in, err := readBody(r, grantReader(session.DefaultTTL, session.MinTTL, session.MaxTTL))
	if err != nil {
		return err
	}
	token, s, err := h.svc.Issue(r.Ctx(), r.Call(), in)
	if err != nil {
		return err
	}
	return sendToken(r, token, s, http.StatusCreated)
}

// grantReader returns what reads a body that says what a new session is to be. What is made
// for it is good for a time within bounds.
func grantReader(ttl, least, most time.Duration) func(jsondoc.Value) (app.IssueToken, error) {
	return func(doc jsondoc.Value) (app.IssueToken, error) {
		in := app.IssueToken{}
		seconds := int64(ttl / time.Second)
		var names []string
		err := jsondoc.ReadWhole(doc, func(r *jsondoc.Reader) {
			r.Text("subject", &in.Subject, 1, 256)
			jsondoc.Enum(r, "role", &in.Role, access.Roles()...)
			r.Texts("departments", &names, jsondoc.Bounds{MaxItems: session.MaxDepartments, MinLen: 1, MaxLen: 256})
			r.Text("label", &in.Label, 1, 128)
			r.Int("ttl_seconds", &seconds, int64(least/time.Second), int64(most/time.Second))
			r.Require("subject", "role")
			for _, text := range names {
				n, err := name.Parse(text)
				if err != nil {
					r.Fail("departments", "%s", err)
				}
				in.Departments = append(in.Departments, n)
			}
		})
		in.TTL = time.Duration(seconds) * time.Second
		return in, err
	}
}

// renew serves POST /auth/renew.
func (h sessions) renew(r *request.Request) error {
	token, s, err := h.svc.Renew(r.Ctx(), r.Call(), *r.Session)
	if err != nil {
		return err
	}
	return sendToken(r, token, s, http.StatusOK)
}

// sendToken answers with a token. The service does not keep the token, so it cannot
// send it a second time.
func sendToken(r *request.Request, token string, s session.Session, status int) error {
	r.Writer.Header().Set("Cache-Control", "no-store")
	reply := idempotency.Reply{Status: status, Body: request.Envelope(1024, request.Object(func(w *jsondoc.Writer) {
		w.Field("token").Text(token)
		w.Field("sid").Text(s.ID)
		w.Field("expires_at").Time(s.ExpiresAt)
	}))}
	if status == http.StatusCreated {
		reply.Location = request.Prefix + "/auth/sessions/" + s.ID
	}
	return r.Send(reply)
}

// me serves GET /auth/me.
func (h sessions) me(r *request.Request) error {
	return r.SendObject(func(w *jsondoc.Writer) { writeSession(w, *r.Session) })
}

// writeSession writes the members of a session that its own token says.
func writeSession(w *jsondoc.Writer, s session.Session) {
	w.Field("sid").Text(s.ID)
	w.Field("issuer").Text(s.Issuer)
	w.Field("subject").Text(s.Subject)
	w.Field("role").Text(string(s.Role))
	w.Field("departments").OpenList()
	for _, d := range s.Departments {
		w.Text(d.Text)
	}
	w.CloseList()
	w.Field("agent_id").TextOrNull(jsondoc.NonZero(s.Agent))
	w.Field("issued_at").Time(s.IssuedAt)
	w.Field("expires_at").Time(s.ExpiresAt)
	w.Field("label").TextOrNull(jsondoc.NonZero(s.Label))
	w.Field("kind").Text(string(s.Kind))
}

// list serves GET /auth/sessions.
func (h sessions) list(r *request.Request) error {
	p, err := r.Query().Paging(request.DefaultLimit, 2)
	if err != nil {
		return err
	}
	var after *session.Position
	if p.At != nil {
		at, err := protocol.ParseTime(p.At[0])
		if err != nil {
			return err
		}
		after = &session.Position{IssuedAt: at, ID: p.At[1]}
	}
	rows, err := h.svc.List(r.Ctx(), r.Call(), after, p.Limit+1)
	if err != nil {
		return err
	}
	return request.SendSmallPage(r, p, rows, writeRecord, func(r session.Record) protocol.Position {
		return protocol.Position{protocol.FormatTime(r.IssuedAt), r.ID}
	})
}

func writeRecord(w *jsondoc.Writer, r session.Record) {
	w.Open()
	writeSession(w, r.Session)
	w.Field("last_used_at").TimeOrNull(jsondoc.NonZero(r.LastUsedAt))
	w.Field("revoked_at")
	if r.Revocation == nil {
		w.Null()
	} else {
		w.Time(r.Revocation.At)
	}
	w.Close()
}

// revoke serves DELETE /auth/sessions/{sid}.
func (h sessions) revoke(r *request.Request) error {
	sid, err := session.ParseID(r.Param("sid"))
	if err != nil {
		return err
	}
	if err := h.svc.Revoke(r.Ctx(), r.Call(), sid); err != nil {
		return err
	}
	return r.NoContent()
}

// logout serves POST /auth/logout.
func (h sessions) logout(r *request.Request) error {
	if err := h.svc.Logout(r.Ctx(), r.Call(), *r.Session); err != nil {
		return err
	}
	if r.Cookie != "" {
		protocol.SetSession(r.Writer.Header(), r.Cookie, "", 0)
	}
	return r.NoContent()
}
