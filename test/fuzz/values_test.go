package fuzz

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type (
	object = map[string]any
	list   = []any
)

// values makes JSON values that a schema allows, and now and then one that it
// does not.
type values struct {
	*rand.Rand
	doc  *description
	pool *pool
	// spoil is how many in a thousand values are wrong.
	spoil int
}

// chance reports true n times in a thousand.
func (v *values) chance(n int) bool { return v.IntN(1000) < n }

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// value makes what a schema allows for a member or a parameter of this name.
func (v *values) value(name string, s *schema) any {
	s = v.doc.schema(s)
	if v.chance(v.spoil) {
		return v.wrong(s)
	}
	if known, ok := v.pool.value(v.Rand, name, s); ok {
		return known
	}
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return pick(v.Rand, s.Enum)
	case len(s.AnyOf) > 0:
		return v.value(name, pick(v.Rand, s.AnyOf))
	case len(s.OneOf) > 0:
		return v.value(name, pick(v.Rand, s.OneOf))
	case len(s.Type) == 0:
		return v.anything(2)
	}
	switch pick(v.Rand, s.Type) {
	case "object":
		return v.object(s)
	case "array":
		return v.array(name, s)
	case "string":
		return v.text(s)
	case "integer":
		return v.number(s, true)
	case "number":
		return v.number(s, false)
	case "boolean":
		return v.IntN(2) == 0
	}
	return nil
}

func (v *values) object(s *schema) any {
	// Few members are wanted as often as many of them.
	often := pick(v.Rand, []int{0, 100, 300, 900})
	if v.chance(50) {
		often = 1000
	}
	o := object{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || v.chance(often) {
			o[name] = v.value(name, s.Properties[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.DependentRequired)) {
		if _, ok := o[name]; ok {
			for _, other := range s.DependentRequired[name] {
				o[other] = v.value(other, s.Properties[other])
			}
		}
	}
	if rest := s.AdditionalProperties; rest != nil && rest.allowed && v.IntN(2) == 0 {
		for range 1 + v.IntN(3) {
			name := v.key()
			if s.PropertyNames != nil {
				name = textOf(v.text(s.PropertyNames))
			}
			if _, own := s.Properties[name]; own {
				continue
			}
			if rest.schema != nil {
				o[name] = v.value(name, rest.schema)
			} else {
				o[name] = v.anything(3)
			}
		}
	}
	if v.chance(v.spoil) {
		v.spoilMembers(o)
	}
	return o
}

// spoilMembers removes a member, adds one, or writes one in other letters.
func (v *values) spoilMembers(o object) {
	names := slices.Sorted(maps.Keys(o))
	if len(names) == 0 || v.IntN(3) == 0 {
		o[v.key()] = v.anything(1)
		return
	}
	name := pick(v.Rand, names)
	if v.IntN(2) == 0 {
		o[strings.ToUpper(name)] = o[name]
	}
	delete(o, name)
}

func (v *values) array(name string, s *schema) any {
	least, most := bound(s.MinItems, 0), bound(s.MaxItems, 1000)
	n := least + v.IntN(min(3, most-least)+1)
	if most <= 300 && v.chance(5) {
		n = most
	}
	if most <= 300 && v.chance(v.spoil/4) {
		n = most + 1
	}
	items, texts := list{}, map[string]bool{}
	for range n {
		item := v.value(name, s.Items)
		if text := textOf(item); !s.UniqueItems || !texts[text] || v.chance(v.spoil) {
			texts[text] = true
			items = append(items, item)
		}
	}
	return items
}

func bound(b *int, otherwise int) int {
	if b == nil {
		return otherwise
	}
	return *b
}

func (v *values) text(s *schema) any {
	least, most := bound(s.MinLength, 0), bound(s.MaxLength, 64)
	switch s.Format {
	case "date-time":
		return pick(v.Rand, times)
	case "date":
		return pick(v.Rand, dates)
	case "uuid":
		return v.uuid()
	}
	n := min(least+v.IntN(12), most)
	switch {
	case v.chance(20):
		n = most
	case v.chance(20):
		n = least
	}
	if s.Pattern != "" {
		return v.matching(s.Pattern, n)
	}
	if v.IntN(4) == 0 && least == 0 || v.IntN(6) == 0 {
		if odd := pick(v.Rand, oddTexts); utf8.ValidString(odd) && inBounds(odd, least, most) {
			return odd
		}
	}
	return v.letters(n)
}

func inBounds(text string, least, most int) bool {
	n := utf8.RuneCountInString(text)
	return n >= least && n <= most
}

// letters is a text of n characters, mostly simple ones.
func (v *values) letters(n int) string {
	alphabet := pick(v.Rand, alphabets)
	var b strings.Builder
	for range n {
		b.WriteRune(pick(v.Rand, alphabet))
	}
	return b.String()
}

var alphabets = [][]rune{
	[]rune("abc"), []rune("abcdefghijklmnopqrstuvwxyz"), []rune("aA bB.-_/"), []rune("äöüßéñ"), []rune("e\u0301a\u0308o\u0323"),
	[]rune("اللغةעברית"), []rune("名前部門"), []rune("\U0001F600\U0001F468\U0010FFFD"), []rune("%$'\"\\&;<>{}[]#?*"), []rune("0123456789"),
}

func (v *values) uuid() string {
	return fmt.Sprintf("%08x-%04x-7%03x-8%03x-%012x", v.Uint32(), v.IntN(1<<16), v.IntN(1<<12), v.IntN(1<<12), v.Int64N(1<<48))
}

// here begins the URL of every webhook: nobody listens there, and nothing else
// is ever asked for.
const here = "http://127.0.0.1:9/"

// matching is a text that a pattern allows, of about n characters.
func (v *values) matching(pattern string, n int) string {
	if strings.Contains(pattern, "://") {
		return here + v.matching("^[a-z0-9/?=&.-]*$", min(n, 64))
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err) // the description is validated elsewhere
	}
	var b strings.Builder
	v.match(&b, re, n)
	return b.String()
}

func (v *values) match(b *strings.Builder, re *syntax.Regexp, n int) {
	repeat := func(least, most int) {
		for range max(least, min(n, most)) {
			v.match(b, re.Sub[0], 1)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(v.rune(re.Rune))
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			if sub.Op == syntax.OpCharClass { // takes one of them
				n--
			}
		}
		for _, sub := range re.Sub {
			v.match(b, sub, n)
		}
	case syntax.OpStar:
		repeat(0, n)
	case syntax.OpPlus:
		repeat(1, n)
	case syntax.OpAlternate:
		v.match(b, pick(v.Rand, re.Sub), n)
	case syntax.OpQuest:
		repeat(0, v.IntN(2))
	case syntax.OpRepeat:
		repeat(re.Min, max(re.Min, re.Max))
	case syntax.OpBeginText, syntax.OpEndText, syntax.OpEndLine, syntax.OpBeginLine:
	default:
		panic("a pattern of the description has " + re.String())
	}
}

// rune picks from the ranges of a class, and mostly what is on a keyboard.
func (v *values) rune(ranges []rune) rune {
	for range 8 {
		r := ' ' + rune(v.IntN('~'-' '+1))
		if v.IntN(6) == 0 {
			r = pick(v.Rand, pick(v.Rand, alphabets))
		}
		for i := 0; i < len(ranges); i += 2 {
			if ranges[i] <= r && r <= ranges[i+1] {
				return r
			}
		}
	}
	i := 2 * v.IntN(len(ranges)/2)
	r := ranges[i] + rune(v.IntN(int(ranges[i+1]-ranges[i])+1))
	if !utf8.ValidRune(r) || unicode.Is(unicode.Cs, r) {
		return ranges[i]
	}
	return r
}

// number is one of the bounds, next to one, or anywhere between them.
func (v *values) number(s *schema, whole bool) any {
	least, most := bounds(s)
	least, most = max(least, -1e15), min(most, 1e15)
	step := 1.0
	if !whole {
		step = pick(v.Rand, []float64{1, 0.5, 0.25, 0.0001})
	}
	small := min(most, least+100)
	x := least + float64(v.IntN(int((small-least)/step)+1))*step
	switch {
	case v.IntN(12) == 0:
		x = most
	case v.IntN(12) == 0:
		x = least
	}
	if s.ExclusiveMinimum != nil && x <= least {
		x = least + step
	}
	if s.ExclusiveMaximum != nil && x >= most {
		x = most - step
	}
	return json.Number(strconv.FormatFloat(x, 'f', -1, 64))
}

func bounds(s *schema) (least, most float64) {
	least, most = -1e6, 1e6
	for _, b := range []*float64{s.Minimum, s.ExclusiveMinimum} {
		if b != nil {
			least = *b
		}
	}
	for _, b := range []*float64{s.Maximum, s.ExclusiveMaximum} {
		if b != nil {
			most = *b
		}
	}
	return least, max(least, most)
}

// key is a name for a member of a free-form object.
func (v *values) key() string {
	if v.IntN(2) == 0 {
		return pick(v.Rand, []string{"a", "b", "x y", "$ne", "a.b", "", "__proto__", "id", "version", "revision", "created_at", "名前"})
	}
	return v.letters(1 + v.IntN(4))
}

// anything is any JSON value with at most so many levels.
func (v *values) anything(levels int) any {
	kinds := 4
	if levels > 0 {
		kinds = 6
	}
	switch v.IntN(kinds) {
	case 0:
		return pick(v.Rand, oddTexts)
	case 1:
		return pick(v.Rand, oddNumbers)
	case 2:
		return pick(v.Rand, []any{nil, true, false})
	case 3:
		return v.letters(v.IntN(5))
	case 4:
		items := list{}
		for range v.IntN(4) {
			items = append(items, v.anything(levels-1))
		}
		return items
	default:
		o := object{}
		for range v.IntN(4) {
			o[v.key()] = v.anything(levels - 1)
		}
		return o
	}
}
