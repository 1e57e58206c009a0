package sqlitestore

import (
	"sync"

	"orgd/adapters/agentindex"
	"orgd/adapters/lru"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// maxRecords bounds the memory of the records that are remembered, in bytes.
const maxRecords = 20 << 20

// records remembers agents that were read, and the names of departments: finding
// one in the database takes longer than all the rest of a request for it.
//
// Nothing here is ever out of date, because no other process changes the database.
// Before a commit begins, the writer evicts what the commit changes, and until the
// commit has ended nothing is added. Then the writer adds what it has stored. A read
// adds what it has found only if no such commit began or ended since before the read.
type records struct {
	mu      sync.Mutex
	byID    lru.Cache[string, record] // the packed id
	names   map[name.Key]string       // the packed id of each that is remembered
	commits stamp

	departments map[name.Key]string // how each writes its name, which only another one changes
}

// stamp counts the beginnings and ends of commits that change what may be
// remembered: it is odd while one is under way.
type stamp uint64

// isBusy reports whether a commit was under way.
func (s stamp) isBusy() bool { return s%2 != 0 }

func newRecords(max int) *records {
	return &records{
		byID: lru.New[string, record](max), names: map[name.Key]string{}, departments: map[name.Key]string{},
	}
}

// now returns the stamp that a read begins with, to be told with what it found.
func (c *records) now() stamp {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commits
}

// get returns the agent that ref names if it is remembered.
func (c *records) get(ref identity.Ref) (record, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.names[ref.Name]
	if ref.ID != "" {
		id = string(packID(ref.ID))
	}
	return c.byID.Get(id)
}

// member returns the agent of a packed id that a read has found which began with
// a stamp: false if it is not remembered, or if any agent may have changed since,
// so that those of one read are as they were at one time.
func (c *records) member(since stamp, id []byte) (record, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holds(since) {
		return record{}, false
	}
	return c.byID.Get(string(id))
}

// of returns the agent of an entry if it is remembered as it is there.
func (c *records) of(e *agentindex.Entry) (record, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.byID.Get(e.ID())
	return r, ok && r.is(e)
}

// put remembers what a read has found that began with a stamp.
func (c *records) put(since stamp, found ...*record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holds(since) {
		return
	}
	for _, r := range found {
		c.keep(r)
	}
}

// department returns the name of a department if it is remembered.
func (c *records) department(key name.Key) (name.Name, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.departments[key]
	return name.Name{Text: text, Key: key}, ok
}

// putDepartment remembers a name that a read has found that began with a stamp.
func (c *records) putDepartment(since stamp, n name.Name) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds(since) {
		c.departments[n.Key.Clone()] = n.Text
	}
}

// before evicts what a commit is about to change.
func (c *records) before(what changes) {
	if !what.concernRecords() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commits++
	for _, a := range what.agents {
		c.remove(a.ID)
	}
	for _, key := range what.departments {
		delete(c.departments, key)
	}
}

// after remembers what agents have become, each as its last change has left it. None of them
// is remembered if it is not certain that the changes are stored.
func (c *records) after(what changes, err error) {
	if !what.concernRecords() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commits++
	if err != nil {
		return
	}
	for _, a := range what.agents {
		c.remove(a.ID)
		if a.record != nil {
			c.keep(a.record)
		}
	}
}

// holds reports whether no commit was under way at the stamp or has begun since.
func (c *records) holds(since stamp) bool { return since == c.commits && !since.isBusy() }

func (c *records) keep(r *record) {
	if _, ok := c.byID.Get(r.id); ok {
		return
	}
	c.names[r.key] = r.id
	c.byID.Put(r.id, *r, r.size(), func(r record) { delete(c.names, r.key) })
}

func (c *records) remove(id string) {
	if r, ok := c.byID.Remove(id); ok {
		delete(c.names, r.key)
	}
}
