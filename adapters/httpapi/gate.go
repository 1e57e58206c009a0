package httpapi

import (
	"errors"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/limit"
	"orgd/domain/session"
	"orgd/ports"
)

// errNoToken is no failed authentication: nothing was tried.
var errNoToken = fault.New(fault.Unauthorized, "a bearer token is required")

// admit lets a request through to its handler. The order is that of the
// interface: the token is verified but not answered for, the limits come before
// everything that they protect, and nobody learns from an error what he may not
// know.
func (s *Server) admit(x *exchange) error {
	refused := s.authenticate(x)
	release, err := s.pass(x, refused)
	if err != nil {
		return err
	}
	defer release()
	switch {
	case x.route == noRoute || protocol.HasEmptySegment(x.Request.URL.EscapedPath()):
		x.Writer.Header().Del("Allow") // of the path that the router took it for
		return errNoRoute
	case x.route == noMethod:
		return errNoMethod.With("this endpoint does not answer %s", x.method())
	case x.route.public:
		return s.handle(x)
	case refused != nil:
		return refused
	}
	if err := access.Check(x.session.Actor(), x.route.op); err != nil {
		return err
	}
	if x.route.long {
		leave, refused := s.documents.Enter(string(x.route.op), x.session.Subject)
		if refused != nil {
			return refused.Err()
		}
		defer leave()
	}
	if err := s.parts.Sessions.See(x.ctx(), *x.session); err != nil {
		return err
	}
	defer x.release()
	if x.isRead() && !x.route.long {
		return x.inTurn(s.handle)
	}
	return s.once(x)
}

// authenticate finds out who asks and returns why nobody is recognised, or nil.
// A public route does not look at tokens.
func (s *Server) authenticate(x *exchange) error {
	if x.route.public && x.route != noRoute && x.route != noMethod {
		return nil
	}
	token, present := protocol.Bearer(x.Request.Header)
	if !present {
		return errNoToken
	}
	found, err := s.parts.Sessions.Authenticate(x.ctx(), token)
	if err != nil {
		return err
	}
	x.session = &found
	return nil
}

// pass asks the limiter once for everything that the request counts in. The
// function that it returns gives the request's slot back.
func (s *Server) pass(x *exchange, refused error) (release func(), err error) {
	if x.route.uncounted {
		return func() {}, nil
	}
	r := limit.Request{
		Address:   s.clients.Address(x.Request),
		BadToken:  isBadToken(refused),
		Operation: string(x.route.op),
	}
	if x.session != nil {
		r.Subject = x.session.Subject
	}
	return s.ask(x, s.parts.Caps, r)
}

// countFailure counts a failed authentication of a request without a bearer token. It
// returns an error if there are too many.
func (s *Server) countFailure(x *exchange) error {
	caps := limit.Caps{AuthFailures: s.parts.Caps.AuthFailures}
	release, err := s.ask(x, caps, limit.Request{Address: s.clients.Address(x.Request), BadToken: true})
	if err != nil {
		return err
	}
	release()
	return nil
}

// ask asks the limiter.
func (s *Server) ask(x *exchange, caps limit.Caps, r limit.Request) (release func(), err error) {
	grant, err := s.parts.Limiter.Admit(x.ctx(), caps.Ask(r))
	if err != nil {
		return nil, ports.ErrUnavailable.Because(err)
	}
	protocol.SetRateLimit(x.Writer.Header(), grant.Usages)
	s.count(grant)
	if grant.Denied != nil {
		grant.Release()
		return nil, grant.Denied.Err()
	}
	return grant.Release, nil
}

// isBadToken reports whether the client failed to authenticate, as opposed to
// the service failing to find out.
func isBadToken(err error) bool {
	return errors.Is(err, session.ErrUnauthorized) || errors.Is(err, session.ErrRevoked)
}

// count reports the limiter's decision to the metrics.
func (s *Server) count(g limit.Grant) {
	if g.Denied != nil {
		s.parts.Metrics.LimiterDecision(g.Denied.Name, "denied")
		return
	}
	for _, u := range g.Usages {
		s.parts.Metrics.LimiterDecision(u.Window.Name, "admitted")
	}
}
