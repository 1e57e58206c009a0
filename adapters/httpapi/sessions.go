package httpapi

import (
	"net/http"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/receipt"
	"orgd/domain/session"
)

// sessions are the handlers of tokens and sessions.
type sessions struct {
	svc          *app.Sessions
	clients      protocol.Clients
	countFailure func(*exchange) error // see [Server.countFailure]
}

// issue serves POST /auth/tokens.
func (h sessions) issue(x *exchange) error {
	doc, err := x.document(false)
	if err != nil {
		return err
	}
	in, err := parseIssue(doc)
	if err != nil {
		return err
	}
	token, s, err := h.svc.Issue(x.ctx(), x.call(), in)
	if err != nil {
		return err
	}
	return hand(x, token, s, http.StatusCreated)
}

func parseIssue(doc jsondoc.Value) (app.IssueToken, error) {
	in := app.IssueToken{}
	ttl := int64(session.DefaultTTL / time.Second)
	var names []string
	err := jsondoc.ReadWhole(doc, func(r *jsondoc.Reader) {
		r.Text("subject", &in.Subject, 1, 256)
		jsondoc.Enum(r, "role", &in.Role, access.Roles()...)
		r.Texts("departments", &names, jsondoc.Bounds{MaxItems: session.MaxDepartments, MinLen: 1, MaxLen: 256})
		r.Int("ttl_seconds", &ttl, int64(session.MinTTL/time.Second), int64(session.MaxTTL/time.Second))
		r.Require("subject", "role")
		for _, text := range names {
			n, err := name.Parse(text)
			if err != nil {
				r.Fail("departments", "%s", err)
			}
			in.Departments = append(in.Departments, n)
		}
	})
	in.TTL = time.Duration(ttl) * time.Second
	return in, err
}

// renew serves POST /auth/renew.
func (h sessions) renew(x *exchange) error {
	token, s, err := h.svc.Renew(x.ctx(), x.call(), *x.session)
	if err != nil {
		return err
	}
	return hand(x, token, s, http.StatusOK)
}

// hand gives a token to its bearer. It is shown once.
func hand(x *exchange, token string, s session.Session, status int) error {
	x.Writer.Header().Set("Cache-Control", "no-store")
	r := receipt.Reply{Status: status, Body: envelope(1024, object(func(w *jsondoc.Writer) {
		w.Field("token").Text(token)
		w.Field("sid").Text(s.ID)
		w.Field("expires_at").Time(s.ExpiresAt)
	}))}
	if status == http.StatusCreated {
		r.Location = prefix + "/auth/sessions/" + s.ID
	}
	return x.send(r)
}

// me serves GET /auth/me.
func (h sessions) me(x *exchange) error {
	return x.send(receipt.Reply{Status: http.StatusOK, Body: envelope(512, object(func(w *jsondoc.Writer) {
		writeSession(w, *x.session)
	}))})
}

// writeSession writes the members of a session.
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
	if w.Field("agent_id"); s.Agent == "" {
		w.Null()
	} else {
		w.Text(s.Agent)
	}
	w.Field("issued_at").Time(s.IssuedAt)
	w.Field("expires_at").Time(s.ExpiresAt)
}

// list serves GET /auth/sessions.
func (h sessions) list(x *exchange) error {
	p, err := x.query().paging(x, defaultLimit, 2)
	if err != nil {
		return err
	}
	var after *session.Position
	if p.at != nil {
		at, err := protocol.ParseTime(p.at[0])
		if err != nil {
			return err
		}
		after = &session.Position{IssuedAt: at, ID: p.at[1]}
	}
	rows, err := h.svc.List(x.ctx(), x.call(), after, p.limit+1)
	if err != nil {
		return err
	}
	return smallPage(x, p, rows, writeRecord, func(r session.Record) protocol.Position {
		return protocol.Position{protocol.FormatTime(r.IssuedAt), r.ID}
	})
}

func writeRecord(w *jsondoc.Writer, r session.Record) {
	w.Open()
	writeSession(w, r.Session)
	w.Field("revoked_at")
	if r.Revocation == nil {
		w.Null()
	} else {
		w.Time(r.Revocation.At)
	}
	w.Close()
}

// revoke serves DELETE /auth/sessions/{sid}.
func (h sessions) revoke(x *exchange) error {
	sid, err := session.ParseID(x.param("sid"))
	if err != nil {
		return err
	}
	if err := h.svc.Revoke(x.ctx(), x.call(), sid); err != nil {
		return err
	}
	return x.noContent()
}

// logout serves POST /auth/logout.
func (h sessions) logout(x *exchange) error {
	if err := h.svc.Logout(x.ctx(), x.call(), *x.session); err != nil {
		return err
	}
	return x.noContent()
}
