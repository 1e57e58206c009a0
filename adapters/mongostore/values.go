package mongostore

import (
	"slices"
	"time"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// millis is the stored form of a time.
func millis(t time.Time) int64 { return t.UnixMilli() }

// fromMillis returns the time of its stored form, in UTC.
func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// millisOrZero is the stored form of a time that may be zero.
func millisOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return millis(t)
}

// fromMillisOrZero returns the time of its stored form.
func fromMillisOrZero(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return fromMillis(ms)
}

// is is the condition that a field has a value; also an update's one setting.
func is(field string, value any) bson.E { return bson.E{Key: field, Value: value} }

// idDoc is a document of which only the id is read.
type idDoc struct {
	ID string `bson:"_id"`
}

// byID is the filter for one document.
func byID(id string) bson.D { return bson.D{is("_id", id)} }

// set is an update that sets these fields.
func set(fields ...bson.E) bson.D { return bson.D{is("$set", bson.D(fields))} }

// given are those of some conditions whose value is not "". It must be a string: one of
// another type of text is never left out.
func given(conditions ...bson.E) bson.D {
	return slices.DeleteFunc(conditions, func(e bson.E) bool { return e.Value == "" })
}

// increment is an update that adds to these fields.
func increment(fields ...bson.E) bson.D { return bson.D{is("$inc", bson.D(fields))} }

// compare is the condition that an operator, such as $lt, holds for a field and a value.
func compare(field, operator string, value any) bson.E {
	return is(field, bson.D{is(operator, value)})
}

// in is the condition that a field has one of some values.
func in(field string, values any) bson.E { return compare(field, "$in", values) }

// exists is the condition that a field is there, or is not.
func exists(field string, there bool) bson.E { return compare(field, "$exists", there) }

// by is a sort order, or an index, over fields, ascending unless marked with "-".
func by(names ...string) bson.D {
	var keys bson.D
	for _, n := range names {
		if n[0] == '-' {
			keys = append(keys, is(n[1:], -1))
		} else {
			keys = append(keys, is(n, 1))
		}
	}
	return keys
}

// startsWith is the condition that a text field starts with prefix: a range, so
// that nothing in prefix has a meaning.
func startsWith(field, prefix string) bson.E {
	bounds := bson.D{is("$gte", prefix)}
	if end := after(prefix); end != "" {
		bounds = append(bounds, is("$lt", end))
	}
	return is(field, bounds)
}

// after returns the least text that is greater than every text that starts with
// prefix, or "" if there is none.
func after(prefix string) string {
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

// behind is the condition that the two fields of a list's order come after the given
// values, each ascending ($gt) or descending ($lt).
func behind(operatorA, fieldA string, a any, operatorB, fieldB string, b any) bson.E {
	return is("$or", bson.A{
		bson.D{compare(fieldA, operatorA, a)},
		bson.D{is(fieldA, a), compare(fieldB, operatorB, b)},
	})
}
