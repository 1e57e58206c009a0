package protocol

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"orgd/domain/fault"
	"orgd/domain/revision"
)

var errIfMatch = fault.New(fault.RequestValidation,
	`If-Match: must be "*" or a list of entity tags in double quotes`)

var errIfNoneMatch = fault.New(fault.RequestValidation,
	`If-None-Match: only "*" has a meaning here`)

// ETag is the entity tag of a state. A digest stands for the parts of other resources
// that are in the body: it matters to caches, not to changes. It may be "".
func ETag(t revision.Tag, digest string) string {
	s := `"` + t.ID + "." + strconv.FormatInt(t.Revision, 10)
	if digest != "" {
		s += "." + digest
	}
	return s + `"`
}

// ParseIfMatch reads the If-Match headers. Without one the condition is not
// set; an empty or malformed one is an error, never "no condition".
func ParseIfMatch(h http.Header) (revision.Condition, error) {
	values, ok := h["If-Match"]
	if !ok {
		return revision.Condition{}, nil
	}
	text := strings.TrimSpace(strings.Join(values, ","))
	if text == "*" {
		return revision.Any(), nil
	}
	entities, ok := parseTags(text)
	if !ok || len(entities) == 0 {
		return revision.Condition{}, errIfMatch
	}
	var tags []revision.Tag
	for _, e := range entities {
		if !e.weak {
			tags = append(tags, tagOf(e.text))
		}
	}
	return revision.OneOf(tags...), nil
}

// tagOf reads back what [ETag] wrote. Any other text is a tag that nothing has.
func tagOf(text string) revision.Tag {
	parts := strings.Split(text, ".")
	if len(parts) != 2 && len(parts) != 3 {
		return revision.Tag{ID: text, Revision: -1}
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != parts[1] {
		return revision.Tag{ID: text, Revision: -1}
	}
	return revision.Tag{ID: parts[0], Revision: n}
}

// ParseCreateOnly reads If-None-Match on a PUT: "*" means create only.
func ParseCreateOnly(h http.Header) (absent bool, err error) {
	values, ok := h["If-None-Match"]
	if !ok {
		return false, nil
	}
	if strings.TrimSpace(strings.Join(values, ",")) != "*" {
		return false, errIfNoneMatch
	}
	return true, nil
}

// ClientHas reports whether the client has the state with the tag already: the
// If-None-Match of its read names it. A malformed header is ignored.
func ClientHas(h http.Header, tag string) bool {
	values, ok := h["If-None-Match"]
	if !ok {
		return false
	}
	text := strings.TrimSpace(strings.Join(values, ","))
	if text == "*" {
		return true
	}
	entities, ok := parseTags(text)
	return ok && slices.ContainsFunc(entities, func(e entity) bool { return `"`+e.text+`"` == tag })
}

// entity is one entity tag of a list (RFC 9110, section 8.8.3).
type entity struct {
	text string // between the quotes
	weak bool
}

// parseTags reads a list of entity tags. Empty elements are allowed, as in
// every list of HTTP.
func parseTags(s string) (tags []entity, ok bool) {
	for {
		s = strings.TrimLeft(s, " \t,")
		if s == "" {
			return tags, true
		}
		var e entity
		if s, e.weak = strings.CutPrefix(s, "W/"); !strings.HasPrefix(s, `"`) {
			return nil, false
		}
		end := strings.IndexByte(s[1:], '"')
		if end < 0 || strings.ContainsFunc(s[1:1+end], isNotTagText) {
			return nil, false
		}
		e.text, s = s[1:1+end], strings.TrimLeft(s[end+2:], " \t")
		if s != "" && s[0] != ',' {
			return nil, false
		}
		tags = append(tags, e)
	}
}

// isNotTagText reports whether an entity tag may not have the character.
func isNotTagText(r rune) bool { return r <= ' ' || r == 0x7f }
