package protocol

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

const (
	maxCursor = 512 // characters
	macSize   = 16  // bytes of the HMAC-SHA256 in a cursor
)

// Separator stands between the parts of scopes and positions. No id or number contains
// it.
const Separator = "\x1f"

// ErrCursor is a cursor that was not made for the list.
var ErrCursor = fault.New(fault.RequestValidation,
	"cursor: is not one that this list gave out; begin again without it")

// Position is where a page of a list begins: the sort keys of the row before it. Only
// the last one may contain any byte. The longest of all, a packed name after two
// numbers, fits into a cursor.
type Position []string

// Cursors turns positions into opaque, signed texts and back. Key is the secret, which
// replicas share.
type Cursors struct{ Key []byte }

// Seal returns the cursor of a position in the list that scope names.
func (c Cursors) Seal(scope string, p Position) string {
	text := strings.Join(p, Separator)
	return base64.RawURLEncoding.EncodeToString(append(c.mac(scope, text), text...))
}

// Open returns the position in a cursor, or ErrCursor if it was not sealed for
// this scope or has not n parts.
func (c Cursors) Open(scope, cursor string, n int) (Position, error) {
	if len(cursor) > maxCursor {
		return nil, ErrCursor.With("cursor: must be at most %d characters", maxCursor)
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	// The decoder skips line breaks.
	if err != nil || len(raw) < macSize || strings.ContainsAny(cursor, "\r\n") {
		return nil, ErrCursor
	}
	text := string(raw[macSize:])
	if !hmac.Equal(raw[:macSize], c.mac(scope, text)) {
		return nil, ErrCursor
	}
	p := Position(strings.SplitN(text, Separator, n))
	if len(p) != n {
		return nil, ErrCursor
	}
	return p, nil
}

func (c Cursors) mac(scope, text string) []byte {
	h := hmac.New(sha256.New, c.Key)
	h.Write([]byte(strconv.Itoa(len(scope)) + Separator + scope + text))
	return h.Sum(nil)[:macSize]
}

// Runes are the digits of packed texts.
var (
	one   = big.NewInt(1)
	radix = big.NewInt(utf8.MaxRune + 1)
)

// Pack writes text, which is UTF-8, as one number whose digits are its runes:
// 128 of them need at most 322 bytes, where UTF-8 may need 512. A leading 1
// keeps the length.
func Pack(text string) string {
	n := new(big.Int).Set(one)
	for _, r := range text {
		n.Mul(n, radix)
		n.Add(n, big.NewInt(int64(r)))
	}
	return string(n.Bytes())
}

// Unpack reads what Pack wrote.
func Unpack(packed string) string {
	n, digit := new(big.Int).SetBytes([]byte(packed)), new(big.Int)
	var runes []rune
	for n.Cmp(one) > 0 {
		n.DivMod(n, radix, digit)
		runes = append(runes, rune(digit.Int64()))
	}
	slices.Reverse(runes)
	return string(runes)
}

// FormatTime writes a time as a part of a position, in milliseconds.
func FormatTime(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 36) }

// ParseTime reads what FormatTime wrote, or returns ErrCursor.
func ParseTime(s string) (time.Time, error) {
	ms, err := strconv.ParseInt(s, 36, 64)
	if err != nil {
		return time.Time{}, ErrCursor
	}
	return time.UnixMilli(ms).UTC(), nil
}
