package protocol

import (
	"net/http"
	"strconv"
	"strings"
)

// Media types of answers.
const (
	JSON    = "application/json"
	Problem = "application/problem+json" // RFC 9457
)

// mediaRange is one element of an Accept header.
type mediaRange struct {
	typ   string // lower case, such as "application/json" or "*/*"
	q     float64
	order int
}

// accepts returns the media ranges of the Accept headers. Malformed ones are left out.
func accepts(h http.Header) []mediaRange {
	var ranges []mediaRange
	for _, element := range strings.Split(strings.Join(h.Values("Accept"), ","), ",") {
		parts := strings.Split(element, ";")
		typ := strings.ToLower(strings.TrimSpace(parts[0]))
		if major, minor, ok := strings.Cut(typ, "/"); !ok || major == "" || minor == "" {
			continue
		}
		q, ok := quality(parts[1:])
		if ok {
			ranges = append(ranges, mediaRange{typ, q, len(ranges)})
		}
	}
	return ranges
}

// quality reads the q parameter; without one it is 1.
func quality(params []string) (q float64, ok bool) {
	for _, p := range params {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0, false
		}
		return q, true
	}
	return 1, true
}

// specificity ranks how closely a range names a type; 0 does not cover it.
func (m mediaRange) specificity(typ string) int {
	major, _, _ := strings.Cut(typ, "/")
	switch m.typ {
	case typ:
		return 3
	case major + "/*":
		return 2
	case "*/*":
		return 1
	}
	return 0
}

// best returns the range that decides about a type: the most specific one.
func best(ranges []mediaRange, typ string) (m mediaRange, specificity int) {
	for _, r := range ranges {
		if s := r.specificity(typ); s > specificity {
			m, specificity = r, s
		}
	}
	return m, specificity
}

// Prefers reports whether the Accept headers want the media type special rather than
// usual: by q-value, then specificity, then order. If they accept only special, it has
// to be named in full: a wildcard does not ask for it. If they name neither, it is false.
func Prefers(h http.Header, special, usual string) bool {
	accept := h["Accept"]
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == usual) {
		return false // as most clients have it
	}
	ranges := accepts(h)
	a, forSpecial := best(ranges, special)
	b, forUsual := best(ranges, usual)
	switch {
	case forSpecial == 0 || a.q == 0:
		return false
	case forUsual == 0 || b.q == 0:
		return forSpecial == 3
	case a.q != b.q:
		return a.q > b.q
	case forSpecial != forUsual:
		return forSpecial > forUsual
	case forSpecial == 3:
		return a.order < b.order
	default:
		return false // one wildcard covers both
	}
}

// AcceptsGzip reports whether the Accept-Encoding headers allow gzip. Without one they
// do not.
func AcceptsGzip(h http.Header) bool {
	accepted := false
	for _, element := range strings.Split(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		parts := strings.Split(element, ";")
		q, ok := quality(parts[1:])
		switch coding := strings.ToLower(strings.TrimSpace(parts[0])); {
		case !ok:
		case coding == "gzip" || coding == "x-gzip":
			return q > 0 // a name counts more than "*"
		case coding == "*":
			accepted = q > 0
		}
	}
	return accepted
}
