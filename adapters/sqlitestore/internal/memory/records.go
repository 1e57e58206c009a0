package memory

import (
	"sync"

	"orgd/adapters/agentindex"
	"orgd/adapters/lru"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// MaxRecords bounds the memory of the records that are remembered, in bytes.
const MaxRecords = 20 << 20

// Records remembers agents that were read, and the names of departments: finding
// one in the database takes longer than all the rest of a request for it.
//
// Nothing here is ever out of date, because no other process changes the database.
// Before a commit begins, the writer evicts what the commit changes, and until the
// commit has ended nothing is added. Then the writer adds what it has stored. A read
// adds what it has found only if no such commit began or ended since before the read.
type Records struct {
	mu      sync.Mutex
	byID    lru.Cache[string, Record] // the packed id
	names   map[name.Key]string       // the packed id of each that is remembered
	commits Stamp

	departments map[name.Key]string // how each writes its name, which only another one changes
}

// Stamp counts the beginnings and ends of commits that change what may be
// remembered: it is odd while one is under way.
type Stamp uint64

// isBusy reports whether a commit was under way.
func (s Stamp) isBusy() bool { return s%2 != 0 }

// NewRecords returns one of at most so many bytes.
func NewRecords(max int) *Records {
	return &Records{
		byID: lru.New[string, Record](max), names: map[name.Key]string{}, departments: map[name.Key]string{},
	}
}

// Now returns the stamp that a read begins with, to be told with what it found.
func (c *Records) Now() Stamp {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commits
}

// Get returns the agent that ref names if it is remembered.
func (c *Records) Get(ref identity.Ref) (Record, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.names[ref.Name]
	if ref.ID != "" {
		id = string(sqlite.PackID(ref.ID))
	}
	return c.byID.Get(id)
}

// Member returns the agent of a packed id that a read has found which began with
// a stamp: false if it is not remembered, or if any agent may have changed since,
// so that those of one read are as they were at one time.
func (c *Records) Member(since Stamp, id []byte) (Record, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holds(since) {
		return Record{}, false
	}
	return c.byID.Get(string(id))
}

// Of returns the agent of an entry if it is remembered as it is there.
func (c *Records) Of(e *agentindex.Entry) (Record, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.byID.Get(e.ID())
	return r, ok && r.Is(e)
}

// Put remembers what a read has found that began with a stamp.
func (c *Records) Put(since Stamp, found ...*Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holds(since) {
		return
	}
	for _, r := range found {
		c.keep(r)
	}
}

// Department returns the name of a department if it is remembered.
func (c *Records) Department(key name.Key) (name.Name, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.departments[key]
	return name.Name{Text: text, Key: key}, ok
}

// PutDepartment remembers a name that a read has found that began with a stamp.
func (c *Records) PutDepartment(since Stamp, n name.Name) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds(since) {
		c.departments[n.Key.Clone()] = n.Text
	}
}

// before evicts what a commit is about to change.
func (c *Records) before(what Changes) {
	if !what.concernRecords() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commits++
	for _, a := range what.Agents {
		c.remove(a.ID)
	}
	for _, key := range what.Departments {
		delete(c.departments, key)
	}
}

// after remembers what agents have become, each as its last change has left it. None of them
// is remembered if it is not certain that the changes are stored.
func (c *Records) after(what Changes, err error) {
	if !what.concernRecords() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commits++
	if err != nil {
		return
	}
	for _, a := range what.Agents {
		c.remove(a.ID)
		if a.Record != nil {
			c.keep(a.Record)
		}
	}
}

// holds reports whether no commit was under way at the stamp or has begun since.
func (c *Records) holds(since Stamp) bool { return since == c.commits && !since.isBusy() }

func (c *Records) keep(r *Record) {
	if _, ok := c.byID.Get(r.PackedID); ok {
		return
	}
	c.names[r.NameKey] = r.PackedID
	c.byID.Put(r.PackedID, *r, r.size(), func(r Record) { delete(c.names, r.NameKey) })
}

func (c *Records) remove(id string) {
	if r, ok := c.byID.Remove(id); ok {
		delete(c.names, r.NameKey)
	}
}
