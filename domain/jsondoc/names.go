package jsondoc

import (
	"hash/maphash"
	"strings"
)

// ref says where a string stands in a text, in a quarter of the memory that the
// string takes: a text of a megabyte can have a hundred thousand names.
type ref uint32

const (
	refEscaped ref = 1 << iota // the string has escapes
	refSeen                    // somebody asked for the member of this name
	refBits    = iota

	// maxText is how many bytes a text may have, so that every place in it can be
	// referred to.
	maxText = 1 << (32 - refBits)
)

// refTo refers to the string that begins at a place.
func refTo(at int, escaped bool) ref {
	r := ref(at) << refBits
	if escaped {
		r |= refEscaped
	}
	return r
}

func (r ref) at() int { return int(r >> refBits) }

// end is the place behind the string, which means n bytes.
func (r ref) end(text string, n int) int {
	if r&refEscaped == 0 {
		return r.at() + n + len(`""`)
	}
	end, _ := stringEnd(text, r.at())
	return end
}

// quoted returns the string with its quotes.
func (r ref) quoted(text string) string {
	end, _ := stringEnd(text, r.at())
	return text[r.at():end]
}

// string returns what the string means.
func (r ref) string(text string) string { return unquote(r.quoted(text)) }

// is reports whether the string means s.
func (r ref) is(text, s string) bool {
	begin := r.at() + 1
	if r&refEscaped != 0 {
		return means(text[begin:], s)
	}
	end := begin + len(s)
	return end < len(text) && text[end] == '"' && text[begin:end] == s && strings.IndexByte(s, '"') < 0
}

// refSet finds a string that a text has twice, in time that does not grow with
// the number of strings and in little memory.
type refSet struct {
	n     int
	few   [smallObject]ref
	table []ref // all of them, once they are more; 0 is a free place
}

// smallObject is the number of strings up to which walking them is quicker than
// an index. Hardly a document has more.
const smallObject = 20

// firstTable is how many places the first index has, a power of two.
const firstTable = 64

// seed keeps clients from choosing names that meet in one place of a table.
var seed = maphash.MakeSeed()

// add adds the string s, to which r refers, unless the set has it: then it
// returns what refers to the first one. Otherwise it returns 0, where no string
// of an array or object stands.
func (s *refSet) add(text, str string, r ref) (first ref) {
	if s.table == nil {
		for _, other := range s.few[:s.n] {
			if other.is(text, str) {
				return other
			}
		}
		if s.n < len(s.few) {
			s.few[s.n] = r
			s.n++
			return 0
		}
		s.grow(text, s.few[:], firstTable)
	}
	if 4*s.n >= 3*len(s.table) {
		larger := 4 * len(s.table)
		if larger > len(text)/3 {
			larger /= 2 // there cannot be many more
		}
		s.grow(text, s.table, larger)
	}
	place := s.place(text, str)
	if *place != 0 {
		return *place
	}
	*place = r
	s.n++
	return 0
}

// grow moves all strings to a table with so many places.
func (s *refSet) grow(text string, all []ref, places int) {
	s.table = make([]ref, places)
	mask := places - 1
	for _, r := range all {
		if r == 0 {
			continue
		}
		i := int(r.hash(text)) & mask
		for s.table[i] != 0 {
			i = (i + 1) & mask
		}
		s.table[i] = r
	}
}

// place is where the string is in the table, or where it belongs.
func (s *refSet) place(text, str string) *ref {
	mask := len(s.table) - 1
	for i := int(maphash.String(seed, str)) & mask; ; i = (i + 1) & mask {
		if r := &s.table[i]; *r == 0 || r.is(text, str) {
			return r
		}
	}
}

// hash returns the hash of the string without its quotes and escapes.
func (r ref) hash(text string) uint64 {
	quoted := r.quoted(text)
	if r&refEscaped == 0 {
		return maphash.String(seed, quoted[1:len(quoted)-1])
	}
	var usual [128]byte
	return maphash.Bytes(seed, appendUnescaped(usual[:0], quoted))
}

// Index has the members of an object and finds them by name, in time that does
// not grow with the object. Make one with [Value.Index] for more than a few
// searches; [Value.Get] walks the text each time.
type Index struct {
	members []Member
	byName  map[string]Value // nil for a small object
}

// Index makes the members of the object v; a value of another kind has none.
func (v Value) Index() Index {
	x := Index{members: v.Members()}
	if len(x.members) > smallObject {
		x.byName = make(map[string]Value, len(x.members))
		for _, m := range x.members {
			x.byName[m.Name] = m.Value
		}
	}
	return x
}

// Members are the members in the order of the text. They must not be changed.
func (x Index) Members() []Member { return x.members }

// Get returns the member that has exactly this name. ok is false if there is
// none.
func (x Index) Get(name string) (member Value, ok bool) {
	if x.byName != nil {
		member, ok = x.byName[name]
		return member, ok
	}
	for _, m := range x.members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Value{}, false
}
