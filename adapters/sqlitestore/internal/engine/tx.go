package engine

import (
	"database/sql"

	"orgd/adapters/agentindex"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
)

// Tx is a View that also changes the database, and sees its own changes.
type Tx struct {
	sqlite.View
	Changed memory.Changes // what it has changed so far

	db     *DB
	failed error // the first failure that a closure cannot recover from
	wrote  bool  // whether anything was tried
}

// Number returns the next number of the log.
func (tx *Tx) Number() (activity.Seq, error) {
	if tx.db.lastLogged == 0 {
		head, err := Head(&tx.View)
		if err != nil {
			return 0, err
		}
		tx.db.lastLogged = head
	}
	tx.db.lastLogged++
	return tx.db.lastLogged, nil
}

// LastNumber returns the number that [Tx.Number] returned last.
func (tx *Tx) LastNumber() activity.Seq { return tx.db.lastLogged }

// GoOn makes the numbers go on behind one.
func (tx *Tx) GoOn(number activity.Seq) { tx.db.lastLogged = number }

// Agents is the index of agents as the batch has left it so far; nil if it has not been read yet.
func (tx *Tx) Agents() *agentindex.Index { return tx.db.index.Batch() }

// OnAgent is a statement that adds, changes or deletes the row of one agent. [Tx.Exec] does not
// take it.
type OnAgent string

// AddAgent runs a statement that adds an agent, and says so. The entry of the index gets the number
// of the row.
func (tx *Tx) AddAgent(c memory.AgentChange, statement OnAgent, args ...any) error {
	res, err := tx.Exec(string(statement), args...)
	if err != nil {
		return err
	}
	row, err := res.LastInsertId()
	if err != nil {
		return err
	}
	c.Now = c.Now.In(row)
	return tx.tell(c)
}

// ChangeAgent runs a statement that has the packed id of an agent for its last argument, and says
// what the agent is now.
func (tx *Tx) ChangeAgent(c memory.AgentChange, statement OnAgent, args ...any) error {
	if _, err := tx.Exec(string(statement), append(args, []byte(c.ID))...); err != nil {
		return err
	}
	return tx.tell(c)
}

func (tx *Tx) tell(c memory.AgentChange) error {
	tx.Changed.Agents = append(tx.Changed.Agents, c)
	return sqlite.Wrap(tx.db.index.Apply(c.Change), "change agent", sqlite.UnpackID([]byte(c.ID)))
}

// Exec runs a statement that changes rows. A violated constraint undoes the
// statement only, and the function may go on; after any other error the whole
// write is lost and every further Exec returns that error.
func (tx *Tx) Exec(query string, args ...any) (sql.Result, error) {
	if tx.failed != nil {
		return nil, tx.failed
	}
	tx.wrote = true
	res, err := tx.db.writer.Exec(query, args...)
	if err != nil && !sqlite.IsConstraint(err) {
		tx.failed = err
	}
	return res, err
}
