package organization

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"

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
	// Path names what changes, such as company.currency or
	// agents["Ada"].level. A reorder is of a whole list.
	Path   string
	Action Action
	// Old and New are JSON texts: values of fields, whole entries, or lists of
	// names. Old is null for a creation, New for a deletion.
	Old, New []byte
}

const null = "null"

// Of returns the path of an entry that is named, or of one of its fields.
func Of(list, name, field string) string {
	quoted := jsondoc.NewWriter(nil)
	quoted.Text(name)
	path := list + "[" + string(quoted.Bytes()) + "]"
	if field != "" {
		path += "." + field
	}
	return path
}

// Created returns the change that makes an entry.
func Created(path string, entry []byte) Change {
	return Change{Path: path, Action: Create, Old: []byte(null), New: entry}
}

// Deleted returns the change that removes an entry.
func Deleted(path string, entry []byte) Change {
	return Change{Path: path, Action: Delete, Old: entry, New: []byte(null)}
}

// Reordered returns the change of an order.
func Reordered(list string, before, after []string) Change {
	texts := func(names []string) []byte {
		w := jsondoc.NewWriter(nil)
		w.Texts(names)
		return w.Bytes()
	}
	return Change{Path: list, Action: Reorder, Old: texts(before), New: texts(after)}
}

// Comparison is an entry before and after a change, as JSON text with the same
// fields. Both name agents as they will be called, because a rename changes
// nothing of those who refer to the agent.
type Comparison struct {
	Before, After []byte
	// Shown is the entry before with the names of then. It is asked only if
	// something differs.
	Shown func() []byte
	Path  func(field string) string
}

// Changes returns a change for each field that differs, and these fields. The texts may
// be long: it holds no more of them at once than it must.
func (c Comparison) Changes() ([]Change, Fields, error) {
	if string(c.Before) == string(c.After) {
		return nil, nil, nil
	}
	before, err := members(c.Before)
	if err != nil {
		return nil, nil, err
	}
	after, err := members(c.After)
	if err != nil {
		return nil, nil, err
	}
	fields := Fields{}
	for i, m := range after {
		if !before[i].Value.Equal(m.Value) {
			fields[strings.Clone(m.Name)] = true // which would keep the text of the whole entry
		}
	}
	shown, err := members(c.Shown())
	if err != nil {
		return nil, nil, err
	}
	var changes []Change
	for i, m := range after {
		if fields.Has(m.Name) {
			changes = append(changes, Change{
				Path: c.Path(m.Name), Action: Update, Old: shown[i].Value.Append(nil), New: m.Value.Append(nil),
			})
		}
	}
	return changes, fields, nil
}

func members(text []byte) ([]jsondoc.Member, error) {
	v, err := jsondoc.ParseStored(text)
	return v.Members(), err
}

// Fields are those of an entry that differ.
type Fields map[string]bool

// Has reports whether a field differs.
func (f Fields) Has(field string) bool { return f[field] }

// Hash identifies a plan: the state that it was made for and what it changes.
// The zero value is not useful; use [NewHash].
type Hash struct{ h hash.Hash }

// NewHash returns the hash of nothing.
func NewHash() Hash { return Hash{sha256.New()} }

// State adds one resource of the state.
func (h Hash) State(id string, revision int64) {
	h.add([]byte("state"), []byte(id), strconv.AppendInt(nil, revision, 10))
}

// Change adds a change.
func (h Hash) Change(c Change) { h.add([]byte(c.Path), []byte(c.Action), c.Old, c.New) }

// add writes parts so that no other list of parts has the same bytes.
func (h Hash) add(parts ...[]byte) {
	for _, p := range parts {
		h.h.Write([]byte(strconv.Itoa(len(p)) + ":")) // a hash never fails
		h.h.Write(p)
	}
}

// String is the hash in lower-case hex.
func (h Hash) String() string { return hex.EncodeToString(h.h.Sum(nil)) }

// IsHash reports whether s may be the hash of a plan.
func IsHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size && s == hex.EncodeToString(b)
}
