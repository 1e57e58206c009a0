package sqlitestore

import (
	"orgd/adapters/agentindex"
	"orgd/adapters/contents"
)

// memory is what a process holds of its database in memory. None of it is ever out of date: no
// other process changes the database, and the writer tells what a commit changes.
type memory struct {
	agents   *agentindex.Live
	known    *records
	contents *contents.Memory
	events   *events
	newest   *newest
	figures  *agentFigures
}

func newMemory() *memory {
	return &memory{
		agents:   agentindex.NewLive(),
		known:    newRecords(maxRecords),
		contents: contents.New(),
		events:   newEvents(maxEvents),
		newest:   &newest{},
		figures:  newAgentFigures(),
	}
}

// Before implements [follower].
func (m *memory) Before(c changes) { m.known.before(c) }

// After implements [follower], but for the newest events, which may have to be read.
func (m *memory) After(c changes, err error) {
	if err == nil {
		m.agents.Committed(c.indexed())
	}
	m.known.after(c, err)
	m.figures.follow(c, err)
}
