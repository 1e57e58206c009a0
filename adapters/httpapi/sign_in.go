package httpapi

import (
	"errors"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/jsondoc"
	"orgd/domain/session"
)

// signedIn serves GET /console/session: who is signed in, null if nobody is, and with which
// provider people can. Unlike GET /api/v1/auth/me it refuses nobody, so that opening the
// console is no error.
func (h sessions) signedIn(r *request.Request) error {
	current, err := h.current(r)
	if err != nil {
		return err
	}
	return r.SendObject(func(w *jsondoc.Writer) {
		w.Field("provider").TextOrNull(jsondoc.NonZero(h.signIns.Provider()))
		w.Field("session")
		if current == nil {
			w.Null()
			return
		}
		w.Open()
		writeSession(w, *current)
		w.Close()
		w.Field("sign_out_url").TextOrNull(jsondoc.NonZero(h.signIns.SignOutURL(*current)))
	})
}

// current returns the session of a browser, nil if nobody is signed in. It deletes the cookie
// of a session that has ended.
func (h sessions) current(r *request.Request) (*session.Session, error) {
	c, err := h.browsers.cookie(r.HTTP)
	if errors.Is(err, errNoToken) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := h.svc.Authenticate(r.Ctx(), c.Value)
	if isBadToken(err) {
		protocol.SetSession(r.Writer.Header(), c.Name, "", 0)
		return nil, nil
	}
	return &s, err
}

// signInBrowser serves POST /console/session: it signs a browser in by the code of a link, or
// by a token. The session goes into a cookie that no script can read.
func (h sessions) signInBrowser(r *request.Request) error {
	if r.HTTP.Header.Get(consoleHeader) == "" {
		return errOtherPage
	}
	if err := h.browsers.check(r.HTTP); err != nil {
		return err
	}
	in, err := readBody(r, parseSignIn)
	if err != nil {
		return err
	}
	token, made, err := h.open(r, in)
	if err != nil {
		return h.countFailure(r, err)
	}
	if err := protocol.SetNewSession(r.Writer.Header(), r.HTTP, token, made.ExpiresAt.Sub(made.IssuedAt), h.browsers.secure()); err != nil {
		return err
	}
	return r.SendObject(func(w *jsondoc.Writer) { writeSession(w, made) })
}

// open starts the session.
func (h sessions) open(r *request.Request, in signInBody) (token string, made session.Session, err error) {
	if in.token != "" {
		return h.svc.SignInWith(r.Ctx(), r.Call(), in.token)
	}
	if err := h.fromHere(r); err != nil {
		return "", session.Session{}, err
	}
	code, verifier := session.Code(in.code), ""
	if attempt, err := session.ParseAttempt(protocol.Attempt(r.HTTP, h.browsers.secure())); err == nil && code.Bound() {
		verifier = attempt.Redeemer()
	}
	token, made, err = h.svc.SignIn(r.Ctx(), r.Call(), code, verifier)
	if err == nil && verifier != "" {
		protocol.SetAttempt(r.Writer.Header(), r.HTTP, "", h.browsers.secure())
	}
	return token, made, err
}

// signInBody is how somebody signs in: by one of both.
type signInBody struct{ code, token string }

// parseSignIn reads {"code": "..."} or {"token": "..."}.
func parseSignIn(doc jsondoc.Value) (in signInBody, err error) {
	err = jsondoc.ReadWhole(doc, func(r *jsondoc.Reader) {
		r.Text("code", &in.code, 1, 128)
		r.Text("token", &in.token, 1, 8<<10)
		if (in.code == "") == (in.token == "") {
			r.Fail("token", "must be given, or code instead")
		}
	})
	return in, err
}
