package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"go.uber.org/zap"

	"orgd/app"
	"orgd/domain/fault"
	"orgd/domain/session"
	"orgd/ports"
)

// exchange is one request and its answer. Handlers get it instead of gin's
// context, because it knows who asks.
type exchange struct {
	*gin.Context
	server  *Server
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

// handler answers an exchange, or returns the error that becomes the answer.
type handler func(*exchange) error

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
	c.If, err = parseIfMatch(x.Request.Header)
	return c, err
}

// ctx is the request's context, which ends with the request's deadline.
func (x *exchange) ctx() context.Context { return x.Request.Context() }

// maxMethod bounds what is shown of a method. Clients may make them up.
const maxMethod = 16

// method is the request's method as the log and errors show it.
func (x *exchange) method() string {
	m := x.Request.Method
	return m[:min(len(m), maxMethod)]
}

// maxRequestID bounds the correlation ids that are taken from clients.
const maxRequestID = 64

// requestID adopts the client's correlation id if it is well formed.
func (s *Server) requestID(h http.Header) string {
	ids := h["X-Request-Id"]
	if len(ids) == 1 && len(ids[0]) >= 1 && len(ids[0]) <= maxRequestID && isVisible(ids[0]) {
		return ids[0]
	}
	return s.parts.IDs.NewID()
}

// isVisible reports whether s is visible ASCII only.
func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// bearer returns the token of the Authorization header; false means that there
// is none, and "" one that is malformed.
func bearer(h http.Header) (token string, present bool) {
	values := h["Authorization"]
	if len(values) == 0 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	if !ok || len(values) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return "", true
	}
	return strings.TrimSpace(token), true
}
