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
// goes.
type contents struct {
	mu         sync.Mutex
	max        int // bytes of each generation
	size       int // bytes of the young one
	young, old map[int64]remembered
}

type remembered struct {
	content *identity.Content // shared: nobody changes what it points to
	size    int
}

func newContents(max int) *contents {
	return &contents{max: max / 2, young: map[int64]remembered{}}
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
	c.keep(row, remembered{content, length + contentOverhead})
}

func (c *contents) keep(row int64, r remembered) {
	if _, ok := c.young[row]; ok {
		return
	}
	if c.size+r.size > c.max {
		c.old, c.young, c.size = c.young, map[int64]remembered{}, 0
	}
	c.young[row] = r
	c.size += r.size
}
