package sqlitestore

import (
	"database/sql"

	"orgd/adapters/agentindex"
	"orgd/domain/activity"
)

// Tx is a View that also changes the database, and sees its own changes.
type Tx struct {
	View
	changed changes // what it has changed so far

	db     *engine
	failed error // the first failure that a closure cannot recover from
	wrote  bool  // whether anything was tried
}

// number returns the next number of the log.
func (tx *Tx) number() (activity.Seq, error) {
	if tx.db.lastLogged == 0 {
		head, err := headOf(&tx.View)
		if err != nil {
			return 0, err
		}
		tx.db.lastLogged = head
	}
	tx.db.lastLogged++
	return tx.db.lastLogged, nil
}

// lastNumber returns the number that [Tx.number] returned last.
func (tx *Tx) lastNumber() activity.Seq { return tx.db.lastLogged }

// goOn makes the numbers go on behind one.
func (tx *Tx) goOn(number activity.Seq) { tx.db.lastLogged = number }

// agents is the index of agents as the batch has left it so far; nil if it has not been read yet.
func (tx *Tx) agents() *agentindex.Index { return tx.db.index.Batch() }

// onAgent is a statement that adds, changes or deletes the row of one agent. [Tx.Exec] does not
// take it.
type onAgent string

// addAgent runs a statement that adds an agent, and says so. The entry of the index gets the number
// of the row.
func (tx *Tx) addAgent(c agentChange, statement onAgent, args ...any) error {
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

// changeAgent runs a statement that has the packed id of an agent for its last argument, and says
// what the agent is now.
func (tx *Tx) changeAgent(c agentChange, statement onAgent, args ...any) error {
	if _, err := tx.Exec(string(statement), append(args, []byte(c.ID))...); err != nil {
		return err
	}
	return tx.tell(c)
}

func (tx *Tx) tell(c agentChange) error {
	tx.changed.agents = append(tx.changed.agents, c)
	return wrap(tx.db.index.Apply(c.Change), "change agent", unpackID([]byte(c.ID)))
}

// Exec runs a statement that changes rows. A violated constraint undoes the
// statement only, and the function may go on; after any other error the whole
// write is lost and every further Exec returns that error.
func (tx *Tx) Exec(query string, args ...any) (sql.Result, error) {
	if tx.failed != nil {
		return nil, tx.failed
	}
	tx.wrote = true
	res, err := tx.conn.exec(query, args...)
	if err != nil && !isConstraint(err) {
		tx.failed = err
	}
	return res, err
}
