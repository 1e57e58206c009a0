package sqlitestore

import (
	"sync"

	"orgd/domain/identity"
)

const (
	// maxContents bounds the memory of the contents that are remembered, in
	// bytes.
	maxContents = 32 << 20
	// contentOverhead is what a content takes beside its text, about.
	contentOverhead = 1 << 10
)

// contents remembers identities that were read, by the number of their row.
// Reading one from its text costs twenty times as much as finding the row. A
// row never changes once it is committed, so nothing here is ever out of date;
// rows of a transaction that is still open must not get in.
//
// It has two generations: what was not asked for while the young one filled up
// goes. What an agent was before goes at once, as nobody asks for it any more: or
// memory would grow with the changes and not with the agents.
type contents struct {
	mu         sync.Mutex
	max        int // bytes of each generation
	size       int // bytes of the young one
	young, old map[int64]remembered
	newest     map[identity.ID]int64 // the row of each agent in one of the two
}

type remembered struct {
	content *identity.Content // shared: nobody changes what it points to
	size    int
}

func newContents(max int) *contents {
	return &contents{max: max / 2, young: map[int64]remembered{}, newest: map[identity.ID]int64{}}
}

// get returns the content of a row, or nil if it is not remembered.
func (c *contents) get(row int64) *identity.Content {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.young[row]; ok {
		return r.content
	}
	if r, ok := c.old[row]; ok {
		c.keep(row, r)
		return r.content
	}
	return nil
}

// put remembers the content of a row whose text has length bytes.
func (c *contents) put(row int64, content *identity.Content, length int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, known := c.newest[content.ID]
	if known && before > row {
		return // read before the agent was changed
	}
	if known && before < row {
		c.drop(before)
	}
	c.keep(row, remembered{content, length + contentOverhead})
}

// forget drops what is remembered of an agent that is gone.
func (c *contents) forget(id identity.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if row, ok := c.newest[id]; ok {
		c.drop(row)
		delete(c.newest, id)
	}
}

func (c *contents) drop(row int64) {
	c.size -= c.young[row].size
	delete(c.young, row)
	delete(c.old, row)
}

func (c *contents) keep(row int64, r remembered) {
	if _, ok := c.young[row]; ok {
		return
	}
	if c.size+r.size > c.max {
		c.age()
	}
	c.young[row], c.newest[r.content.ID] = r, row
	c.size += r.size
}

// age makes the young generation the old one, which goes.
func (c *contents) age() {
	for row, r := range c.old {
		if _, kept := c.young[row]; !kept && c.newest[r.content.ID] == row {
			delete(c.newest, r.content.ID)
		}
	}
	c.old, c.young, c.size = c.young, map[int64]remembered{}, 0
}
