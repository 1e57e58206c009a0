package httpapi

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

// seconds rounds a wait up to whole seconds, at least one.
func seconds(d time.Duration) int64 {
	return max(1, int64((d+time.Second-1)/time.Second))
}
