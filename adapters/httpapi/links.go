package httpapi

import (
	"net/http"
	"net/url"

	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/fault"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
	"orgd/domain/loopback"
	"orgd/domain/session"
)

// errNotHere is a request for a sign-in link from where such links do not work.
var errNotHere = fault.New(fault.Forbidden, "sign-in links work on the machine of the service only")

// link serves POST /auth/links.
func (h sessions) link(r *request.Request) error {
	if err := h.fromHere(r); err != nil {
		return err
	}
	code, l, err := h.makeLink(r)
	if err != nil {
		return err
	}
	r.Writer.Header().Set("Cache-Control", "no-store")
	return r.Send(idempotency.Reply{Status: http.StatusCreated, Body: request.Envelope(512, request.Object(func(w *jsondoc.Writer) {
		w.Field("code").Text(string(code))
		w.Field("expires_at").Time(l.ExpiresAt)
		w.Field("url").TextOrNull(h.browsers.link(code))
	}))})
}

// makeLink makes a link for the caller, or for whom the body of the request describes.
func (h sessions) makeLink(r *request.Request) (session.Code, session.Link, error) {
	given, err := r.HasBody()
	if err != nil {
		return "", session.Link{}, err
	}
	if !given {
		return h.svc.Link(r.Ctx(), r.Call(), *r.Session)
	}
	in, err := readBody(r, grantReader(session.DefaultLinkTTL, session.MinLinkTTL, session.MaxLinkTTL))
	if err != nil {
		return "", session.Link{}, err
	}
	return h.svc.LinkFor(r.Ctx(), r.Call(), *r.Session, in)
}

// signIn serves POST /auth/links/redeem. An invalid code counts as a
// failed authentication.
func (h sessions) signIn(r *request.Request) error {
	if err := h.fromHere(r); err != nil {
		return err
	}
	in, err := readBody(r, parseCode)
	if err != nil {
		return err
	}
	token, s, err := h.svc.SignIn(r.Ctx(), r.Call(), session.Code(in.code), in.verifier)
	if err != nil {
		return h.countFailure(r, err)
	}
	return sendToken(r, token, s, http.StatusCreated)
}

// codeBody is a code, and its verifier if it is bound to one.
type codeBody struct{ code, verifier string }

// parseCode reads {"code": "...", "verifier": "..."}.
func parseCode(doc jsondoc.Value) (in codeBody, err error) {
	err = jsondoc.ReadWhole(doc, func(r *jsondoc.Reader) {
		r.Text("code", &in.code, 1, 128)
		r.Text("verifier", &in.verifier, 43, 128)
		r.Require("code")
	})
	return in, err
}

// fromHere returns errNotHere for a request from the page of another site, and, unless the
// address is known at which browsers reach the service, for one that does not come from
// this machine. The name in Host must be of this machine then, too: the owner of any other
// name may resolve it to a loopback address.
func (h sessions) fromHere(r *request.Request) error {
	switch {
	case h.browsers.check(r.HTTP) != nil:
		return errNotHere.With("sign-in links work on the pages of the service only")
	case h.browsers.url != "":
		return nil
	case !h.clients.IsLocal(r.HTTP):
		return errNotHere.With("sign-in links work on the machine of the service only, and this request comes from another one, or through a proxy that is not trusted; see --public-url")
	case !loopback.IsHost((&url.URL{Host: r.HTTP.Host}).Hostname()):
		return errNotHere.With("sign-in links work under a name of this machine only, such as 127.0.0.1 or localhost; see --public-url")
	}
	return nil
}
