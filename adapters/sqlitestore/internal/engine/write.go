package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"orgd/adapters/failpoint"
	"orgd/adapters/groupcommit"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
)

// A batch ends when nothing waits, or at one of these: the first caller in it
// is answered after the last.
const (
	maxBatch     = 256
	maxBatchTime = 20 * time.Millisecond
)

// change is what one call of Write wants.
type change struct {
	fn      func(*Tx) error
	wrote   bool           // whether fn tried to change anything
	changed memory.Changes // what is not as it was
}

type job = groupcommit.Job[*change]

// Write calls fn with a transaction and returns after its changes are on disk.
// Changes of several callers are committed together, but each stands alone:
// an error of fn undoes what fn did, no more, and is returned as is; a panic in
// fn becomes an error of its caller. A failed commit is returned to all whose
// changes were in it.
//
// fn may run twice, each time on the same state: so it sets what it leaves to
// its caller, and adds nothing to it.
//
// If ctx ends before fn runs, nothing was applied; if it ends later, the outcome
// is unknown. Both are [ports.ErrUnavailable] and say which. Whatever the error,
// fn does not run any more when Write returns. It must not call Write or wait
// for anybody who does.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	return db.writes.Do(ctx, &change{fn: fn})
}

// serve commits one batch.
func (db *DB) serve(first *job) {
	db.batch(first)
	db.trimLog(time.Now())
}

// batch runs first and what waits behind it in one transaction. Nothing in it depends on
// the context of a caller, so that one who leaves never interrupts the work of another.
func (db *DB) batch(first *job) {
	if _, err := db.writer.Exec("BEGIN IMMEDIATE"); err != nil {
		first.Answer(sqlite.Translate(fmt.Errorf("sqlitestore: begin: %w", err)))
		return
	}
	db.index.Begin()
	jobs, err := db.applyAll(first)
	if err == nil {
		err = db.commit(jobs)
	}
	if err != nil {
		db.lastLogged = 0
		db.finisher.Lost()
		_, undo := db.writer.Exec("ROLLBACK") // fails if SQLite has done it
		err = fmt.Errorf("sqlitestore: commit: %w", errors.Join(err, undo))
	}
	for _, j := range jobs {
		// If the batch is lost, what a function answered may rest on changes that are gone.
		j.Answer(sqlite.Translate(cmp.Or(err, j.Err)))
	}
}

// commit commits what the jobs have changed, and tells it to the followers.
func (db *DB) commit(jobs []*job) error {
	var c memory.Changes
	for _, j := range jobs {
		if j.Err == nil {
			c = c.And(j.Change.changed)
		}
	}
	reach := func(point string) {
		if len(c.Agents) > 0 {
			failpoint.Reach(point)
		}
	}
	db.finisher.Finish(db.tx(), c)
	for _, f := range db.followers {
		f.Before(c)
	}
	reach("commit.before")
	db.ending <- struct{}{}
	defer func() { <-db.ending }()
	_, err := db.writer.Exec("COMMIT")
	if err == nil {
		reach("commit.after")
	}
	if c.Purged {
		db.logHasPurged, db.trimmed = true, time.Time{}
	}
	for _, f := range db.followers {
		f.After(c, err)
	}
	if err == nil {
		reach("published")
	}
	return err
}

// applyAll runs first and the jobs behind it until the batch is full or the
// transaction is lost, and returns those it took.
//
// A savepoint costs a copy of every page that a job changes, and hardly a job
// fails. So there are none until one fails that has changed something or may have
// ended the transaction; then that begins anew and goes on with a savepoint for
// each.
func (db *DB) applyAll(first *job) (jobs []*job, err error) {
	guarded := false
	until := time.Now().Add(maxBatchTime)
	for j := first; j != nil; j = db.next(len(jobs), until) {
		if !j.Seal() {
			continue
		}
		jobs = append(jobs, j)
		if guarded {
			err = db.applyGuarded(j)
		} else {
			j.Run(db.apply)
			if guarded = j.Err != nil && (j.Change.wrote || sqlite.MayLose(j.Err)); guarded {
				err = db.startOver(jobs)
			}
		}
		if err != nil {
			return jobs, err
		}
	}
	return jobs, nil
}

// next returns a job that waits, or nil if there is none or the batch is full.
func (db *DB) next(taken int, until time.Time) *job {
	if taken == maxBatch || time.Now().After(until) {
		return nil
	}
	return db.writes.Next()
}

// startOver begins the transaction anew without the last of its jobs, which has
// failed. Those before it find what they found the first time.
func (db *DB) startOver(jobs []*job) error {
	_, undo := db.writer.Exec("ROLLBACK") // fails if SQLite has done it
	if _, err := db.writer.Exec("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("%w after: %v", errors.Join(err, undo), jobs[len(jobs)-1].Err)
	}
	db.index.Begin()
	for _, j := range jobs {
		if j.Err != nil {
			continue
		}
		if err := db.applyGuarded(j); err != nil {
			return err
		}
	}
	return nil
}

// applyGuarded runs one job inside a savepoint. It returns an error only if the
// transaction is lost, and with it everything in the batch.
func (db *DB) applyGuarded(j *job) error {
	if _, err := db.writer.Exec("SAVEPOINT job"); err != nil {
		return err
	}
	before := db.index.Save()
	*j.Change = change{fn: j.Change.fn} // it does not run again if its caller has left
	if j.Run(db.apply); j.Err != nil {
		db.index.Rollback(before)
		if _, err := db.writer.Exec("ROLLBACK TO job"); err != nil {
			return fmt.Errorf("%w after: %v", err, j.Err)
		}
	}
	_, err := db.writer.Exec("RELEASE job")
	return err
}

// apply runs the function of a change in the transaction.
func (db *DB) apply(c *change) error {
	tx := db.tx()
	defer func() { c.wrote, c.changed = tx.wrote, tx.Changed }() // also if it panics
	return cmp.Or(c.fn(tx), tx.failed)
}

// tx is a transaction on what the writer has begun.
func (db *DB) tx() *Tx { return &Tx{View: sqlite.NewView(context.Background(), db.writer), db: db} }

// Committed is a view of the last commit, for the writer's followers and before anything is written.
func (db *DB) Committed() *sqlite.View {
	v := sqlite.NewView(context.Background(), db.writer)
	return &v
}
