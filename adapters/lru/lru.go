// Package lru keeps values that were used lately, in bounded memory.
package lru

import "container/list"

// Cache keeps values up to a number of bytes. The one that was not asked for the
// longest goes first. It is not safe for concurrent use.
type Cache[K comparable, V any] struct {
	max   int       // bytes
	size  int       // bytes
	order list.List // of *kept, the one that was asked for last in front
	at    map[K]*list.Element
}

// kept is a value that a cache keeps.
type kept[K comparable, V any] struct {
	key   K
	value V
	size  int // bytes
}

// New returns a cache of at most max bytes.
func New[K comparable, V any](max int) Cache[K, V] {
	return Cache[K, V]{max: max, at: map[K]*list.Element{}}
}

// Len returns how many values are kept.
func (c *Cache[K, V]) Len() int { return len(c.at) }

// Size returns how many bytes the values are, as those have said who put them.
func (c *Cache[K, V]) Size() int { return c.size }

// Get returns the value of a key, if it is kept.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	at := c.at[key]
	if at == nil {
		return value, false
	}
	c.order.MoveToFront(at)
	return at.Value.(*kept[K, V]).value, true
}

// Put keeps a value, unless its key has one, and calls gone with each that has to
// go for it.
func (c *Cache[K, V]) Put(key K, value V, size int, gone func(V)) {
	if c.at[key] != nil {
		return
	}
	c.at[key] = c.order.PushFront(&kept[K, V]{key, value, size})
	c.size += size
	for c.size > c.max {
		gone(c.drop(c.order.Back()))
	}
}

// Remove drops the value of a key, if it is kept.
func (c *Cache[K, V]) Remove(key K) (value V, ok bool) {
	at := c.at[key]
	if at == nil {
		return value, false
	}
	return c.drop(at), true
}

func (c *Cache[K, V]) drop(at *list.Element) V {
	k := c.order.Remove(at).(*kept[K, V])
	c.size -= k.size
	delete(c.at, k.key)
	return k.value
}
