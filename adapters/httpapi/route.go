package httpapi

import (
	"net/url"
	"strings"

	"orgd/domain/access"
)

// prefix is where the API is mounted.
const prefix = "/api/v1"

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
	handle  handler

	// name is the route as logs, metrics and the audit trail show it, such as
	// "GET /api/v1/agents/{agent_name}".
	name string
}

// pattern is the full path in the words of the interface.
func (r *route) pattern() string {
	if r.atRoot {
		return r.path
	}
	return prefix + r.path
}

// label is the route as metrics show it, where the method stands beside it.
func (r *route) label() string {
	if r.path == "" {
		return r.name
	}
	return r.pattern()
}

// ginPath is the pattern for gin, which wants one name for all parameters at
// one position of the tree.
func (r *route) ginPath() string {
	parts := strings.Split(r.pattern(), "/")
	for i, p := range parts {
		if strings.HasPrefix(p, "{") {
			parts[i] = ":" + ginParam(strings.Trim(p, "{}"))
		}
	}
	return strings.Join(parts, "/")
}

// ginParam maps the parameter names of the interface to those of the tree.
func ginParam(name string) string {
	switch name {
	case "agent_name", "agent_id":
		return "agent"
	default:
		return name
	}
}

// The routes of the router itself, for requests that match nothing.
var (
	noRoute  = &route{public: true, name: "unmatched"}
	noMethod = &route{public: true, name: "unmatched"}
)

// param returns a parameter of the path in the name that the tree knows. The
// router matches the path as it was escaped, so that %2F is not a separator;
// its own decoding would take "+" for a space, as only queries do.
func (x *exchange) param(name string) string {
	text := x.Param(name)
	if x.Request.URL.RawPath == "" {
		return text // the router saw the decoded path
	}
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}
