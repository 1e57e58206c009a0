// Package mongodb has what all that asks MongoDB needs: filters and updates, the forms in which values
// are stored, what errors mean, and waiting.
package mongodb

import (
	"slices"
	"time"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Millis is the stored form of a time.
func Millis(t time.Time) int64 { return t.UnixMilli() }

// FromMillis returns the time of its stored form, in UTC.
func FromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// MillisOrZero is the stored form of a time that may be zero.
func MillisOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return Millis(t)
}

// FromMillisOrZero returns the time of its stored form.
func FromMillisOrZero(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return FromMillis(ms)
}

// Is is the condition that a field has a value; also an update's one setting.
func Is(field string, value any) bson.E { return bson.E{Key: field, Value: value} }

// IDDoc is a document of which only the id is read.
type IDDoc struct {
	ID string `bson:"_id"`
}

// ByID is the filter for one document.
func ByID(id string) bson.D { return bson.D{Is("_id", id)} }

// Set is an update that sets these fields.
func Set(fields ...bson.E) bson.D { return bson.D{Is("$set", bson.D(fields))} }

// Given are those of some conditions whose value is not "". It must be a string: one of
// another type of text is never left out.
func Given(conditions ...bson.E) bson.D {
	return slices.DeleteFunc(conditions, func(e bson.E) bool { return e.Value == "" })
}

// Increment is an update that adds to these fields.
func Increment(fields ...bson.E) bson.D { return bson.D{Is("$inc", bson.D(fields))} }

// Compare is the condition that an operator, such as $lt, holds for a field and a value.
func Compare(field, operator string, value any) bson.E {
	return Is(field, bson.D{Is(operator, value)})
}

// In is the condition that a field has one of some values.
func In(field string, values any) bson.E { return Compare(field, "$in", values) }

// Exists is the condition that a field is there, or is not.
func Exists(field string, there bool) bson.E { return Compare(field, "$exists", there) }

// By is a sort order, or an index, over fields, ascending unless marked with "-".
func By(names ...string) bson.D {
	var keys bson.D
	for _, n := range names {
		if n[0] == '-' {
			keys = append(keys, Is(n[1:], -1))
		} else {
			keys = append(keys, Is(n, 1))
		}
	}
	return keys
}

// StartsWith is the condition that a text field starts with prefix: a range, so
// that nothing in prefix has a meaning.
func StartsWith(field, prefix string) bson.E {
	bounds := bson.D{Is("$gte", prefix)}
	if end := After(prefix); end != "" {
		bounds = append(bounds, Is("$lt", end))
	}
	return Is(field, bounds)
}

// After returns the least text that is greater than every text that starts with
// prefix, or "" if there is none.
func After(prefix string) string {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		switch {
		case last == utf8.MaxRune:
			continue
		case last == 0xD7FF:
			return prefix + "\uE000" // nothing between is a character
		}
		return prefix + string(last+1)
	}
	return ""
}

// Behind is the condition that the two fields of a list's order come after the given
// values, each ascending ($gt) or descending ($lt).
func Behind(operatorA, fieldA string, a any, operatorB, fieldB string, b any) bson.E {
	return Is("$or", bson.A{
		bson.D{Compare(fieldA, operatorA, a)},
		bson.D{Is(fieldA, a), Compare(fieldB, operatorB, b)},
	})
}
