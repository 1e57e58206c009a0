package request

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/agent"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/search"
)

var errQuery = fault.New(fault.RequestValidation, "a query parameter is wrong")

// Query reads the parameters that a route knows. Others are ignored. A known
// one may be given once, but for [Query.Tags], and is never empty.
type Query struct {
	r      *Request
	values url.Values
	known  []string // in the order they were read; the result depends on them
	Err    error    // the first mistake
}

// Query returns the parameters of the request.
func (r *Request) Query() *Query {
	values, err := url.ParseQuery(r.HTTP.URL.RawQuery)
	if err != nil {
		return &Query{r: r, Err: errQuery.With("the query is not well formed")}
	}
	return &Query{r: r, values: values}
}

// Has reports whether a parameter is given.
func (q *Query) Has(key string) bool { return q.values.Has(key) }

// Alone reports whether none of the parameters that were read so far is given but this one.
func (q *Query) Alone(key string) bool {
	return !slices.ContainsFunc(q.known, func(other string) bool { return other != key && q.Has(other) })
}

// Text returns a parameter of 1 to max code points, or "" if it is absent.
func (q *Query) Text(key string, max int) string {
	q.known = append(q.known, key)
	values, ok := q.values[key]
	if !ok || q.Err != nil {
		return ""
	}
	switch {
	case len(values) > 1:
		q.Fail("%s: must be given once", key)
	case values[0] == "":
		q.Fail("%s: must not be empty", key)
	case !utf8.ValidString(values[0]):
		q.Fail("%s: must be UTF-8", key)
	case utf8.RuneCountInString(values[0]) > max:
		q.Fail("%s: must be at most %d characters, not %d", key, max, utf8.RuneCountInString(values[0]))
	default:
		return values[0]
	}
	return ""
}

// Number returns a parameter of decimal digits within bounds, or fallback if it
// is absent.
func (q *Query) Number(key string, min, max, fallback int64) int64 {
	text := q.Text(key, 20)
	if text == "" {
		return fallback
	}
	n, ok := ParseNumber(text)
	if !ok || n < min || n > max {
		q.Fail("%s: must be a whole number from %d to %d", key, min, max)
		return fallback
	}
	return n
}

// ParseNumber reads decimal digits without sign and leading zero.
func ParseNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0 && strconv.FormatInt(n, 10) == s
}

// Flag returns a parameter that is true or false.
func (q *Query) Flag(key string) bool {
	switch q.Text(key, 5) {
	case "true":
		return true
	case "", "false":
		return false
	}
	q.Fail("%s: must be true or false", key)
	return false
}

// Word returns a parameter of at most max code points that parse accepts, or the zero
// value. The error of parse is the answer.
func Word[T any](q *Query, key string, max int, parse func(string) (T, error)) (v T) {
	text := q.Text(key, max)
	if text == "" {
		return v
	}
	v, err := parse(text)
	if err != nil {
		q.FailWith(err)
	}
	return v
}

// Ref returns a reference to an agent, or nil.
func (q *Query) Ref(key string) *identity.Ref {
	return parsed(q, key, 128, func(text string) (*identity.Ref, error) {
		ref, err := identity.ParseRef(text)
		return &ref, err
	})
}

// Prefix returns a parameter that is the beginning of a name, or "".
func (q *Query) Prefix(key string) name.Key { return parsed(q, key, name.MaxLength, name.ParsePrefix) }

// Name returns a parameter that is a name, or the zero name.
func (q *Query) Name(key string) name.Name { return parsed(q, key, name.MaxLength, name.Parse) }

// Owner returns a parameter that is the owner of an agent, or "".
func (q *Query) Owner(key string) string { return parsed(q, key, agent.MaxOwner, agent.ParseOwner) }

// Tags returns a parameter that is given once for each tag.
func (q *Query) Tags(key string) (tags []string) {
	q.known = append(q.known, key)
	if n := len(q.values[key]); n > agent.MaxTags {
		q.Fail("%s: must be given at most %d times, not %d", key, agent.MaxTags, n)
	}
	for _, text := range q.values[key] {
		tag, err := agent.ParseTag(text)
		if err != nil {
			q.Fail("%s: %s", key, err)
		}
		tags = append(tags, tag)
	}
	return tags
}

// Search returns a parameter that is a text to search for.
func (q *Query) Search(key string) search.Text {
	return parsed(q, key, search.MaxLength, search.Parse)
}

// parsed returns a parameter of at most max code points that parse accepts, or the zero
// value.
func parsed[T any](q *Query, key string, max int, parse func(string) (T, error)) (v T) {
	text := q.Text(key, max)
	if text == "" {
		return v
	}
	v, err := parse(text)
	if err != nil {
		q.Fail("%s: %s", key, err)
	}
	return v
}

// Time returns a parameter that is a time of RFC 3339, or the zero time.
func (q *Query) Time(key string) time.Time {
	text := q.Text(key, 64)
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		q.Fail("%s: must be a time such as 2026-01-31T09:30:00Z", key)
	}
	return t.UTC()
}

// Fail records a mistake, with the name of its parameter in the text.
func (q *Query) Fail(format string, args ...any) { q.FailWith(errQuery.With(format, args...)) }

// FailWith records an error. Only the first one is kept.
func (q *Query) FailWith(err error) {
	if q.Err == nil {
		q.Err = err
	}
}

// DefaultLimit is how many rows a page has if the request does not say.
const DefaultLimit = 50

const maxLimit = 200

// Paging is the page that a request asks for.
type Paging struct {
	Limit int               // rows
	At    protocol.Position // nil: the first page
	scope string            // the list and its filters: cursors are bound to them
}

// Paging reads limit and cursor. It is called after the filters were read. fallback is
// the limit if there is none, parts the number of sort keys in a position.
func (q *Query) Paging(fallback int64, parts int) (Paging, error) {
	p := Paging{scope: q.Scope()}
	p.Limit = int(q.Number("limit", 1, maxLimit, fallback))
	cursor := ""
	if values, ok := q.values["cursor"]; ok && q.Err == nil {
		if len(values) > 1 || values[0] == "" {
			q.Fail("cursor: must be given once and not be empty; leave it out for the first page")
		}
		cursor = values[0]
	}
	if q.Err != nil {
		return Paging{}, q.Err
	}
	if cursor == "" {
		return p, nil
	}
	var err error
	p.At, err = q.r.Env.Cursors.Open(p.scope, cursor, parts)
	return p, err
}

// Scope returns what the cursors of the list, with the filters that were read so far,
// are bound to.
func (q *Query) Scope() string {
	var b strings.Builder
	b.WriteString(q.r.Route.Name + protocol.Separator + q.r.HTTP.URL.Path + protocol.Separator)
	for _, key := range q.known {
		b.WriteString(url.QueryEscape(key) + "=" + url.QueryEscape(strings.Join(q.values[key], " ")) + "&")
	}
	return b.String()
}
