package sqlitestore

// follower holds in memory what the database has, or waits for it. Its methods are called by the
// writer, before anybody is answered.
type follower interface {
	// Before is told what a commit is about to change.
	Before(changes)
	// After is told the same, and the error of the commit: with one, it is not certain that
	// the changes are stored.
	After(changes, error)
}

// followed is a follower that needs to know nothing before.
type followed func(changes, error)

// Before implements [follower].
func (followed) Before(changes) {}

// After implements [follower].
func (f followed) After(c changes, err error) { f(c, err) }
