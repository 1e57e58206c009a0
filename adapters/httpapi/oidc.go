package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/session"
	"orgd/ports"
)

// oidcStart is where a sign-in with the identity provider begins, below [request.Prefix].
const oidcStart = "/auth/oidc/start"

// toConsole is the console, from the pages below [request.Prefix]/auth/oidc.
const toConsole = "../../../../console"

// signIns are the handlers of signing in with the identity provider. Browsers navigate to
// them.
type signIns struct {
	svc          *app.SignIns
	browsers     browsers
	countSignIn  func(*request.Request) error        // see [Server.countSignIn]
	countFailure func(*request.Request, error) error // see [Server.countFailure]
}

// start serves GET /auth/oidc/start: it leads a browser to the identity provider. With port,
// state and challenge it is a program on the machine of the browser that is signed in.
func (h signIns) start(r *request.Request) error {
	q := r.HTTP.URL.Query()
	if elsewhere := h.elsewhere(r.HTTP, q); elsewhere != "" {
		return redirect(r, elsewhere)
	}
	var to *session.Loopback
	if q.Has("port") {
		program, err := session.ParseLoopback(q.Get("port"), q.Get("state"), q.Get("challenge"))
		if err != nil {
			return err
		}
		to = &program
	}
	attempt, where, err := h.svc.Begin(to)
	if err != nil {
		return err
	}
	protocol.SetAttempt(r.Writer.Header(), r.HTTP, attempt.String(), h.browsers.secure())
	return redirect(r, where)
}

// elsewhere is where a sign-in begins for a browser that uses another name of the service
// than the public one: the cookies of both differ. It is "" for one that does not.
func (h signIns) elsewhere(r *http.Request, q url.Values) string {
	const here = "here" // a proxy may have changed Host: nobody is sent twice
	if h.browsers.url == "" || h.svc.Provider() == "" || strings.EqualFold(r.Host, h.browsers.public) || q.Has(here) {
		return ""
	}
	q.Set(here, "")
	return strings.TrimRight(h.browsers.url, "/") + request.Prefix + oidcStart + "?" + q.Encode()
}

// callback serves GET /auth/oidc/callback, where the identity provider leads the browser
// back to. The browser goes on with a code that only it can use.
func (h signIns) callback(r *request.Request) error {
	if h.svc.Provider() == "" {
		return session.ErrNoProvider
	}
	q := r.HTTP.URL.Query()
	attempt, err := session.ParseAttempt(protocol.Attempt(r.HTTP, h.browsers.secure()))
	if err != nil {
		return h.countFailure(r, err)
	}
	if err := h.countSignIn(r); err != nil {
		return err
	}
	code, made, err := h.svc.Finish(r.Ctx(), r.Call(), attempt, ports.SignInAnswer{
		Code: q.Get("code"), State: q.Get("state"), Issuer: q.Get("iss"), Err: q.Get("error"),
	})
	if err != nil {
		return h.countFailure(r, err)
	}
	if attempt.To != nil {
		protocol.SetAttempt(r.Writer.Header(), r.HTTP, "", h.browsers.secure())
		askForProgram(r, *attempt.To, code, made)
		return nil
	}
	return redirect(r, toConsole+"#code="+string(code))
}

// askForProgram asks whether a program may sign in: any page can begin that.
func askForProgram(r *request.Request, to session.Loopback, code session.Code, made session.Link) {
	where := fmt.Sprintf("http://127.0.0.1:%d/?%s", to.Port, url.Values{"code": {string(code)}, "state": {to.State}}.Encode())
	r.SendPage(http.StatusOK, request.Page{
		Title: "Sign in on the command line?", Action: "Sign in", Link: where,
		Text:  fmt.Sprintf("“orgd login” on this computer is about to be signed in as %s, role %s.", session.NameOf(made.As.Subject, made.As.Label), made.As.Role),
		Small: "Have you not called it just now? Then close this page.",
	})
}

// redirect leads a browser on.
func redirect(r *request.Request, where string) error {
	h := r.Writer.Header()
	h.Set("Location", where)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	r.WriteStatus(http.StatusSeeOther)
	return nil
}
