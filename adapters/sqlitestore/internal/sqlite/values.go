package sqlite

import (
	"encoding/hex"
	"iter"
	"strings"
	"time"

	"orgd/adapters/agentindex"
	"orgd/domain/name"
)

// PackID returns the stored form of an identifier. A UUID in lower-case text
// form is kept as its 16 bytes, which sort as the text does and take less than
// half of its room in every index; any other text is kept as it is.
func PackID[T ~string](id T) []byte {
	if !name.IsUUID(string(id)) {
		return []byte(id)
	}
	digits := make([]byte, 0, 32)
	for i := range len(id) {
		switch c := id[i]; {
		case 'A' <= c && c <= 'F':
			return []byte(id)
		case c != '-':
			digits = append(digits, c)
		}
	}
	packed := make([]byte, 16)
	if _, err := hex.Decode(packed, digits); err != nil {
		return []byte(id)
	}
	return packed
}

// UnpackID returns the text of a stored identifier.
func UnpackID(packed []byte) string {
	if len(packed) != 16 {
		return string(packed)
	}
	var text [36]byte
	hex.Encode(text[:8], packed[:4])
	hex.Encode(text[9:13], packed[4:6])
	hex.Encode(text[14:18], packed[6:8])
	hex.Encode(text[19:23], packed[8:10])
	hex.Encode(text[24:], packed[10:])
	for _, i := range [...]int{8, 13, 18, 23} {
		text[i] = '-'
	}
	return string(text[:])
}

// Millis is the stored form of a time.
func Millis(t time.Time) int64 { return t.UnixMilli() }

// FromMillis returns the time of its stored form, in UTC.
func FromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// MillisOrNil is the stored form of a time that may be zero.
func MillisOrNil(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return Millis(t)
}

// FromMillisOrZero returns the time of its stored form.
func FromMillisOrZero(ms *int64) time.Time {
	if ms == nil {
		return time.Time{}
	}
	return FromMillis(*ms)
}

// JoinKeys is the stored form of keys: one a line, which no key contains.
func JoinKeys(keys []name.Key) string {
	lines := make([]string, len(keys))
	for i, k := range keys {
		lines[i] = string(k)
	}
	return strings.Join(lines, "\n")
}

// SplitKeys reads back what [JoinKeys] wrote.
func SplitKeys(text string) []name.Key {
	if text == "" {
		return nil
	}
	var keys []name.Key
	for line := range strings.SplitSeq(text, "\n") {
		keys = append(keys, name.Key(line))
	}
	return keys
}

// Moved returns those of after that are not in before: of the same agents or departments,
// the ones whose order key is another.
func Moved[T comparable](before, after []T) iter.Seq[T] {
	was := make(map[T]bool, len(before))
	for _, x := range before {
		was[x] = true
	}
	return func(yield func(T) bool) {
		for _, x := range after {
			if !was[x] && !yield(x) {
				return
			}
		}
	}
}

// Filter collects the conditions of a query and their arguments.
//
// Queries that end with a limit write it "LIMIT (? + 0)": SQLite looks at the
// value of a bare parameter there when it plans, and so would plan the query
// anew each time, which takes longer than most of them run.
type Filter struct {
	terms []string
	Args  []any
}

// And adds a condition.
func (f *Filter) And(term string, args ...any) {
	f.terms = append(f.terms, term)
	f.Args = append(f.Args, args...)
}

// Equals lets a column have a value, or any at all if that is "".
func (f *Filter) Equals(column, value string) {
	if value != "" {
		f.And(column+" = ?", value)
	}
}

// Tagged lets a column have all of some tags.
func (f *Filter) Tagged(column string, tags []string) {
	for _, t := range tags {
		f.And("instr("+column+", ?)", agentindex.TagsText([]string{t}))
	}
}

// TagsOf reads what [agentindex.TagsText] returns.
func TagsOf(stored string) []string {
	if stored == "" {
		return nil
	}
	return strings.Split(stored[1:len(stored)-1], ",")
}

// Among lets a column have any of some values, or any at all if there are none.
func Among[T ~string](f *Filter, column string, values []T) {
	if len(values) == 0 {
		return
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = string(v)
	}
	f.And(column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", args...)
}

// Where is the WHERE clause, or nothing without conditions.
func (f *Filter) Where() string {
	if len(f.terms) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(f.terms, " AND ")
}
