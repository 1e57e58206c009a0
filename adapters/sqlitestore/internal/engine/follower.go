package engine

import "orgd/adapters/sqlitestore/internal/memory"

// Follower holds in memory what the database has, or waits for it. Its methods are called by the
// writer, before anybody is answered.
type Follower interface {
	// Before is told what a commit is about to change.
	Before(memory.Changes)
	// After is told the same, and the error of the commit: with one, it is not certain that
	// the changes are stored.
	After(memory.Changes, error)
}

// Followed is a follower that needs to know nothing before.
type Followed func(memory.Changes, error)

// Before implements [Follower].
func (Followed) Before(memory.Changes) {}

// After implements [Follower].
func (f Followed) After(c memory.Changes, err error) { f(c, err) }
