// Package contents remembers the contents of versions, which never change, for both stores.
package contents

import (
	"sync"

	"orgd/adapters/lru"
	"orgd/domain/identity"
)

const (
	// maxSize bounds the memory of what is remembered, in bytes.
	maxSize = 20 << 20
	// overhead is what a content takes beside its text, about, in bytes.
	overhead = 512
)

// Memory has contents that were read lately. It is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	known lru.Cache[key, identity.Stored]
}

type key struct {
	agent  string
	number int64
}

// New returns an empty memory.
func New() *Memory { return &Memory{known: lru.New[key, identity.Stored](maxSize)} }

// Get returns the content of a version of an agent, if it is remembered.
func (m *Memory) Get(agent string, number int64) (identity.Stored, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known.Get(key{agent, number})
}

// Put remembers the content of a version of an agent, which is named as for [Memory.Get].
func (m *Memory) Put(agent string, number int64, content identity.Stored) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known.Put(key{agent, number}, content, len(content.Text)+overhead, func(identity.Stored) {})
}

// Remove drops the contents of an agent with so many versions. Other processes may remember
// them, so whoever shows one has to see first that the agent is there.
func (m *Memory) Remove(agent string, versions int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for number := range versions {
		m.known.Remove(key{agent, number + 1})
	}
}
