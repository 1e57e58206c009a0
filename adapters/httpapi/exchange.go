package httpapi

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"go.uber.org/zap"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/session"
	"orgd/ports"
)

// env is what all requests of a server share.
type env struct {
	log                  *zap.Logger
	ids                  ports.IDs
	cursors              protocol.Cursors
	timeout, longTimeout time.Duration // of the work, see [Config]
	maxDocument          int64         // bytes of a spooled body
	errorDocs            string        // the URL that the type of every problem begins with
	turns                *turns
	draining             atomic.Bool
}

// exchange is one request and its answer. Handlers get it instead of gin's
// context, because it knows who asks.
type exchange struct {
	*gin.Context
	env     *env
	route   *route
	client  context.Context // ends when the client leaves
	cancel  func()          // ends the work
	id      string          // correlation id: X-Request-Id and instance
	started time.Time
	trace   []zap.Field // name its span in the log; none without traces

	session *session.Session // nil: nobody is authenticated
	claim   *ports.Claim     // nil: no idempotency key
	shares  shares           // of what many wait for
	body    *string          // once read
	spooled *spool           // the same on spooled routes
	problem bool             // errors go out as problem documents
	code    fault.Code       // of the error that was answered; 0: none
	later   func()           // what is done when the client has its answer; nil: nothing
}

// shares are what an exchange has of what others wait for.
type shares struct {
	first func() // gives back the turn of somebody of whom nothing is known, if it has one
	turn  bool   // that of somebody who reads much
	leave func() // its place among the long answers, if it has one
}

// route is one row of the interface: what it is called, who may use it and how
// it is answered.
type route struct {
	method string
	// path is the pattern below the prefix in the words of the interface, such
	// as "/agents/{agent_name}".
	path string
	op   access.Operation
	// public routes need no token; uncounted ones meet no limit either.
	public, uncounted bool
	// atRoot routes are not below the prefix.
	atRoot bool
	// long routes deal with the whole organization and have the time for it.
	long bool
	// spooled routes have bodies that may be too large for memory. They are
	// bounded by the configuration.
	spooled bool
	// maxBody bounds the request body in bytes; 0 means [defaultMaxBody].
	maxBody int64
	handle  func(*exchange) error // answers, or returns the error that becomes the answer

	// name is the route as logs, metrics and the audit trail show it, such as
	// "GET /api/v1/agents/{agent_name}".
	name string
}

// newExchange begins a request: it sets the headers that every answer has, and
// starts the timeout.
func newExchange(e *env, c *gin.Context, rt *route) *exchange {
	x := &exchange{Context: c, env: e, route: rt, client: c.Request.Context(), started: time.Now()}
	if x.id = protocol.RequestID(c.Request.Header); x.id == "" {
		x.id = e.ids.NewID()
	}
	x.problem = protocol.Prefers(c.Request.Header, protocol.Problem, protocol.JSON)
	x.setCommon()
	x.startTimeout()
	return x
}

// close ends the work on the request and removes its body.
func (x *exchange) close() {
	x.cancel()
	x.closeSpool()
}

// call is the frame of a use case without conditions.
func (x *exchange) call() app.Call {
	c := app.Call{Route: x.route.name, RequestID: x.id, Claim: x.claim}
	if x.session != nil {
		c.Actor = x.session.Actor()
	}
	return c
}

// conditionalCall is the frame of a change under the request's If-Match.
func (x *exchange) conditionalCall() (app.Call, error) {
	c := x.call()
	var err error
	c.If, err = protocol.ParseIfMatch(x.Request.Header)
	return c, err
}

// ctx is the request's context, which ends with the request's deadline.
func (x *exchange) ctx() context.Context { return x.Request.Context() }

// startTimeout starts the request timeout. It is called again when the body has
// been read, so that a slow upload does not count.
func (x *exchange) startTimeout() {
	if x.cancel != nil {
		x.cancel()
	}
	timeout := x.env.timeout
	if x.route.long {
		timeout = x.env.longTimeout
	}
	ctx, cancel := context.WithTimeout(x.client, timeout)
	x.Request, x.cancel = x.Request.WithContext(ctx), cancel
}

// maxMethod bounds what is shown of a method. Clients may make them up.
const maxMethod = 16

// method is the request's method as the log and errors show it.
func (x *exchange) method() string {
	m := x.Request.Method
	return m[:min(len(m), maxMethod)]
}

// setCommon sets the headers that every answer carries.
func (x *exchange) setCommon() {
	h := x.Writer.Header()
	h["X-Request-Id"] = []string{x.id}
	h["X-Content-Type-Options"] = noSniff
	h["Cache-Control"] = privateNoCache
	if x.env.draining.Load() {
		h["Connection"] = closeConnection // the client's next request goes elsewhere
	}
}

// The slices are shared by all answers and never written to.
var (
	noSniff         = []string{"nosniff"}
	privateNoCache  = []string{"private, no-cache"}
	closeConnection = []string{"close"}
)
