package httpapi

import (
	"github.com/gin-gonic/gin"

	"orgd/adapters/httpapi/internal/request"
)

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
