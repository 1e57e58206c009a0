package httpapi

import (
	"errors"
	"time"

	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/limit"
	"orgd/domain/session"
	"orgd/ports"
)

var (
	errNoRoute  = fault.New(fault.RouteNotFound, "no such endpoint")
	errNoMethod = fault.New(fault.RequestValidation, "this endpoint does not answer this method")
	// errNoToken is no failed authentication: nothing was tried.
	errNoToken = fault.New(fault.Unauthorized, "a bearer token is required")
)

// admit lets a request through to its handler. The order is that of the
// interface: the token is verified but not answered for, the limits come before
// everything that they protect, and nobody learns from an error what he may not
// know.
func (x *exchange) admit() error {
	refused := x.authenticate()
	release, err := x.pass(refused)
	if err != nil {
		return err
	}
	defer release()
	switch {
	case x.route == noRoute || hasEmptySegment(x.Request.URL.EscapedPath()):
		x.Writer.Header().Del("Allow") // of the path that the router took it for
		return errNoRoute
	case x.route == noMethod:
		return errNoMethod.With("this endpoint does not answer %s", x.method())
	case x.route.public:
		return x.handle()
	case refused != nil:
		return refused
	}
	if err := access.Check(x.session.Actor(), x.route.op); err != nil {
		return err
	}
	if x.route.long {
		leave, refused := x.server.documents.Enter(string(x.route.op), x.session.Subject)
		if refused != nil {
			return refused.Err()
		}
		defer leave()
	}
	if err := x.server.parts.Sessions.See(x.ctx(), *x.session); err != nil {
		return err
	}
	defer x.giveBack()
	if x.isRead() && !x.route.long {
		return x.inTurn()
	}
	return x.once()
}

// authenticate finds out who asks and returns why nobody is recognised, or nil.
// A public route does not look at tokens.
func (x *exchange) authenticate() error {
	if x.route.public && x.route != noRoute && x.route != noMethod {
		return nil
	}
	token, present := bearer(x.Request.Header)
	if !present {
		return errNoToken
	}
	found, err := x.server.parts.Sessions.Authenticate(x.ctx(), token)
	if err != nil {
		return err
	}
	x.session = &found
	return nil
}

// pass asks the limiter once for everything that the request counts in. The
// function that it returns gives the request's slot back.
func (x *exchange) pass(refused error) (release func(), err error) {
	if x.route.uncounted {
		return func() {}, nil
	}
	r := limit.Request{
		Address:   x.server.clients.address(x.Request),
		BadToken:  isBadToken(refused),
		Operation: string(x.route.op),
	}
	if x.session != nil {
		r.Subject = x.session.Subject
	}
	return x.ask(x.server.parts.Caps, r)
}

// ask asks the limiter.
func (x *exchange) ask(caps limit.Caps, r limit.Request) (release func(), err error) {
	grant, err := x.server.parts.Limiter.Admit(x.ctx(), caps.Ask(r))
	if err != nil {
		return nil, ports.ErrUnavailable.Because(err)
	}
	setRateLimit(x.Writer.Header(), grant.Usages)
	x.server.count(grant)
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

// hasEmptySegment reports a path such as /agents//versions, which gin would
// match with an empty parameter, or one that ends in a slash, as the root may.
func hasEmptySegment(path string) bool {
	if path == "/" {
		return false
	}
	for i := range len(path) {
		if path[i] == '/' && (i+1 == len(path) || path[i+1] == '/') {
			return true
		}
	}
	return false
}

// seconds rounds a wait up to whole seconds, at least one.
func seconds(d time.Duration) int64 {
	return max(1, int64((d+time.Second-1)/time.Second))
}
