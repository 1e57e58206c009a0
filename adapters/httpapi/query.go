package httpapi

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/name"
)

var errQuery = fault.New(fault.RequestValidation, "a query parameter is wrong")

// query reads the parameters that a route knows. Others are ignored; a known
// one may stand once and is never empty.
type query struct {
	values url.Values
	known  []string // in the order asked for: what the result depends on
	err    error
}

func (x *exchange) query() *query {
	values, err := url.ParseQuery(x.Request.URL.RawQuery)
	if err != nil {
		return &query{err: errQuery.With("the query is not well formed")}
	}
	return &query{values: values}
}

// text returns a parameter of 1 to max code points, or "" if it is absent.
func (q *query) text(key string, max int) string {
	q.known = append(q.known, key)
	values, ok := q.values[key]
	if !ok || q.err != nil {
		return ""
	}
	switch {
	case len(values) > 1:
		q.fail("%s: must be given once", key)
	case values[0] == "":
		q.fail("%s: must not be empty", key)
	case !utf8.ValidString(values[0]):
		q.fail("%s: must be UTF-8", key)
	case utf8.RuneCountInString(values[0]) > max:
		q.fail("%s: must be at most %d characters", key, max)
	default:
		return values[0]
	}
	return ""
}

// number returns a parameter of decimal digits within bounds, or fallback if it
// is absent.
func (q *query) number(key string, min, max, fallback int64) int64 {
	text := q.text(key, 20)
	if text == "" {
		return fallback
	}
	n, ok := parseNumber(text)
	if !ok || n < min || n > max {
		q.fail("%s: must be a whole number from %d to %d", key, min, max)
		return fallback
	}
	return n
}

// parseNumber reads decimal digits without sign and leading zero.
func parseNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0 && strconv.FormatInt(n, 10) == s
}

// flag returns a parameter that is true or false.
func (q *query) flag(key string) bool {
	switch q.text(key, 5) {
	case "true":
		return true
	case "", "false":
		return false
	}
	q.fail("%s: must be true or false", key)
	return false
}

// word returns a parameter that parse accepts, or the zero value.
func word[T ~string](q *query, key string, parse func(string) (T, error)) T {
	text := q.text(key, 128)
	if text == "" {
		return ""
	}
	v, err := parse(text)
	if err != nil {
		q.failWith(err)
	}
	return v
}

// ref returns a reference to an agent, or nil.
func (q *query) ref(key string) *identity.Ref {
	text := q.text(key, 128)
	if text == "" {
		return nil
	}
	ref, err := identity.ParseRef(text)
	if err != nil {
		q.fail("%s: %s", key, err)
		return nil
	}
	return &ref
}

// prefix returns a parameter that is the beginning of a name, or none.
func (q *query) prefix(key string) name.Key {
	text := q.text(key, name.MaxLength)
	if text == "" {
		return ""
	}
	k, err := name.ParsePrefix(text)
	if err != nil {
		q.fail("%s: %s", key, err)
	}
	return k
}

// name returns a parameter that is a name, or none.
func (q *query) name(key string) name.Name {
	text := q.text(key, name.MaxLength)
	if text == "" {
		return name.Name{}
	}
	n, err := name.Parse(text)
	if err != nil {
		q.fail("%s: %s", key, err)
	}
	return n
}

// time returns a parameter that is a time of RFC 3339, or the zero time.
func (q *query) time(key string) time.Time {
	text := q.text(key, 64)
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		q.fail("%s: must be a time such as 2026-01-31T09:30:00Z", key)
	}
	return t.UTC()
}

func (q *query) fail(format string, args ...any) { q.failWith(errQuery.With(format, args...)) }

// failWith keeps the first problem.
func (q *query) failWith(err error) {
	if q.err == nil {
		q.err = err
	}
}

const (
	defaultLimit  = 50
	versionsLimit = 20
	maxLimit      = 200
)

// paging is what a list request says of the page that it wants.
type paging struct {
	limit int
	scope string // the list and its filters: what a cursor is bound to
	at    protocol.Position
}

// paging reads limit and cursor; it comes after the filters. A position has
// parts sort keys.
func (q *query) paging(x *exchange, fallback int64, parts int) (paging, error) {
	filters := q.scope()
	p := paging{
		limit: int(q.number("limit", 1, maxLimit, fallback)),
		scope: x.scope(filters),
	}
	cursor := ""
	if values, ok := q.values["cursor"]; ok && q.err == nil {
		if len(values) > 1 || values[0] == "" {
			q.fail("cursor: must be given once and not be empty")
		}
		cursor = values[0]
	}
	if q.err != nil {
		return paging{}, q.err
	}
	if cursor == "" {
		return p, nil
	}
	var err error
	p.at, err = x.env.cursors.Open(p.scope, cursor, parts)
	return p, err
}

// scope is what the cursors of a list with these filters are bound to.
func (x *exchange) scope(filters string) string {
	return x.route.name + protocol.Separator + x.Request.URL.Path + protocol.Separator + filters
}

// scope names the filters that were read so far.
func (q *query) scope() string {
	var b strings.Builder
	for _, key := range q.known {
		b.WriteString(url.QueryEscape(key) + "=" + url.QueryEscape(q.values.Get(key)) + "&")
	}
	return b.String()
}
