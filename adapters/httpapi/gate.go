package httpapi

import (
	"github.com/gin-gonic/gin"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/access"
	"orgd/domain/limit"
	"orgd/ports"
)

// admit checks whether a request may be handled, and calls its handler. The order is that
// of the interface: the token is verified, but an error of it is not answered yet; the
// limits are before everything that they protect; and an error says nothing that the
// caller may not know.
func (s *Server) admit(r *request.Request) error {
	refused := s.authenticate(r)
	release, err := s.pass(r, refused)
	if err != nil {
		return err
	}
	defer release()
	switch {
	case r.Route == noRoute || protocol.HasEmptySegment(r.HTTP.URL.EscapedPath()):
		r.Writer.Header().Del("Allow") // of the path that the router has matched
		return request.ErrNoRoute
	case r.Route == noMethod:
		r.Writer.Header().Set("Allow", s.paths.allow(r.HTTP.URL.EscapedPath()))
		return request.ErrNoMethod.With("this endpoint does not answer %s", r.ShortMethod())
	case r.Route.Op.Public():
		return s.handle(r)
	case refused != nil:
		return refused
	}
	if err := access.Check(r.Session.Actor(), r.Route.Op); err != nil {
		return err
	}
	if r.Route.Whole {
		leave, refused := s.documents.Enter(string(r.Route.Op), r.Session.Subject)
		if refused != nil {
			return refused.Err()
		}
		defer leave()
	}
	if err := s.parts.Sessions.See(r.Ctx(), *r.Session); err != nil {
		return err
	}
	defer r.Release()
	if r.IsRead() && !r.Route.Long {
		return r.InTurn(s.handle)
	}
	return s.handleOnce(r)
}

// authenticate sets the session of the request, or returns why there is none. A public
// operation does not read tokens.
func (s *Server) authenticate(r *request.Request) error {
	if r.Route.Op.Public() {
		return nil
	}
	token, present := protocol.Bearer(r.HTTP.Header)
	if !present {
		c, err := s.browsers.cookie(r.HTTP)
		if err != nil {
			return err
		}
		token, r.Cookie = c.Value, c.Name
	}
	found, err := s.parts.Sessions.Authenticate(r.Ctx(), token)
	if err != nil {
		return err
	}
	r.Authenticated(found)
	r.Live = s.parts.Sessions.Watch(r.Session)
	if r.Cookie != "" {
		return s.keepSignedIn(r)
	}
	return nil
}

// keepSignedIn renews the session of a browser while it is used.
func (s *Server) keepSignedIn(r *request.Request) error {
	token, lifetime, err := s.parts.Sessions.KeepSignedIn(*r.Session)
	if err == nil && token != "" {
		protocol.SetSession(r.Writer.Header(), r.Cookie, token, lifetime)
	}
	return err
}

// pass asks the limiter once for all limits of the request. release ends what the request
// holds of them.
func (s *Server) pass(r *request.Request, refused error) (release func(), err error) {
	if r.Route.Uncounted {
		return func() {}, nil
	}
	in := limit.Request{
		Address:   s.clients.Address(r.HTTP),
		BadToken:  isBadToken(refused),
		Operation: string(r.Route.Op),
	}
	if r.Session != nil {
		in.Subject = r.Session.Subject
	}
	return s.ask(r, s.parts.Caps.Ask(in))
}

// countFailure counts a failed authentication of a request without a bearer token, if failed
// is one. It returns failed, or another error if there are too many.
func (s *Server) countFailure(r *request.Request, failed error) error {
	if !isBadToken(failed) {
		return failed
	}
	caps := limit.Caps{AuthFailures: s.parts.Caps.AuthFailures}
	release, err := s.ask(r, caps.Ask(limit.Request{Address: s.clients.Address(r.HTTP), BadToken: true}))
	if err != nil {
		return err
	}
	release()
	return failed
}

// countSignIn counts a sign-in that is about to ask the identity provider. It returns an error
// if there are too many.
func (s *Server) countSignIn(r *request.Request) error {
	release, err := s.ask(r, s.parts.Caps.AskSignIn(s.clients.Address(r.HTTP)))
	if err == nil {
		release()
	}
	return err
}

// ask asks the limiter.
func (s *Server) ask(r *request.Request, wanted limit.Ask) (release func(), err error) {
	grant, err := s.parts.Limiter.Admit(r.Ctx(), wanted)
	if err != nil {
		return nil, ports.ErrUnavailable.Because(err)
	}
	protocol.SetRateLimit(r.Writer.Header(), grant.Usages)
	if grant.Denied != nil {
		s.parts.Metrics.LimiterDecision(grant.Denied.Name, "denied")
		grant.Release()
		return nil, grant.Denied.Err()
	}
	for _, u := range grant.Usages {
		s.parts.Metrics.LimiterDecision(u.Window.Name, "admitted")
	}
	return grant.Release, nil
}

// traced returns serve with a span for each request. Without traces it is serve
// itself, and so it is for probes, which come every few seconds.
func (s *Server) traced(rt *request.Route, serve gin.HandlerFunc) gin.HandlerFunc {
	if s.parts.Traces == nil || rt.Uncounted {
		return serve
	}
	pattern := ""
	if rt.Path != "" {
		pattern = rt.Pattern()
	}
	return func(c *gin.Context) {
		span := s.parts.Traces.Serve(c.Request, pattern)
		c.Request = c.Request.WithContext(span.In(c.Request.Context()))
		defer func() { span.Answered(c.Writer.Status(), c.Writer.Header().Get("X-Request-Id")) }()
		serve(c)
	}
}

// handle calls the handler of the route. It has a span of its own: before it are the
// token and the limits, inside it are the operations of the storage.
func (s *Server) handle(r *request.Request) (err error) {
	span := s.parts.Traces.Begin(r.Client, "", string(r.Route.Op))
	if !span.Kept() {
		return r.Route.Handle(r)
	}
	defer func() { span.End(err) }()
	r.InSpan(span.In)
	return r.Route.Handle(r)
}
