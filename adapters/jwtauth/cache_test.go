package jwtauth

import (
	"encoding/binary"
	"sync"
	"testing"
	"time"

	"orgd/domain/session"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func idOf(n int) (id tokenID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

func verdictFrom(from source, id string) verdict {
	return verdict{session.Session{ID: id, ExpiresAt: noon.Add(time.Hour)}, from, from.epoch()}
}

func TestCacheHolds(t *testing.T) {
	r := newRemote(OIDC{}, nil, nil, nil)
	c := newCache(10)
	c.put(idOf(1), verdictFrom(r, "s1"))
	if s, ok := c.get(idOf(1), noon); !ok || s.ID != "s1" {
		t.Errorf("get = %q, %t, want s1", s.ID, ok)
	}
	if s, ok := c.get(idOf(2), noon); ok {
		t.Errorf("get(another token) = %q, want nothing", s.ID)
	}
	if _, ok := c.get(idOf(1), noon.Add(time.Hour-1)); !ok {
		t.Error("get just before the expiry = nothing, want s1")
	}
	if s, ok := c.get(idOf(1), noon.Add(time.Hour)); ok {
		t.Errorf("get at the expiry = %q, want nothing", s.ID)
	}
	r.lost.Add(1)
	if s, ok := c.get(idOf(1), noon); ok {
		t.Errorf("get after a key was dropped = %q, want nothing", s.ID)
	}
}

func TestCacheIsBounded(t *testing.T) {
	c, own := newCache(100), &Issuer{}
	c.put(idOf(-1), verdictFrom(own, "in use"))
	for n := range 10_000 {
		c.put(idOf(n), verdictFrom(own, "s"))
		if size := len(c.young) + len(c.old); size > 100 {
			t.Fatalf("the cache holds %d tokens after %d, want at most 100", size, n)
		}
		if n%20 == 0 {
			if _, ok := c.get(idOf(-1), noon); !ok {
				t.Fatalf("a token in use was forgotten after %d others", n)
			}
		}
	}
	if _, ok := c.get(idOf(0), noon); ok {
		t.Error("get(the first token) = found, want forgotten")
	}
}

func TestCacheOff(t *testing.T) {
	c := newCache(0)
	c.put(idOf(1), verdictFrom(&Issuer{}, "s1"))
	if s, ok := c.get(idOf(1), noon); ok {
		t.Errorf("get = %q, want nothing", s.ID)
	}
}

func TestCacheInParallel(t *testing.T) {
	c, own := newCache(64), &Issuer{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range 2000 {
				id := idOf(n % 100)
				if s, ok := c.get(id, noon); ok && s.ID != string(rune(n%100)) {
					t.Errorf("get(%d) = %q, want its own session", n%100, s.ID)
				}
				c.put(id, verdictFrom(own, string(rune(n%100))))
			}
		})
	}
	all.Wait()
}
