package jsondoc

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"orgd/domain/fault"
)

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
	child  *Reader // memory for the next object below, nil while that is used

	text    string // of the object
	last    int    // index of the member found last, at first 0
	first   int    // where the object's members start in report.members
	end     int    // and end
	missing int    // where the object's names start in report.missing
}

// Read reads the object v with f. It merges: v may be a JSON Merge Patch whose
// free-form objects are merged into the fields. The error is nil or one
// [ErrInvalid] with all problems, at most 20 of them named, or [ErrMerged] if they
// are all of that kind.
func Read(v Value, f func(*Reader)) error { return read("", v, false, f) }

// ReadWhole is Read for documents that are complete, such as stored ones and
// the bodies that create something: free-form objects are taken exactly as they are, where
// a merge patch would drop their null members, and a field that cannot be null is not there
// if it is.
func ReadWhole(v Value, f func(*Reader)) error { return read("", v, true, f) }

// ReadWholeAt is [ReadWhole] for an object that stands at path in a larger
// document, which the problems then say.
func ReadWholeAt(path string, v Value, f func(*Reader)) error { return read(path, v, true, f) }

func read(path string, v Value, whole bool, f func(*Reader)) error {
	if v.kind != KindObject {
		return notObject(path, v)
	}
	m := memories.Get().(*memory)
	m.report.begin(path)
	m.top = Reader{report: &m.report, whole: whole, item: -1, child: m.top.child}
	m.top.run(v, f)
	err := m.report.err()
	m.report = report{}
	memories.Put(m)
	return err
}

// memory is what a document is read with, and then others. It has nothing of a document.
type memory struct {
	report report
	top    Reader
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// below reads v, which is the member name or an item of it, with f.
func (r *Reader) below(name string, item int, whole bool, v Value, f func(*Reader)) {
	child := r.child
	if r.child = nil; child == nil {
		child = new(Reader)
	}
	*child = Reader{report: r.report, whole: whole, parent: r, name: name, item: item, child: child.child}
	child.run(v, f)
	r.child = child
}

// run reads v with f and reports the members that f did not ask for. It keeps nothing of v.
func (r *Reader) run(v Value, f func(*Reader)) {
	rep := r.report
	r.text = v.text
	r.first, r.missing = len(rep.members), len(rep.missing)
	for p := v.parts(); p.next(); {
		if len(rep.members) == cap(rep.members) {
			rep.members = slices.Grow(rep.members, 1+p.left())
		}
		rep.members = append(rep.members, member{p.ref(), uint32(p.end)})
	}
	r.end = len(rep.members)
	f(r)
	for _, m := range r.members() {
		if m.name&refSeen == 0 {
			r.unknown(m.name)
		}
	}
	rep.members = rep.members[:r.first]
	rep.missing = rep.missing[:r.missing]
	r.text = ""
}

// members are the object's members, in the order of the text.
func (r *Reader) members() []member { return r.report.members[r.first:r.end] }

// Raw returns the member as it is. ok is false if it is absent.
func (r *Reader) Raw(name string) (v Value, ok bool) {
	if !r.Has(name) {
		return Value{}, false
	}
	m := r.members()[r.last]
	begin := skipBetween(r.text, m.name.end(r.text, len(name)))
	return valueOf(r.text[begin:m.end]), true
}

// search returns the index of the member, or -1. Documents mostly have their
// members in the order in which they are read, and some are asked for twice, so
// it begins at the member found last.
func (r *Reader) search(name string) int {
	members := r.members()
	i := r.last
	for range members {
		if members[i].name.is(r.text, name) {
			return i
		}
		if i++; i == len(members) {
			i = 0
		}
	}
	return -1
}

// Has reports whether the member is present, be it null.
func (r *Reader) Has(name string) bool {
	i := r.search(name)
	if i < 0 {
		r.report.missing = append(r.report.missing, name)
		return false
	}
	r.last = i
	r.members()[i].name |= refSeen
	return true
}

// Require reports every one of the members that is absent, or null in a document that is
// whole. Members that are there, even wrong ones, are not its business.
func (r *Reader) Require(names ...string) {
	for _, name := range names {
		if !r.Given(name) {
			r.Fail(name, "is required")
		}
	}
}

// Given reports whether the member is present and, in a document that is whole, not null.
func (r *Reader) Given(name string) bool { return r.Has(name) && !(r.whole && r.Null(name)) }

// ReadOnly makes problems of the members that a client reads and cannot write: they come
// back when somebody sends what a GET has answered.
func (r *Reader) ReadOnly(names ...string) { r.Refuse("is read-only", names...) }

// Refuse makes a problem of each of the members that is there.
func (r *Reader) Refuse(problem string, names ...string) {
	for _, name := range names {
		if i := r.search(name); i >= 0 {
			r.members()[i].name |= refSeen
			r.Fail(name, "%s", problem)
		}
	}
}

// AllowOthers makes members welcome that nobody asks for.
func (r *Reader) AllowOthers() {
	members := r.members()
	for i := range members {
		members[i].name |= refSeen
	}
}

// Null reports whether the member is present and null.
func (r *Reader) Null(name string) bool {
	v, ok := r.Raw(name)
	return ok && v.IsNull()
}

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

// FailWith records the mistakes of an error that says itself which fields it is about,
// by paths from [Reader.PathOf].
func (r *Reader) FailWith(err error) {
	for _, m := range fault.Of(err).Mistakes() {
		if r.report.counts() {
			r.report.add(m.Path, m.Text)
		}
	}
}

// FailItem records a problem with item i of the array name.
func (r *Reader) FailItem(name string, i int, format string, args ...any) {
	if r.report.counts() {
		r.report.add(itemPath(r.PathOf(name), i), fmt.Sprintf(format, args...))
	}
}

func (r *Reader) unknown(m ref) {
	if !r.report.counts() {
		return
	}
	name := m.string(r.text)
	sentence := "unknown field"
	for _, known := range r.report.missing[r.missing:] {
		if strings.EqualFold(name, known) {
			sentence = "unknown field, did you mean " + quoted(known) + "?"
			break
		}
	}
	r.report.add(r.PathOf(name), sentence)
}
