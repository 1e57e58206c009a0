package httpapi

import "strings"

// prefix is where the API is mounted.
const prefix = "/api/v1"

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
