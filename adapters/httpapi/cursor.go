package httpapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"orgd/domain/fault"
)

// CursorKey signs the cursors of lists. Replicas share it.
type CursorKey []byte

// MinCursorKey is the least length of a [CursorKey] in bytes.
const MinCursorKey = 32

const (
	maxCursor = 512 // characters
	macSize   = 16  // bytes of the HMAC-SHA256 that a cursor carries
	// maxPosition is what a cursor has room for besides the signature.
	maxPosition = maxCursor/4*3 - macSize
	separator   = "\x1f" // no name, id or number contains it
)

var errCursor = fault.New(fault.RequestValidation,
	"cursor: is not one that this list gave out; begin again without it")

// position is a place in a list: the sort keys of the row before it.
type position []string

// cursors turns positions into opaque, signed texts and back.
type cursors struct{ key CursorKey }

// seal returns the cursor of a position in the list that scope names. A
// position that is too long for a cursor loses its end; only rows whose sort
// keys share several hundred bytes could tell.
func (c cursors) seal(scope string, p position) string {
	text := strings.Join(p, separator)
	if len(text) > maxPosition {
		text = text[:maxPosition]
	}
	return base64.RawURLEncoding.EncodeToString(append(c.mac(scope, text), text...))
}

// open returns the position in a cursor, or errCursor if it was not sealed for
// this scope or has not n parts.
func (c cursors) open(scope, cursor string, n int) (position, error) {
	if len(cursor) > maxCursor {
		return nil, errCursor.With("cursor: must be at most %d characters", maxCursor)
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < macSize {
		return nil, errCursor
	}
	text := string(raw[macSize:])
	if !hmac.Equal(raw[:macSize], c.mac(scope, text)) {
		return nil, errCursor
	}
	p := position(strings.Split(text, separator))
	if len(p) != n {
		return nil, errCursor
	}
	return p, nil
}

func (c cursors) mac(scope, text string) []byte {
	h := hmac.New(sha256.New, c.key)
	h.Write([]byte(strconv.Itoa(len(scope)) + separator + scope + text))
	return h.Sum(nil)[:macSize]
}

// stamp is a time as a part of a position.
func stamp(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 36) }

// unstamp reads a time of a position that was signed: it is well formed.
func unstamp(s string) (time.Time, error) {
	ms, err := strconv.ParseInt(s, 36, 64)
	if err != nil {
		return time.Time{}, errCursor
	}
	return time.UnixMilli(ms).UTC(), nil
}
