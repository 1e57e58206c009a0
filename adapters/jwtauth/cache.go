package jwtauth

import (
	"crypto/sha256"
	"sync"
	"time"

	"orgd/domain/session"
)

// tokenID identifies a token without keeping it.
type tokenID [sha256.Size]byte

// verdict is a session with what must still hold for it to be believed again.
type verdict struct {
	session session.Session
	from    source
	epoch   uint64 // of the source, before its key was looked up
}

// holds reports whether the verdict can be used at now without looking at the
// token again.
func (v verdict) holds(now time.Time) bool {
	return now.Before(v.session.ExpiresAt) && v.from.epoch() == v.epoch
}

// cache remembers verdicts about accepted tokens, at most size of them: it
// forgets the older half of what was not asked for since the last time it
// forgot. Only accepted tokens enter it, so nobody without a token can flush it.
type cache struct {
	half int

	mu         sync.RWMutex
	young, old map[tokenID]verdict
}

func newCache(size int) *cache {
	return &cache{half: size / 2, young: map[tokenID]verdict{}}
}

// get returns the verdict on a token if there is one that holds.
func (c *cache) get(id tokenID, now time.Time) (session.Session, bool) {
	c.mu.RLock()
	v, young := c.young[id]
	aged := false
	if !young {
		v, aged = c.old[id]
	}
	c.mu.RUnlock()
	if !young && !aged || !v.holds(now) {
		return session.Session{}, false
	}
	if aged {
		c.put(id, v)
	}
	return v.session, true
}

func (c *cache) put(id tokenID, v verdict) {
	if c.half == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.young) >= c.half {
		c.old, c.young = c.young, make(map[tokenID]verdict, c.half)
	}
	c.young[id] = v
}
