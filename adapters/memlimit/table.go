package memlimit

import (
	"hash/maphash"
	"maps"
	"strings"
	"sync"
	"time"
)

const (
	shards     = 64 // parts with a lock of their own
	evictEvery = 10 * time.Second
)

// table keeps the groups of one kind, spread over shards by their key.
type table struct {
	seed   maphash.Seed
	shards *[shards]shard
}

func newTable() table {
	t := table{seed: maphash.MakeSeed(), shards: new([shards]shard)}
	for i := range t.shards {
		t.shards[i].groups = make(map[string]*group)
	}
	return t
}

func (t *table) shard(key string) *shard {
	return &t.shards[maphash.String(t.seed, key)%shards]
}

// shard is one part of a table. Its lock guards everything that hangs on it.
type shard struct {
	mu      sync.Mutex
	groups  map[string]*group
	evictAt time.Duration // when to look for idle groups again
}

// group returns the group of the key, made if there is none.
func (s *shard) group(key string) *group {
	g := s.groups[key]
	if g == nil {
		g = new(group)
		// The caller's text may be a piece of a whole request header.
		s.groups[strings.Clone(key)] = g
	}
	return g
}

// evict forgets the groups in which nothing counts any more. It looks at all of
// them, but so rarely that it costs a request next to nothing.
func (s *shard) evict(now time.Duration) {
	if now < s.evictAt {
		return
	}
	s.evictAt = now + evictEvery
	before := len(s.groups)
	maps.DeleteFunc(s.groups, func(_ string, g *group) bool { return g.idle(now) })
	if len(s.groups) < before/2 {
		// A map never gives back the memory of its deleted entries by itself.
		left := make(map[string]*group, len(s.groups))
		maps.Copy(left, s.groups)
		s.groups = left
	}
}
