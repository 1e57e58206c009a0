package lru

import (
	"slices"
	"testing"
)

func TestCache(t *testing.T) {
	c := New[int, string](10)
	var gone []string
	put := func(key, size int) {
		c.Put(key, string(rune('a'+key)), size, func(v string) { gone = append(gone, v) })
	}
	put(0, 4)
	put(1, 4)
	put(1, 9) // it has one already
	c.Get(0)
	put(2, 4)
	if want := []string{"b"}; !slices.Equal(gone, want) || c.Len() != 2 || c.order.Len() != 2 || c.Size() != 8 {
		t.Errorf("gone are %v of %d bytes, want %v, which was not asked for the longest", gone, c.Size(), want)
	}
	if v, ok := c.Get(0); v != "a" || !ok {
		t.Errorf("Get(0) = %q, %t", v, ok)
	}
	if v, ok := c.Remove(0); v != "a" || !ok || c.Len() != 1 || c.Size() != 4 {
		t.Errorf("Remove(0) = %q, %t, and leaves %d bytes", v, ok, c.Size())
	}
	if _, ok := c.Remove(0); ok {
		t.Error("Remove of what is not kept = true")
	}
	put(3, 11)
	if c.Len() != 0 || c.order.Len() != 0 || c.Size() != 0 {
		t.Errorf("%d values are kept of %d bytes, want none: the last one is too large", c.Len(), c.Size())
	}
}
