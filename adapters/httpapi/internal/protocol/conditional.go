package protocol

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
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
	tag := make([]byte, 0, 64)
	tag = append(append(append(tag, '"'), t.ID...), '.')
	tag = strconv.AppendInt(tag, t.Revision, 10)
	if digest != "" {
		tag = append(append(tag, '.'), digest...)
	}
	return string(append(tag, '"'))
}

// Incarnation names what tags of revisions are good for: one history of one storage, under one
// cursor key. It is a hexadecimal number.
func Incarnation(key []byte, storage string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("incarnation" + Separator + storage))
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// In returns a tag that [ETag] wrote as that of an incarnation, which is how clients see it.
func In(incarnation, tag string) string { return `"` + incarnation + ":" + tag[1:] }

// ParseIfMatch reads the If-Match headers. Without one the condition is not
// set; an empty or malformed one is an error, never "no condition". Tags of other
// incarnations name no state.
func ParseIfMatch(h http.Header, incarnation string) (revision.Condition, error) {
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
		if t, ok := tagOf(e, incarnation); ok {
			tags = append(tags, t)
		}
	}
	return revision.OneOf(tags...), nil
}

// tagOf reads back what [ETag] and [In] wrote, also if a proxy has marked it.
func tagOf(entity, incarnation string) (t revision.Tag, ok bool) {
	text, ok := strings.CutPrefix(unmarked(entity), incarnation+":")
	if !ok {
		return t, false
	}
	id, rest, _ := strings.Cut(text, ".")
	number, digest, withDigest := strings.Cut(rest, ".")
	if withDigest && (digest == "" || strings.Trim(digest, digestText) != "") {
		return t, false
	}
	n, err := strconv.ParseInt(number, 10, 64)
	return revision.Tag{ID: id, Revision: n}, err == nil && n >= 0 && strconv.FormatInt(n, 10) == number
}

// digestText has the characters of digests, which are hexadecimal numbers or UUIDs.
const digestText = "0123456789abcdef-"

// codings are the content codings that proxies mark tags with, and markers what they
// write before a coding: Apache httpd and Caddy "-", Jetty "--", others ";". Others, such
// as nginx, make the tag weak, which [parseTags] ignores.
var (
	codings = []string{"gzip", "br", "deflate", "zstd"}
	markers = []string{"--", "-", ";"}
)

// unmarked returns the text of an entity tag without the mark that a proxy adds when it
// compresses an answer: the tag still names the same revision. No tag of ours ends in a mark.
func unmarked(entity string) string {
	for _, coding := range codings {
		before, ok := strings.CutSuffix(entity, coding)
		if !ok {
			continue
		}
		for _, marker := range markers {
			if text, ok := strings.CutSuffix(before, marker); ok {
				return text
			}
		}
	}
	return entity
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
// If-None-Match of its read names it, marked by a proxy or not. A malformed header is ignored.
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
	want := unmarked(strings.Trim(tag, `"`))
	return ok && slices.ContainsFunc(entities, func(e string) bool { return unmarked(e) == want })
}

// parseTags reads a list of entity tags (RFC 9110, section 8.8.3) and returns their texts
// between the quotes. Empty elements are allowed, as in every list of HTTP. That a tag is
// weak does not matter: all tags of ours are strong, so a proxy has made it weak.
func parseTags(s string) (tags []string, ok bool) {
	for {
		s = strings.TrimLeft(s, " \t,")
		if s == "" {
			return tags, true
		}
		if s = strings.TrimPrefix(s, "W/"); !strings.HasPrefix(s, `"`) {
			return nil, false
		}
		end := strings.IndexByte(s[1:], '"')
		if end < 0 || strings.ContainsFunc(s[1:1+end], isNotTagText) {
			return nil, false
		}
		tags = append(tags, s[1:1+end])
		s = strings.TrimLeft(s[end+2:], " \t")
		if s != "" && s[0] != ',' {
			return nil, false
		}
	}
}

// isNotTagText reports whether an entity tag may not have the character.
func isNotTagText(r rune) bool { return r <= ' ' || r == 0x7f }
