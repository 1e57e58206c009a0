package httpapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"orgd/domain/fault"
)

// CursorKey signs the cursors of lists. Replicas share it.
type CursorKey []byte

// MinCursorKey is the least length of a [CursorKey] in bytes.
const MinCursorKey = 32

const (
	maxCursor = 512    // characters
	macSize   = 16     // bytes of the HMAC-SHA256 that a cursor carries
	separator = "\x1f" // no id or number contains it
)

var errCursor = fault.New(fault.RequestValidation,
	"cursor: is not one that this list gave out; begin again without it")

// position is a place in a list: the sort keys of the row before it. Only the
// last one may contain any byte. The longest of all, a packed name behind two
// empty parts, fits into a cursor.
type position []string

// cursors turns positions into opaque, signed texts and back.
type cursors struct{ key CursorKey }

// seal returns the cursor of a position in the list that scope names.
func (c cursors) seal(scope string, p position) string {
	text := strings.Join(p, separator)
	return base64.RawURLEncoding.EncodeToString(append(c.mac(scope, text), text...))
}

// open returns the position in a cursor, or errCursor if it was not sealed for
// this scope or has not n parts.
func (c cursors) open(scope, cursor string, n int) (position, error) {
	if len(cursor) > maxCursor {
		return nil, errCursor.With("cursor: must be at most %d characters", maxCursor)
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	// The decoder skips line breaks.
	if err != nil || len(raw) < macSize || strings.ContainsAny(cursor, "\r\n") {
		return nil, errCursor
	}
	text := string(raw[macSize:])
	if !hmac.Equal(raw[:macSize], c.mac(scope, text)) {
		return nil, errCursor
	}
	p := position(strings.SplitN(text, separator, n))
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

// Runes are the digits of packed texts.
var (
	one   = big.NewInt(1)
	radix = big.NewInt(utf8.MaxRune + 1)
)

// pack writes text, which is UTF-8, as one number whose digits are its runes:
// 128 of them need at most 322 bytes, where UTF-8 may need 512. A leading 1
// keeps the length.
func pack(text string) string {
	n := new(big.Int).Set(one)
	for _, r := range text {
		n.Mul(n, radix)
		n.Add(n, big.NewInt(int64(r)))
	}
	return string(n.Bytes())
}

// unpack reads what pack wrote.
func unpack(packed string) string {
	n, digit := new(big.Int).SetBytes([]byte(packed)), new(big.Int)
	var runes []rune
	for n.Cmp(one) > 0 {
		n.DivMod(n, radix, digit)
		runes = append(runes, rune(digit.Int64()))
	}
	slices.Reverse(runes)
	return string(runes)
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
