package organization

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// ErrStale is a plan made for another state of the organization, or of another
// document.
var ErrStale = fault.New(fault.VersionConflict, "plan_hash: the organization or the document is not the one of this plan")

// Action is what a change does.
type Action string

// The actions.
const (
	Create  Action = "create"
	Update  Action = "update"
	Delete  Action = "delete"
	Reorder Action = "reorder"
)

// Change is one difference between an organization and a document.
type Change struct {
	// Path is the path of what changes, such as company.currency or
	// agents["Ada"].level. A reorder is of a whole list.
	Path   string
	Action Action
	// Old and New are JSON texts: values of fields, whole entries, or lists of
	// names. Old is null for a creation, New for a deletion.
	Old, New []byte
}

const null = "null"

// entryPath returns the path of an entry in a list.
func entryPath(list, name string) string {
	quoted := jsondoc.NewWriter(nil)
	quoted.Text(name)
	return list + "[" + string(quoted.Bytes()) + "]"
}

// reordered returns the change of an order.
func reordered(list string, before, after []string) Change {
	texts := func(names []string) []byte {
		w := jsondoc.NewWriter(nil)
		w.Texts(names)
		return w.Bytes()
	}
	return Change{Path: list, Action: Reorder, Old: texts(before), New: texts(after)}
}

// Fields are the names of fields of an entry.
type Fields []string

// Has reports whether f has a field.
func (f Fields) Has(field string) bool { return slices.Contains(f, field) }

// divide returns the fields of a department that refer to agents, and the others.
func (f Fields) divide() (references, others Fields) {
	for _, field := range f {
		switch field {
		case "head", "teams", "reporting_lines":
			references = append(references, field)
		default:
			others = append(others, field)
		}
	}
	return references, others
}

// digest is the hash of a plan: of the state that it was made for and of what it
// changes.
type digest struct{ h hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

// state adds one resource of the state.
func (h digest) state(id string, revision int64) {
	h.add([]byte("state"), []byte(id), strconv.AppendInt(nil, revision, 10))
}

func (h digest) change(c Change) { h.add([]byte(c.Path), []byte(c.Action), c.Old, c.New) }

// add writes parts. No other list of parts writes the same bytes.
func (h digest) add(parts ...[]byte) {
	for _, p := range parts {
		h.h.Write([]byte(strconv.Itoa(len(p)) + ":")) // a hash never fails
		h.h.Write(p)
	}
}

// String is the hash in lower-case hex.
func (h digest) String() string { return hex.EncodeToString(h.h.Sum(nil)) }

// IsHash reports whether s may be the hash of a plan.
func IsHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size && s == hex.EncodeToString(b)
}
