package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"orgd/domain/fault"
)

// A batch ends when nothing waits, or at one of these: the first caller in it
// is answered after the last.
const (
	maxBatch     = 256
	maxBatchTime = 20 * time.Millisecond
)

// job is one call of Write.
type job struct {
	ctx     context.Context
	fn      func(*Tx) error
	begun   atomic.Bool   // by the writer, or by a caller who leaves instead of it
	ran     chan struct{} // closed when fn runs no more
	err     error         // what fn returned
	wrote   bool          // whether fn tried to change anything
	grew    bool          // whether the log of events has
	changed changes       // what is not as it was
	done    chan error    // takes one answer without a reader
}

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
	if err := ctx.Err(); err != nil {
		return notApplied(err)
	}
	j := &job{ctx: ctx, fn: fn, ran: make(chan struct{}), done: make(chan error, 1)}
	select {
	case db.jobs <- j:
		return db.outcome(j)
	case <-ctx.Done():
		return notApplied(ctx.Err())
	case <-db.closing:
		return notApplied(errDraining)
	case <-db.stopped:
		return notApplied(errStopped)
	}
}

// outcome waits for the answer to a job that the writer has taken.
func (db *DB) outcome(j *job) error {
	cause := errStopped
	select {
	case err := <-j.done:
		return err
	case <-j.ctx.Done():
		cause = j.ctx.Err()
	case <-db.stopped:
	}
	if j.begun.CompareAndSwap(false, true) {
		return notApplied(cause)
	}
	<-j.ran // what fn touches is the caller's again
	select {
	case err := <-j.done: // both at once
		return err
	default:
		return unknownOutcome(cause)
	}
}

// writeLoop is the writer. Nothing in it depends on the context of a caller,
// so that one who leaves never interrupts the work of another.
func (db *DB) writeLoop() {
	defer close(db.stopped)
	for {
		select {
		case j := <-db.jobs:
			db.batch(j)
			db.trimLog(time.Now())
		case <-db.closing:
			return
		}
	}
}

// batch runs first and what waits behind it in one transaction.
func (db *DB) batch(first *job) {
	if _, err := db.writer.exec("BEGIN IMMEDIATE"); err != nil {
		first.answer(fmt.Errorf("sqlitestore: begin: %w", err))
		return
	}
	jobs, err := db.applyAll(first)
	if err == nil {
		err = db.commit(jobs)
	}
	if err != nil {
		_, undo := db.writer.exec("ROLLBACK") // fails if SQLite has done it
		err = fmt.Errorf("sqlitestore: commit: %w", errors.Join(err, undo))
	}
	if err == nil && slices.ContainsFunc(jobs, func(j *job) bool { return j.err == nil && j.grew }) {
		db.grown.Notify()
	}
	for _, j := range jobs {
		j.answer(err)
	}
}

func (db *DB) commit(jobs []*job) error {
	var changed changes
	for _, j := range jobs {
		if j.err == nil {
			changed = changed.and(j.changed)
		}
	}
	done := db.known.changing(changed)
	_, err := db.writer.exec("COMMIT")
	done(err == nil)
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
	defer func() { // also if a function ends the writer
		for _, j := range jobs {
			close(j.ran)
		}
	}()
	guarded := false
	until := time.Now().Add(maxBatchTime)
	for j := first; j != nil; j = db.next(len(jobs), until) {
		jobs = append(jobs, j)
		switch j.err = j.begin(); {
		case j.err != nil:
		case guarded:
			err = db.applyGuarded(j)
		default:
			j.call(db.writer)
			if guarded = j.err != nil && (j.wrote || mayLose(j.err)); guarded {
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
	select {
	case j := <-db.jobs:
		return j
	default:
		return nil
	}
}

// startOver begins the transaction anew without the last of its jobs, which has
// failed. Those before it find what they found the first time.
func (db *DB) startOver(jobs []*job) error {
	_, undo := db.writer.exec("ROLLBACK") // fails if SQLite has done it
	if _, err := db.writer.exec("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("%w after: %v", errors.Join(err, undo), jobs[len(jobs)-1].err)
	}
	for _, j := range jobs {
		if j.err != nil {
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
	if _, err := db.writer.exec("SAVEPOINT job"); err != nil {
		return err
	}
	if j.call(db.writer); j.err != nil {
		if _, err := db.writer.exec("ROLLBACK TO job"); err != nil {
			return fmt.Errorf("%w after: %v", err, j.err)
		}
	}
	_, err := db.writer.exec("RELEASE job")
	return err
}

// begin returns an error if the job's caller has left.
func (j *job) begin() error {
	if !j.begun.CompareAndSwap(false, true) || j.ctx.Err() != nil {
		return notApplied(j.ctx.Err())
	}
	return nil
}

// call runs the job's function and turns a panic into its error.
func (j *job) call(c *conn) {
	tx := &Tx{View: View{context.Background(), c}}
	defer func() {
		if v := recover(); v != nil {
			j.err = fmt.Errorf("sqlitestore: panic in a write: %s\n%s", fault.PanicText(v), debug.Stack())
		}
		j.wrote, j.grew, j.changed = tx.wrote, tx.logged, tx.changed
	}()
	if j.err = j.fn(tx); j.err == nil {
		j.err = tx.failed
	}
}

// answer ends the job: with lost if the batch was lost, since what its function
// answered may rest on changes that are gone too.
func (j *job) answer(lost error) {
	if lost != nil {
		j.done <- translate(lost)
		return
	}
	j.done <- translate(j.err)
}
