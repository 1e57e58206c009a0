package httpapi

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"orgd/domain/agent"
	"orgd/domain/fault"
	"orgd/domain/limit"
)

// setCommon sets the headers that every answer carries.
func (x *exchange) setCommon() {
	h := x.Writer.Header()
	h["X-Request-Id"] = []string{x.id}
	h["X-Content-Type-Options"] = noSniff
	h["Cache-Control"] = privateNoCache
	if x.server.draining.Load() {
		h["Connection"] = closeConnection // the client's next request goes elsewhere
	}
}

// The slices are shared by all answers and never written to.
var (
	noSniff         = []string{"nosniff"}
	privateNoCache  = []string{"private, no-cache"}
	closeConnection = []string{"close"}
)

// setRateLimit says how much of the limits is left (IETF draft
// ratelimit-headers, version 11).
func setRateLimit(h http.Header, usages []limit.Usage) {
	if len(usages) == 0 {
		return
	}
	policy := make([]byte, 0, 96)
	usage := make([]byte, 0, 96)
	for i, u := range usages {
		if i > 0 {
			policy, usage = append(policy, ", "...), append(usage, ", "...)
		}
		policy = appendItem(policy, u.Window.Name, "q", int64(u.Window.Cap), "w", seconds(u.Window.Length))
		usage = appendItem(usage, u.Window.Name, "r", int64(u.Remaining), "t", seconds(min(u.Reset, u.Window.Length)))
	}
	h["Ratelimit-Policy"] = []string{string(policy)}
	h["Ratelimit"] = []string{string(usage)}
}

func appendItem(b []byte, name, p string, v int64, q string, w int64) []byte {
	b = append(b, '"')
	b = append(b, name...)
	b = append(b, `";`...)
	b = append(b, p...)
	b = append(b, '=')
	b = strconv.AppendInt(b, v, 10)
	b = append(b, ';')
	b = append(b, q...)
	b = append(b, '=')
	return strconv.AppendInt(b, w, 10)
}

var errReason = fault.New(fault.RequestValidation,
	"Change-Reason: must be percent-encoded UTF-8 of at most 1024 characters")

// changeReason reads why a caller changes an agent; nil without a reason.
func changeReason(h http.Header) (*string, error) {
	values, ok := h["Change-Reason"]
	if !ok {
		return nil, nil
	}
	if len(values) != 1 {
		return nil, errReason
	}
	text, err := url.PathUnescape(values[0])
	if err != nil || text == "" || strings.ContainsFunc(values[0], unicode.IsControl) || !utf8.ValidString(text) || utf8.RuneCountInString(text) > agent.MaxReason {
		return nil, errReason
	}
	return &text, nil
}

// allowCORS answers for the origins that may call the API from a page. It
// reports whether the request was a preflight, which ends here.
func (s *Server) allowCORS(w http.ResponseWriter, r *http.Request) (done bool) {
	if len(s.origins) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !s.origins[origin] {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Idempotent-Replayed")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Change-Reason, X-Request-Id, Accept, Last-Event-ID")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
