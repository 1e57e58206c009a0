// Package request is one HTTP request from its headers to its answer: path, query, body,
// response and errors. It knows what all requests of a server share as an [Env], and
// nothing else of the server.
package request

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"go.uber.org/zap"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/idempotency"
	"orgd/domain/session"
	"orgd/ports"
)

// Env is what all requests of a server share.
type Env struct {
	Log         *zap.Logger
	IDs         ports.IDs
	Cursors     protocol.Cursors
	Incarnation func() string // of tags and plans
	Timeout     time.Duration // of the work on a request
	LongTimeout time.Duration // the same on long routes, and of sending a long answer
	MaxDocument int64         // bounds a spooled body, in bytes
	ErrorDocs   string        // the URL that the type of every problem begins with
	Turns       *Turns
	Bodies      *Bodies
	Draining    atomic.Bool // the server shuts down
}

// Request is one request and its answer.
type Request struct {
	HTTP    *http.Request
	Writer  gin.ResponseWriter
	Env     *Env
	Route   *Route
	ID      string          // X-Request-Id, in errors the instance
	Client  context.Context // ends when the client leaves
	Started time.Time
	Trace   []zap.Field // name the span in the log; none without traces

	Session *session.Session  // nil: the client is not authenticated
	Cookie  string            // names the cookie that the token was in; "": there was none
	Live    func() error      // why the session has ended since; nil without a session
	Lock    *idempotency.Lock // on the idempotency key; nil: there is none
	Code    fault.Code        // of the error that was answered; 0: none
	Later   func()            // runs when the client has its answer; nil: nothing

	params  gin.Params
	problem bool            // errors are sent as problem documents
	ctx     context.Context // of the work, ends with the request's deadline
	cancel  func()          // ends the work
	session session.Session // what Session points to
	body    string          // once read, until the answer
	arrived bool            // the body has
	memory  *hold           // of the body; nil: none
	spooled *Spool          // the same on spooled routes
	held    held
}

// held is what a request holds of [Turns].
type held struct {
	first func() // ends the turn of a subject whose reads are not known; nil: none
	turn  bool   // a turn of a large read
	leave func() // ends a long answer; nil: none
}

// Route is one row of the interface: its name, who may use it and how it is answered.
type Route struct {
	Method string
	// Path is the pattern below [Prefix] in the words of the interface, such
	// as "/agents/{agent_name}".
	Path string
	Op   access.Operation
	// Uncounted routes have no limit.
	Uncounted bool
	// AtRoot routes are not below the prefix.
	AtRoot bool
	// Whole routes read or change the whole organization, a few at once.
	Whole bool
	// Long routes have [Env.LongTimeout] for their work.
	Long bool
	// Spooled routes have bodies that may be too large for memory. They are
	// bounded by [Env.MaxDocument].
	Spooled bool
	// MaxBody bounds the request body in bytes; 0: the route takes none, and if there is
	// one nobody reads it.
	MaxBody int64
	// Back makes a route one to which browsers navigate: for them its errors are pages, with
	// this link out of them.
	Back string
	// Mistakes routes list in their errors what is wrong with a body.
	Mistakes bool
	// Handle answers, or returns the error that is to be answered.
	Handle func(*Request) error

	// Name is the route in logs, metrics and the audit trail, such as
	// "GET /api/v1/agents/{agent_name}".
	Name string
}

// New begins a request: it sets the headers of every answer and starts the timeout. The
// caller closes the request.
func New(e *Env, c *gin.Context, rt *Route) *Request {
	r := &Request{HTTP: c.Request, Writer: c.Writer, params: c.Params, Env: e, Route: rt, Client: c.Request.Context(), Started: time.Now()}
	if r.ID = protocol.RequestID(c.Request.Header); r.ID == "" {
		r.ID = e.IDs.NewID()
	}
	r.problem = protocol.Prefers(c.Request.Header, protocol.Problem, protocol.JSON)
	h := r.Writer.Header()
	h["X-Request-Id"] = []string{r.ID}
	h["X-Content-Type-Options"] = noSniff
	h["Cache-Control"] = privateNoCache
	if r.Env.Draining.Load() {
		h["Connection"] = closeConnection // the client's next request goes elsewhere
	}
	r.startTimeout()
	return r
}

// The slices are shared by all answers and never written to.
var (
	noSniff         = []string{"nosniff"}
	privateNoCache  = []string{"private, no-cache"}
	closeConnection = []string{"close"}
)

// startTimeout starts the request timeout.
func (r *Request) startTimeout() { r.ctx, r.cancel = context.WithTimeout(r.Client, r.timeout()) }

func (r *Request) timeout() time.Duration {
	if r.Route.Long {
		return r.Env.LongTimeout
	}
	return r.Env.Timeout
}

// restartTimeout is called when the body has been read: a slow upload does not count.
func (r *Request) restartTimeout() {
	if time.Since(r.Started) > r.timeout()/100 {
		r.cancel()
		r.startTimeout()
	}
}

// InSpan adds a span to the contexts of the request: in returns a context with the span.
func (r *Request) InSpan(in func(context.Context) context.Context) {
	r.Client, r.ctx = in(r.Client), in(r.ctx)
}

// Close ends the work on the request and removes its body.
func (r *Request) Close() {
	r.cancel()
	r.dropBody()
	if r.spooled == nil {
		return
	}
	if err := r.spooled.Close(); err != nil {
		r.Env.Log.Warn("temporary file not removed", zap.String("instance", r.ID), zap.Error(err))
	}
}

// Ctx returns the context of the work, which ends with the request's deadline.
func (r *Request) Ctx() context.Context { return r.ctx }

// Authenticated sets the session of the request.
func (r *Request) Authenticated(s session.Session) {
	r.session = s
	r.Session = &r.session
}

// Call returns the call of a use case without conditions.
func (r *Request) Call() app.Call {
	c := app.Call{Route: r.Route.Name, RequestID: r.ID, Lock: r.Lock, Live: r.Live}
	if r.Session != nil {
		c.Actor = r.Session.Actor()
	}
	return c
}

// ReasonedCall returns the call of a change with the request's Change-Reason.
func (r *Request) ReasonedCall() (c app.Call, err error) {
	c = r.Call()
	c.Reason, err = protocol.ChangeReason(r.HTTP.Header)
	return c, err
}

// live returns why the caller's session has ended since the request was admitted.
func (r *Request) live() error {
	if r.Live == nil {
		return nil
	}
	return r.Live()
}

// ConditionalCall returns the [Request.ReasonedCall] under the request's If-Match.
func (r *Request) ConditionalCall() (app.Call, error) {
	c, err := r.ReasonedCall()
	if err == nil {
		c.If, err = protocol.ParseIfMatch(r.HTTP.Header, r.Env.Incarnation())
	}
	return c, err
}

// maxMethod bounds methods in logs and errors, in bytes. Clients may make them up.
const maxMethod = 16

// ShortMethod returns the method for logs and errors.
func (r *Request) ShortMethod() string {
	m := r.HTTP.Method
	return m[:min(len(m), maxMethod)]
}

// Prefix is where the API is mounted.
const Prefix = "/api/v1"

// Pattern returns the full path in the words of the interface.
func (rt *Route) Pattern() string {
	if rt.AtRoot {
		return rt.Path
	}
	return Prefix + rt.Path
}

// Label returns the route for metrics, where the method is another label.
func (rt *Route) Label() string {
	if _, pattern, ok := strings.Cut(rt.Name, " "); ok {
		return pattern
	}
	return rt.Name
}

// RouterPath returns the pattern for gin, which wants one name for all parameters at
// one position of the tree.
func (rt *Route) RouterPath() string {
	return strings.NewReplacer("{agent_name}", ":agent", "{agent_id}", ":agent", "{", ":", "}", "").Replace(rt.Pattern())
}
