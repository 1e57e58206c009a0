package memory

import (
	"orgd/adapters/agentindex"
	"orgd/domain/agent"
	"orgd/domain/name"
)

// recordOverhead is what a record takes beside its texts, about.
const recordOverhead = 512

// Record is an agent with what it is found by.
type Record struct {
	agent.Record
	Stored    string // the text of the identity, of which Identity may have more
	InVersion bool   // whether the text stands in the row of its version
	PackedID  string
	PackedKey string // packed order key
	NameKey   name.Key
}

// Is reports whether the record is what an entry of the index is of. Whatever changes an agent
// gives it another revision or another order key.
func (r *Record) Is(e *agentindex.Entry) bool {
	return r.Revision == e.Revision() && r.PackedKey == e.OrderKey() && r.PackedID == e.ID()
}

func (r *Record) size() int {
	size := r.Size() + len(r.Labels) + len(r.Name) + len(r.NameKey) + recordOverhead
	if len(r.Stored) != len(r.Identity) {
		size += len(r.Stored)
	}
	return size
}
