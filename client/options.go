package client

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// Option adds something to one request. A method refuses options that its
// operation does not know, because they would have no effect.
type Option struct {
	name  string // the header
	value string
}

const (
	ifMatch        = "If-Match"
	ifNoneMatch    = "If-None-Match"
	idempotencyKey = "Idempotency-Key"
	changeReason   = "Change-Reason"
	requestID      = "X-Request-Id"
)

// IfMatch makes a change only if the resource still has this tag, as the ETag
// field of what was read gives it; "*" is any. Otherwise the error is
// [ErrVersionConflict].
func IfMatch(tag string) Option { return Option{ifMatch, tag} }

// IfNoneMatch reads only if the resource no longer looks as it did with this
// tag. Otherwise the error is [ErrNotModified]. With [Client.SetCeremonyPolicy] the
// tag is "*", which sets a policy only if there is none.
func IfNoneMatch(tag string) Option { return Option{ifNoneMatch, tag} }

// IdempotencyKey makes a POST happen once, however often and by however many
// processes it is sent with this key: 1 to 255 visible ASCII characters, kept
// for 24 hours. Without it every call has a key of its own.
func IdempotencyKey(key string) Option { return Option{idempotencyKey, key} }

// ChangeReason says why something of the organization is created, changed or deleted, in at
// most 1024 characters; it is kept in the change log and with versions that are written.
func ChangeReason(text string) Option { return Option{changeReason, url.PathEscape(text)} }

// RequestID is the id of the request in the service's log, in its audit trail
// and in [Error.Instance]: at most 64 visible ASCII characters. Without it every
// call has a random one.
func RequestID(id string) Option { return Option{requestID, id} }

// set writes the options into h. known are those that the operation takes.
func set(h http.Header, opts []Option, known []string) error {
	for _, o := range opts {
		switch {
		case o.name != requestID && !slices.Contains(known, o.name):
			return fmt.Errorf("%s does not go with this operation", o.name)
		case len(h[o.name]) > 0:
			return fmt.Errorf("%s is given twice", o.name)
		case o.value == "" && o.name == ifMatch:
			return fmt.Errorf("%s is empty: if an answer had no ETag, a proxy on the way has removed it", o.name)
		case o.value == "":
			return fmt.Errorf("%s is empty", o.name)
		case !isHeaderText(o.value):
			return fmt.Errorf("%s: %q %s", o.name, o.value, mustBeHeaderText)
		}
		h[o.name] = []string{o.value}
	}
	return nil
}
