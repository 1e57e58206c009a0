// Package fields lists the fields of the nouns of the interface, as plain data: how each
// is called, what it holds, in which forms of the noun it stands, and what is to be said of it.
//
// make generate writes the schemas of the API description from it, and a test sends every
// field by it, so that the description and the service agree. The program does not read it.
// What stands around answers, and errors, are listed in the same way.
package fields

// Form is one of the forms that a noun is written in, or several of them.
type Form int

// The forms. The first five are those of answers, the others those of requests.
const (
	Whole    Form = 1 << iota
	Version       // an agent in one of its versions
	Summary       // an agent in a list with view=summary
	Secret        // a webhook when its secret is shown
	Document      // in the organization as one document
	Create        // a new one
	Change        // a merge patch
	Entry         // in a document that is planned or applied

	Answers  = Whole | Version | Summary | Secret | Document
	Requests = Create | Change | Entry
)

// Noun is a kind of object.
type Noun struct {
	Name    string
	Schemas map[Form]Schema
	// Together are fields of a patch that are sent both or not at all. In other requests
	// null is as good as absent, which no schema says.
	Together [2]string
	// Open says that members are kept which are not listed.
	Open   bool
	Fields []Field
}

// Schema is a component of the description.
type Schema struct{ Name, Doc string }

// Field is a member of an object.
type Field struct {
	Name string
	// Kind is what it holds: a noun, in the form of the object around it; the name of a
	// component of interface.yaml, which says its bounds; or a schema in braces. In is the
	// kind of requests, and Kinds that of single forms, where they are others.
	Kind, In string
	Kinds    map[Form]string
	// List is the most items of a list of that kind, or [NoEnd]; in requests, items are written
	// as new ones.
	List   int
	Unique bool // no item stands twice

	Forms   Form   // where it stands; 0 for all forms of the noun
	Must    Form   // the requests that need it
	Null    bool   // it may be null; where it may be left out of what is no change, it always may
	Default string // of a new one, in YAML
	// Maybe are the answers that may lack it, such as versions that are older than the field.
	Maybe Form
	// Doc is said instead of what is said of the kind, and Docs instead of Doc in single
	// forms; there, an empty text leaves what is said of the kind.
	Doc  string
	Docs map[Form]string
}

// NoEnd is the length of lists that may have any.
const NoEnd = -1

// StandsIn reports whether the field stands in a form.
func (f Field) StandsIn(form Form) bool { return f.Forms == 0 || f.Forms&form != 0 }
