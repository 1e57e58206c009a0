package jsondoc

import (
	"fmt"
	"strconv"
	"strings"

	"orgd/domain/fault"
)

// ErrInvalid is returned for JSON that is not the document that was asked for.
// Its occurrences name every problem by the path of its field.
var ErrInvalid = fault.New(fault.RequestValidation, "invalid document")

// maxProblems is how many problems an error names.
const maxProblems = 20

// Reader moves the members of one JSON object into typed fields. A member that
// is absent leaves its field as it was, so one function serves new resources
// (over defaults), JSON Merge Patches (over the current value) and stored
// documents. A member with a problem leaves its field as it was, too. Members
// that nobody asked for are problems.
//
// Fields get memory of their own or memory shared with the parsed text, never
// memory of the value that was there before.
type Reader struct {
	report *report
	whole  bool // free-form objects replace instead of being merged

	parent *Reader // nil at the top
	name   string  // in parent
	item   int     // in the array parent.name, or -1

	members []Member
	last    int // index of the member found last
	seen    int // where the object's flags start in report.seen
	missing int // where the object's names start in report.missing
}

// report collects what all Readers of one document find.
type report struct {
	base     string   // where the document stands in a larger one, "" if nowhere
	problems []string // the first maxProblems
	count    int
	seen     []bool   // stack: per member of every open object, was it asked for
	missing  []string // stack: names that were asked for in vain
}

// Read reads the object v with f. It merges: v may be a JSON Merge Patch whose
// free-form objects are merged into the fields. The error is nil or one
// [ErrInvalid] with all problems, at most 20 of them named.
func Read(v Value, f func(*Reader)) error { return read(v, false, &report{}, f) }

// ReadWhole is Read for documents that are complete, such as stored ones and
// the bodies of PUT: free-form objects are taken exactly as they are, where a
// merge patch would drop their null members.
func ReadWhole(v Value, f func(*Reader)) error { return read(v, true, &report{}, f) }

// ReadWholeAt is [ReadWhole] for an object that stands at path in a larger
// document, which the problems then say.
func ReadWholeAt(path string, v Value, f func(*Reader)) error {
	if v.Kind() != KindObject {
		return ErrInvalid.With("%s: must be an object, not %s", path, v.Kind())
	}
	return read(v, true, &report{base: path}, f)
}

func read(v Value, whole bool, rep *report, f func(*Reader)) error {
	if v.Kind() != KindObject {
		return notObject(v)
	}
	r := Reader{report: rep, whole: whole, item: -1}
	r.run(v, f)
	return rep.err()
}

func notObject(v Value) error {
	return ErrInvalid.With("the document must be an object, not %s", v.Kind())
}

// run reads v with f and reports the members that f did not ask for.
func (r *Reader) run(v Value, f func(*Reader)) {
	rep := r.report
	r.members, r.last = v.Members(), -1
	r.seen, r.missing = len(rep.seen), len(rep.missing)
	rep.seen = append(rep.seen, make([]bool, len(r.members))...)
	f(r)
	for i, m := range r.members {
		if !rep.seen[r.seen+i] {
			r.unknown(m.Name)
		}
	}
	rep.seen = rep.seen[:r.seen]
	rep.missing = rep.missing[:r.missing]
}

// find returns the member and marks it as known.
func (r *Reader) find(name string) (v Value, ok bool) {
	i := r.search(name)
	if i < 0 {
		r.report.missing = append(r.report.missing, name)
		return Value{}, false
	}
	r.last = i
	r.report.seen[r.seen+i] = true
	return r.members[i].Value, true
}

// search returns the index of the member, or -1. Documents mostly have their
// members in the order in which they are read, and some are asked for twice, so
// it looks there first.
func (r *Reader) search(name string) int {
	for i := max(r.last, 0); i < min(r.last+2, len(r.members)); i++ {
		if r.members[i].Name == name {
			return i
		}
	}
	for i := range r.members {
		if r.members[i].Name == name {
			return i
		}
	}
	return -1
}

// Has reports whether the member is present, be it null.
func (r *Reader) Has(name string) bool {
	_, ok := r.find(name)
	return ok
}

// Null reports whether the member is present and null.
func (r *Reader) Null(name string) bool {
	v, ok := r.find(name)
	return ok && v.IsNull()
}

// Raw returns the member as it is. ok is false if it is absent.
func (r *Reader) Raw(name string) (v Value, ok bool) { return r.find(name) }

// Path is where the object stands in the document, such as "agents[3]"; at the
// top it is "" or where the whole document stands.
func (r *Reader) Path() string {
	if r.parent == nil {
		return r.report.base
	}
	path := r.parent.PathOf(r.name)
	if r.item >= 0 {
		path = itemPath(path, r.item)
	}
	return path
}

// PathOf is the path of a member.
func (r *Reader) PathOf(name string) string {
	path := r.Path()
	if path == "" {
		return pathName(name)
	}
	return path + "." + pathName(name)
}

// itemPath is the path of an item of the array at path.
func itemPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// pathName is name as part of a path: in quotes unless it is a plain word.
func pathName(name string) string {
	for _, c := range []byte(name) {
		if !isLetter(c) && (c < '0' || c > '9') && c != '_' && c != '-' && c != '$' {
			return quoted(name)
		}
	}
	if name == "" || len(name) > 64 {
		return quoted(name)
	}
	return name
}

// Fail records a problem with a member, for rules that this package does not
// know. An empty name means the object itself.
func (r *Reader) Fail(name, format string, args ...any) {
	if !r.report.counts() {
		return
	}
	path := r.Path()
	if name != "" {
		path = r.PathOf(name)
	}
	r.report.add(path, fmt.Sprintf(format, args...))
}

// FailWith records a problem that says itself which fields it is about, by paths
// from [Reader.PathOf].
func (r *Reader) FailWith(err error) {
	if r.report.counts() {
		r.report.add("", err.Error())
	}
}

// FailItem records a problem with item i of the array name.
func (r *Reader) FailItem(name string, i int, format string, args ...any) {
	if r.report.counts() {
		r.report.add(itemPath(r.PathOf(name), i), fmt.Sprintf(format, args...))
	}
}

func (r *Reader) unknown(name string) {
	if !r.report.counts() {
		return
	}
	sentence := "unknown field"
	for _, known := range r.report.missing[r.missing:] {
		if strings.EqualFold(name, known) {
			sentence = "unknown field, did you mean " + quoted(known) + "?"
			break
		}
	}
	r.report.add(r.PathOf(name), sentence)
}

// counts counts one more problem and reports whether it is to be named.
func (rep *report) counts() bool {
	rep.count++
	return rep.count <= maxProblems
}

func (rep *report) add(path, sentence string) {
	if path != "" {
		sentence = path + ": " + sentence
	}
	rep.problems = append(rep.problems, sentence)
}

func (rep *report) err() error {
	if rep.count == 0 {
		return nil
	}
	text := strings.Join(rep.problems, "; ")
	if more := rep.count - len(rep.problems); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return ErrInvalid.With("%s", text)
}
