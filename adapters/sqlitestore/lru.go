package sqlitestore

import "container/list"

// lru keeps values up to a number of bytes. The one that was not asked for the
// longest goes first. It is not safe for concurrent use.
type lru[K comparable, V any] struct {
	max   int       // bytes
	size  int       // bytes
	order list.List // of *kept, the one that was asked for last in front
	at    map[K]*list.Element
}

// kept is a value that an lru keeps.
type kept[K comparable, V any] struct {
	key   K
	value V
	size  int // bytes
}

func newLRU[K comparable, V any](max int) lru[K, V] {
	return lru[K, V]{max: max, at: map[K]*list.Element{}}
}

// get returns the value of a key, if it is kept.
func (c *lru[K, V]) get(key K) (value V, ok bool) {
	at := c.at[key]
	if at == nil {
		return value, false
	}
	c.order.MoveToFront(at)
	return at.Value.(*kept[K, V]).value, true
}

// put keeps a value, unless its key has one, and calls gone with each that has to
// go for it.
func (c *lru[K, V]) put(key K, value V, size int, gone func(V)) {
	if c.at[key] != nil {
		return
	}
	c.at[key] = c.order.PushFront(&kept[K, V]{key, value, size})
	c.size += size
	for c.size > c.max {
		gone(c.drop(c.order.Back()))
	}
}

// remove drops the value of a key, if it is kept.
func (c *lru[K, V]) remove(key K) (value V, ok bool) {
	at := c.at[key]
	if at == nil {
		return value, false
	}
	return c.drop(at), true
}

func (c *lru[K, V]) drop(at *list.Element) V {
	k := c.order.Remove(at).(*kept[K, V])
	c.size -= k.size
	delete(c.at, k.key)
	return k.value
}
