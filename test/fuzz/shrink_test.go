package fuzz

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// shrinker looks for fewer and smaller requests that fail in the same way. Each
// attempt is played on a new service.
type shrinker struct {
	start func() (target, error)
	judge judge
	key   string // of the failure
	until time.Time
	err   error // why attempts could not be made, if so
}

// shrink returns the least that it finds in time of steps whose last one fails.
// It returns false if they do not fail when they are played again.
func (s *shrinker) shrink(ctx context.Context, steps []step) ([]step, bool) {
	last := steps[len(steps)-1:]
	if s.fails(ctx, last) {
		steps = last
	} else if !s.fails(ctx, steps) {
		return steps, false
	}
	steps = append(without(steps[:len(steps)-1], func(some []step) bool {
		return s.fails(ctx, append(slices.Clone(some), last...))
	}), last...)
	for i := len(steps) - 1; i >= 0; i-- {
		steps[i].request = s.smaller(steps[i].request, func(r request) bool {
			attempt := slices.Clone(steps)
			attempt[i].request = r
			return s.fails(ctx, attempt)
		})
	}
	return steps, true
}

// fails plays steps and reports whether the last of them fails as it should.
func (s *shrinker) fails(ctx context.Context, steps []step) bool {
	if s.err != nil || time.Now().After(s.until) {
		return false
	}
	t, err := s.start()
	if err != nil {
		s.err = err
		return false
	}
	p := newPlayer(t, s.judge)
	defer p.close()
	now := map[string]string{} // what was given then → what is given now
	for i, st := range steps {
		a, f, err := p.play(ctx, st.with(now))
		if err != nil {
			return false // a smaller request may be none at all
		}
		if f != nil && i == len(steps)-1 {
			return f.key == s.key
		}
		maps.Copy(now, st.gave.again(a))
	}
	return false
}

// with is the request with other values in the place of those that were given
// then.
func (r request) with(now map[string]string) request {
	var pairs []string
	for _, then := range longestFirst(now) {
		pairs = append(pairs, then, now[then])
	}
	replace := strings.NewReplacer(pairs...).Replace
	r.target, r.body, r.headers = replace(r.target), replace(r.body), slices.Clone(r.headers)
	for i, h := range r.headers {
		r.headers[i].value = replace(h.value)
	}
	return r
}

// longestFirst orders values that are replaced: a tag may begin with an id.
func longestFirst(replaced map[string]string) []string {
	return slices.SortedFunc(maps.Keys(replaced), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
}

// again is what stands now where the values of m stood.
func (m made) again(a answer) map[string]string {
	var body any
	if json.Unmarshal(a.body, &body) != nil {
		body = nil
	}
	now := map[string]string{}
	for at, then := range m {
		if at == etag {
			now[then] = strings.Trim(a.header.Get("ETag"), `"`)
		} else if value, ok := lookUp(body, at); ok {
			now[then] = value
		}
	}
	return now
}

// lookUp finds a text by a place such as ".data[0].id".
func lookUp(v any, at string) (string, bool) {
	for _, name := range strings.FieldsFunc(at, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		switch x := v.(type) {
		case object:
			v = x[name]
		case list:
			i := int(name[0] - '0') // see firstItems
			if i >= len(x) {
				return "", false
			}
			v = x[i]
		default:
			return "", false
		}
	}
	text, ok := v.(string)
	return text, ok
}

// without leaves out items while fails holds, first many at once and then one by
// one.
func without[T any](items []T, fails func([]T) bool) []T {
	for size := len(items); size > 0; size /= 2 {
		for at := 0; at < len(items); {
			rest := slices.Concat(items[:at], items[min(at+size, len(items)):])
			if fails(rest) {
				items = rest
			} else {
				at += size
			}
		}
	}
	return items
}

// smaller is the smallest request that it finds for which fails holds.
func (s *shrinker) smaller(r request, fails func(request) bool) request {
	r.headers = without(r.headers, func(some []header) bool {
		next := r
		next.headers = some
		return fails(next)
	})
	path, query, _ := strings.Cut(r.target, "?")
	if query != "" {
		rest := without(strings.Split(query, "&"), func(some []string) bool {
			next := r
			next.target = strings.TrimSuffix(path+"?"+strings.Join(some, "&"), "?")
			return fails(next)
		})
		r.target = strings.TrimSuffix(path+"?"+strings.Join(rest, "&"), "?")
	}
	for i := range r.headers {
		r.headers[i].value = shorter(r.headers[i].value, func(text string) bool {
			next := r
			next.headers = slices.Clone(r.headers)
			next.headers[i].value = text
			return fails(next)
		})
	}
	r.body = s.smallerBody(r.body, func(text string) bool {
		next := r
		next.body = text
		return fails(next)
	})
	return r
}

// shorter leaves out characters of a text.
func shorter(text string, fails func(string) bool) string {
	return string(without([]byte(text), func(some []byte) bool { return fails(string(some)) }))
}

// smallerBody makes a body smaller by its values, if it is JSON, and else by its
// characters.
func (s *shrinker) smallerBody(text string, fails func(string) bool) string {
	if text == "" || fails("") {
		return ""
	}
	v, err := decoded(text)
	if err != nil || !fails(encoded(v)) {
		return shorter(text, fails)
	}
	return encoded(smallerValue(v, func(v any) bool { return fails(encoded(v)) }))
}

func decoded(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

func encoded(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it was read from JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// smallerValue makes a value smaller: without members and items that are not
// needed, with shorter texts and simple numbers.
func smallerValue(v any, fails func(any) bool) any {
	if simple := simplest(v); encoded(v) == encoded(simple) || fails(simple) {
		return simple
	}
	switch x := v.(type) {
	case string:
		return string(without([]rune(x), func(some []rune) bool { return fails(string(some)) }))
	case list:
		x = without(x, func(some list) bool { return fails(some) })
		for i := range x {
			x[i] = smallerValue(x[i], func(item any) bool {
				next := slices.Clone(x)
				next[i] = item
				return fails(next)
			})
		}
		return x
	case object:
		names := without(slices.Sorted(maps.Keys(x)), func(some []string) bool { return fails(only(x, some)) })
		x = only(x, names)
		for _, name := range names {
			x[name] = smallerValue(x[name], func(member any) bool {
				next := maps.Clone(x)
				next[name] = member
				return fails(next)
			})
		}
		return x
	}
	return v
}

// simplest is the smallest value of the same type.
func simplest(v any) any {
	switch v.(type) {
	case string:
		return ""
	case json.Number:
		return json.Number("0")
	case list:
		return list{}
	case object:
		return object{}
	}
	return v
}

func only(o object, names []string) object {
	some := object{}
	for _, name := range names {
		some[name] = o[name]
	}
	return some
}
