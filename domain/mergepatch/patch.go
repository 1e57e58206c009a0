// Package mergepatch has JSON Merge Patches (RFC 7396), and what new things are made from,
// for every noun: a noun says how it is read and what is checked.
package mergepatch

import (
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

// Form says what a text is read as.
type Form int

// The forms.
const (
	Change Form = iota // a merge patch of what exists
	Entry              // what the document of an organization says of what may exist
	New                // what a new one is to be
)

// Noun says how a T is read. Try, Finish and Agents may be nil.
type Noun[T any] struct {
	// Blank makes a T that every text fits that is not wrong in itself.
	Blank func(Form) T
	// Read merges what the reader has into a T.
	Read func(*T, *jsondoc.Reader, Form)
	// Try checks what needs no state in a T that was read over a blank one.
	Try func(*T, Patch[T]) error
	// Finish replaces the references of the patch by ids and checks the result. before is
	// the T that was changed, or zero. What the two share must not be changed.
	Finish func(after, before *T, p Patch[T]) error
	// Agents lists the references to agents.
	Agents func(T) []identity.ID

	nothing T // stays zero
}

// Patch is a checked text. Bounds are checked when it is parsed; what the result must
// obey is checked when it is applied.
type Patch[T any] struct {
	Value jsondoc.Value
	Form  Form
	Said  *T                  // by the text that was parsed, over a blank T; not to be changed
	Refs  identity.References // the ids of the agents that it names

	noun *Noun[T]
	at   string // where an entry stands in its document, "" for no entry
	less bool   // the text has less than was parsed
}

// Parse reads a text, which stands at a path in the document of an organization or, if
// that is "", by itself. Errors say where.
func (n *Noun[T]) Parse(path string, v jsondoc.Value, form Form) (Patch[T], error) {
	said := n.Blank(form)
	p := Patch[T]{Value: v, Form: form, Said: &said, noun: n, at: path}
	err := p.read(&said)
	if err == nil && n.Try != nil {
		err = p.Locate(n.Try(&said, p))
	}
	return p, err
}

// read merges the text: a change as a merge patch, anything else as it stands.
func (p Patch[T]) read(v *T) error {
	read := func(r *jsondoc.Reader) { p.noun.Read(v, r, p.Form) }
	if p.Form == Change {
		return jsondoc.Read(p.Value, read)
	}
	return jsondoc.ReadWholeAt(p.at, p.Value, read)
}

// Apply returns v after the patch.
func (p Patch[T]) Apply(v *T) (*T, error) {
	after := new(*v)
	err := p.read(after)
	if err == nil {
		err = p.finish(after, v)
	}
	return after, err
}

// Make returns the new T that the patch describes. begin sets what no text says.
func (p Patch[T]) Make(begin func(*T)) (T, error) {
	v := *p.Said
	if p.less {
		v = p.noun.Blank(p.Form)
		if err := p.read(&v); err != nil {
			return v, err
		}
	}
	begin(&v)
	return v, p.finish(&v, &p.noun.nothing)
}

func (p Patch[T]) finish(after, before *T) error {
	if p.noun.Finish == nil {
		return nil
	}
	return p.Locate(p.noun.Finish(after, before, p))
}

// As returns the patch as a text of another form, or why it does not suffice for that.
func (p Patch[T]) As(form Form) (Patch[T], error) {
	again, err := p.noun.Parse(p.at, p.Value, form)
	return again.Resolve(p.Refs), err
}

// Only returns the patch with those of its fields for which keep holds.
func (p Patch[T]) Only(keep func(field string) bool) Patch[T] {
	p.Value, p.less = p.Value.Only(keep), true
	return p
}

// Has reports whether the patch sets the field. In what is no change, null sets nothing but
// fields that begin as null.
func (p Patch[T]) Has(field string) bool {
	v, ok := p.Value.Get(field)
	return ok && (p.Form == Change || !v.IsNull())
}

// References lists the agents that were parsed, as the caller wrote them.
func (p Patch[T]) References() (texts []string) {
	for _, id := range p.noun.Agents(*p.Said) {
		texts = append(texts, string(id))
	}
	return texts
}

// Resolve returns the patch with the ids of the agents that it names.
func (p Patch[T]) Resolve(refs identity.References) Patch[T] {
	p.Refs = refs
	return p
}

// Locate says of an error where the patch stands.
func (p Patch[T]) Locate(err error) error { return jsondoc.Locate(p.at, err) }
