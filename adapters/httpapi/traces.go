package httpapi

import "github.com/gin-gonic/gin"

// traced returns serve with a span for each request. Without traces it is serve
// itself, and so it is for probes, which come every few seconds and tell nothing.
func (s *Server) traced(rt *route, serve gin.HandlerFunc) gin.HandlerFunc {
	if s.parts.Traces == nil || rt.uncounted {
		return serve
	}
	pattern := ""
	if rt.path != "" {
		pattern = rt.pattern()
	}
	return func(c *gin.Context) {
		span := s.parts.Traces.Serve(c.Request, pattern)
		c.Request = c.Request.WithContext(span.In(c.Request.Context()))
		defer func() { span.Answered(c.Writer.Status(), c.Writer.Header().Get("X-Request-Id")) }()
		serve(c)
	}
}

// handle asks the one use case that the route is for. It has a span of its own:
// what comes before are the token and the limits, what comes in it are the
// operations of the storage.
func (x *exchange) handle() (err error) {
	span := x.server.parts.Traces.Begin(x.client, "", string(x.route.op))
	if !span.Kept() {
		return x.route.handle(x)
	}
	defer func() { span.End(err) }()
	x.client, x.Request = span.In(x.client), x.Request.WithContext(span.In(x.ctx()))
	return x.route.handle(x)
}
