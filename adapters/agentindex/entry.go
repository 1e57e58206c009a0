package agentindex

import (
	"strings"
	"unique"
)

// Class is what agents are filtered by. Agents of the same class share it.
type Class struct {
	Department, Level, Status string

	Owner string // "" if it has none
	Tags  string // of [TagsText]
}

// TagsText has a comma on both sides of each tag.
func TagsText(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "," + strings.Join(tags, ",") + ","
}

// Fields are what an [Entry] is made of. Ids and order keys are any bytes; an order key that is
// empty is the id.
type Fields struct {
	ID, OrderKey, NameKey, Name string

	Class    Class
	Revision int64
	Row      int64 // where the store has the agent; 0 means where the entry before says
}

// Entry is what an index has of an agent. It never changes once it is in one.
//
// It takes about 100 bytes: the texts are one, and an order key that is the id, or a name that
// is its key, is there once.
type Entry struct {
	text     string // id, order key, name key, name
	class    unique.Handle[Class]
	revision int64
	row      int64

	endID, endOrderKey, endNameKey uint16
}

// New returns an entry, which keeps none of the texts in memory.
func New(f Fields) *Entry {
	if f.OrderKey == f.ID {
		f.OrderKey = ""
	}
	if f.Name == f.NameKey {
		f.Name = ""
	}
	e := &Entry{class: unique.Make(f.Class), revision: f.Revision, row: f.Row}
	e.endID = uint16(len(f.ID))
	e.endOrderKey = e.endID + uint16(len(f.OrderKey))
	e.endNameKey = e.endOrderKey + uint16(len(f.NameKey))
	e.text = f.ID + f.OrderKey + f.NameKey + f.Name
	return e
}

// at returns an entry to look a position up.
func at(orderKey, id string) *Entry { return New(Fields{OrderKey: orderKey, ID: id}) }

// ID returns the id.
func (e *Entry) ID() string { return e.text[:e.endID] }

// OrderKey returns the order key.
func (e *Entry) OrderKey() string {
	if e.endOrderKey == e.endID {
		return e.ID()
	}
	return e.text[e.endID:e.endOrderKey]
}

// NameKey returns the key of the name.
func (e *Entry) NameKey() string { return e.text[e.endOrderKey:e.endNameKey] }

// Name returns the name as it is written.
func (e *Entry) Name() string {
	if int(e.endNameKey) == len(e.text) {
		return e.NameKey()
	}
	return e.text[e.endNameKey:]
}

// Revision returns the revision.
func (e *Entry) Revision() int64 { return e.revision }

// Tags returns the text of the tags.
func (e *Entry) Tags() string { return e.class.Value().Tags }

// Row returns where the store has the agent.
func (e *Entry) Row() int64 { return e.row }

// In returns the entry of an agent that the store has at a row.
func (e *Entry) In(row int64) *Entry {
	in := *e
	in.row = row
	return &in
}

// Moved returns the entry of the same agent with another order key.
func (e *Entry) Moved(orderKey string) *Entry {
	return New(Fields{e.ID(), orderKey, e.NameKey(), e.Name(), e.class.Value(), e.revision, e.row})
}
