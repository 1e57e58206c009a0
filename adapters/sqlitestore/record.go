package sqlitestore

import (
	"orgd/adapters/agentindex"
	"orgd/domain/agent"
	"orgd/domain/name"
)

// recordOverhead is what a record takes beside its texts, about.
const recordOverhead = 512

// record is an agent with what it is found by.
type record struct {
	agent.Record
	stored       string // the text of the identity, of which Identity may have more
	inVersion    bool   // whether the text stands in the row of its version
	id, orderKey string // packed
	key          name.Key
}

// is reports whether the record is what an entry of the index is of. Whatever changes an agent
// gives it another revision or another order key.
func (r *record) is(e *agentindex.Entry) bool {
	return r.Revision == e.Revision() && r.orderKey == e.OrderKey() && r.id == e.ID()
}

func (r *record) size() int {
	size := r.Size() + len(r.Labels) + len(r.Name) + len(r.key) + recordOverhead
	if len(r.stored) != len(r.Identity) {
		size += len(r.stored)
	}
	return size
}
