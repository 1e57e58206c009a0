// Package protocol reads and writes the parts of HTTP that need no request as a whole:
// header fields, entity tags, cursors, client addresses, escapes in paths, and the
// certificate of the server.
package protocol

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"orgd/domain/agent"
	"orgd/domain/fault"
	"orgd/domain/limit"
)

// maxRequestID bounds the request ids that are taken from clients, in characters.
const maxRequestID = 64

// RequestID returns the X-Request-Id of the client, or "" if there is none that is well
// formed.
func RequestID(h http.Header) string {
	ids := h["X-Request-Id"]
	if len(ids) != 1 || len(ids[0]) > maxRequestID || strings.ContainsFunc(ids[0], isInvisible) {
		return ""
	}
	return ids[0]
}

// isInvisible reports whether r is not visible ASCII.
func isInvisible(r rune) bool { return r <= ' ' || r > '~' }

// Bearer returns the token of the Authorization header; false means that there
// is none, and "" one that is malformed.
func Bearer(h http.Header) (token string, present bool) {
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

var errReason = fault.New(fault.RequestValidation, "Change-Reason: must be percent-encoded UTF-8")

// ChangeReason returns the decoded Change-Reason of a change to an agent, or nil if
// there is none.
func ChangeReason(h http.Header) (*string, error) {
	values, ok := h["Change-Reason"]
	if !ok {
		return nil, nil
	}
	if len(values) != 1 {
		return nil, errReason.With("Change-Reason: must be given once")
	}
	if values[0] == "" {
		return nil, errReason.With("Change-Reason: must not be empty; leave it out for no reason")
	}
	for _, r := range values[0] {
		if unicode.IsControl(r) {
			return nil, errReason.With("%s, without %U", errReason.Msg, r)
		}
	}
	text, err := url.PathUnescape(values[0])
	if err != nil || !utf8.ValidString(text) {
		return nil, errReason
	}
	if n := utf8.RuneCountInString(text); n > agent.MaxReason {
		return nil, errReason.With("Change-Reason: must be at most %d characters, it has %d", agent.MaxReason, n)
	}
	return &text, nil
}

// SetRateLimit sets the headers that say how much of the limits is left (IETF draft
// ratelimit-headers, version 11).
func SetRateLimit(h http.Header, usages []limit.Usage) {
	if len(usages) == 0 {
		return
	}
	policy := make([]byte, 0, 96)
	usage := make([]byte, 0, 96)
	for i, u := range usages {
		if i > 0 {
			policy, usage = append(policy, ", "...), append(usage, ", "...)
		}
		policy = appendItem(policy, u.Window.Name, "q", int64(u.Window.Cap), "w", Seconds(u.Window.Length))
		usage = appendItem(usage, u.Window.Name, "r", int64(u.Remaining), "t", Seconds(min(u.Reset, u.Window.Length)))
	}
	values := []string{string(policy), string(usage)}
	h["Ratelimit-Policy"], h["Ratelimit"] = values[:1:1], values[1:]
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

// Seconds rounds a wait up to whole seconds, at least one.
func Seconds(d time.Duration) int64 {
	return max(1, int64((d+time.Second-1)/time.Second))
}
