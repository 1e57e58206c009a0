package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"orgd/adapters/httpapi/internal/request"
)

// allMethods are the methods that some route has.
var allMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// methodsOf returns the methods that a route answers: HEAD as GET.
func methodsOf(rt request.Route) []string {
	if rt.Method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{rt.Method}
}

// paths are the paths of all routes.
type paths []path

// path is what the routes with one path have in common.
type path struct {
	router   string   // the pattern, for the router
	segments []string // of router
	methods  []string
}

func (all *paths) add(rt request.Route) {
	router := rt.RouterPath()
	i := slices.IndexFunc(*all, func(p path) bool { return p.router == router })
	if i < 0 {
		i = len(*all)
		*all = append(*all, path{router: router, segments: strings.Split(router, "/")})
	}
	(*all)[i].methods = append((*all)[i].methods, methodsOf(rt)...)
}

// allow returns the methods of the path of a request, for the header Allow. A literal
// segment goes before a parameter, as it does for the router.
func (all paths) allow(escapedPath string) string {
	segments := strings.Split(escapedPath, "/")
	var best path
	for _, p := range all {
		if p.matches(segments) && (best.router == "" || p.literal() > best.literal()) {
			best = p
		}
	}
	return strings.Join(best.methods, ", ")
}

func (p path) matches(segments []string) bool {
	return slices.EqualFunc(p.segments, segments, func(pattern, segment string) bool {
		return pattern == segment || isParameter(pattern)
	})
}

// literal returns how many segments are no parameters.
func (p path) literal() (n int) {
	for _, s := range p.segments {
		if !isParameter(s) {
			n++
		}
	}
	return n
}

func isParameter(segment string) bool { return strings.HasPrefix(segment, ":") }
