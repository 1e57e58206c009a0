package activity

import (
	"time"
	"unicode/utf8"

	"orgd/domain/jsondoc"
	"orgd/domain/money"
)

const (
	required = true
	optional = false
)

// known reads keys of an entry's data and records what is wrong with them.
// Keys that nobody asks for are free.
type known struct {
	r    *jsondoc.Reader
	data jsondoc.Value // an object or null
}

func (k known) get(key string, need bool) (jsondoc.Value, bool) {
	if k.data.Kind() == jsondoc.KindObject {
		if v, ok := k.data.Get(key); ok {
			return v, true
		}
	}
	if need {
		k.fail(key, "is required")
	}
	return jsondoc.Value{}, false
}

func (k known) fail(key, format string, args ...any) {
	k.r.Fail("data."+key, format, args...)
}

func (k known) text(key string, need bool) {
	v, ok := k.get(key, need)
	if ok && !isText(v, MaxText) {
		k.fail(key, "must be a string of 1 to %d characters", MaxText)
	}
}

func (k known) flag(key string) bool {
	v, ok := k.get(key, required)
	if !ok {
		return false
	}
	if v.Kind() != jsondoc.KindBool {
		k.fail(key, "must be true or false")
		return false
	}
	return v.Bool()
}

func (k known) score(key string) *Score {
	v, ok := k.get(key, optional)
	if !ok || v.Kind() == jsondoc.KindNull {
		return nil
	}
	if v.Kind() == jsondoc.KindNumber {
		if n, ok := nanos(v.Number(), int64(MaxScore)); ok {
			return new(Score(n))
		}
	}
	k.fail(key, "must be a number of 0 to 10, or null")
	return nil
}

func (k known) duration(key string) *time.Duration {
	v, ok := k.get(key, optional)
	if !ok {
		return nil
	}
	if v.Kind() == jsondoc.KindNumber {
		if n, ok := nanos(v.Number(), int64(MaxDuration)); ok {
			return new(time.Duration(n))
		}
	}
	k.fail(key, "must be a number of 0 to %d", MaxDuration/time.Second)
	return nil
}

func (k known) amount(key string, need bool) *money.Amount {
	v, ok := k.get(key, need)
	if !ok {
		return nil
	}
	if v.Kind() == jsondoc.KindNumber {
		if a, err := money.ParseAmount(v.Number()); err == nil {
			return &a
		}
	}
	k.fail(key, "must be a number of 0 to %s with at most 9 decimals", money.MaxAmount)
	return nil
}

func (k known) count(key string) *int64 {
	v, ok := k.get(key, optional)
	if !ok {
		return nil
	}
	if v.Kind() == jsondoc.KindNumber {
		if n, ok := v.Number().Int(); ok && n >= 0 && n <= MaxTokens {
			return &n
		}
	}
	k.fail(key, "must be a whole number of 0 to %d", int64(MaxTokens))
	return nil
}

// isText reports whether v is a string of 1 to max code points.
func isText(v jsondoc.Value, max int) bool {
	return v.Kind() == jsondoc.KindString && isLength(v.Text(), max)
}

func isLength(s string, max int) bool {
	return s != "" && utf8.RuneCountInString(s) <= max
}
