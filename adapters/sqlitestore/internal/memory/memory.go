// Package memory has what a commit changes, and what a process remembers of its database, so
// that it need not be read.
package memory

import (
	"orgd/adapters/agentindex"
	"orgd/adapters/contents"
)

// Memory is what a process holds of its database in memory. None of it is ever out of date: no
// other process changes the database, and the writer tells what a commit changes.
type Memory struct {
	Agents   *agentindex.Live
	Records  *Records
	Contents *contents.Memory
	Events   *Events
	Newest   *Newest
	Figures  *Figures
}

// New returns a memory with the usual bounds.
func New() *Memory {
	return &Memory{
		Agents:   agentindex.NewLive(),
		Records:  NewRecords(MaxRecords),
		Contents: contents.New(),
		Events:   NewEvents(MaxEvents),
		Newest:   &Newest{},
		Figures:  newFigures(),
	}
}

// Before is told what a commit is about to change.
func (m *Memory) Before(c Changes) { m.Records.before(c) }

// After is told the same when the commit has ended. The newest events, which may have to be read, are
// told apart.
func (m *Memory) After(c Changes, err error) {
	if err == nil {
		m.Agents.Committed(c.indexed())
	}
	m.Records.after(c, err)
	m.Figures.follow(c, err)
}
