package httpapi

import "github.com/gin-gonic/gin"

// traced returns serve with a span for each request. Without traces it is serve
// itself, and so it is for probes, which come every few seconds.
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

// handle calls the handler of the route. It has a span of its own: before it are the
// token and the limits, inside it are the operations of the storage.
func (s *Server) handle(x *exchange) (err error) {
	span := s.parts.Traces.Begin(x.client, "", string(x.route.op))
	if !span.Kept() {
		return x.route.handle(x)
	}
	defer func() { span.End(err) }()
	x.client, x.Request = span.In(x.client), x.Request.WithContext(span.In(x.ctx()))
	return x.route.handle(x)
}
