package mongostore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// shards is how many transactions a process runs at once. Each has a number of
// its own, so that what all of them add to has a document for each: see tx.shard.
const shards = 16

// slot is the place of one transaction: a session that lives as long as the
// process, so that what a transaction has left behind ends with the next one.
type slot struct {
	db      *DB
	shard   int
	session *mongo.Session // nil before the first transaction and after a doubtful one
}

var transaction = options.Transaction().
	SetReadConcern(readconcern.Snapshot()).
	SetWriteConcern(writeconcern.Majority())

// write runs a change: fn reads one state and says what to write, and write
// returns when that is stored, all of it. An error of fn is returned as it is and
// nothing is stored. fn may run more than once, each time on the state then, but
// not after write has returned: so it sets what it leaves to its caller, and adds
// nothing to it. It must not call write or wait for anybody who does.
//
// If ctx ends before the change is stored it is not, if it ends later the outcome
// may be unknown. Both are ports.ErrUnavailable and say which.
func (db *DB) write(ctx context.Context, fn func(*tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, db.timeout)
	defer cancel()
	err := db.try(ctx, fn)
	if isLost(err) {
		err = db.inLine(ctx, fn, err)
	}
	return translate(err)
}

// inLine runs a change again that has lost against another, until it is stored.
// Those that have lost go one after another: they want the same documents.
func (db *DB) inLine(ctx context.Context, fn func(*tx) error, err error) error {
	select {
	case db.line <- struct{}{}:
		defer func() { <-db.line }()
	case <-ctx.Done():
		return notApplied(err)
	}
	for n := 0; isLost(err); n++ {
		if pause(ctx, n) != nil {
			return notApplied(err)
		}
		err = db.try(ctx, fn)
	}
	return err
}

func (db *DB) try(ctx context.Context, fn func(*tx) error) error {
	s, err := db.slot(ctx)
	if err != nil {
		return notApplied(err)
	}
	defer func() { db.slots <- s }()
	leave, err := db.enter(ctx)
	if err != nil {
		return notApplied(err)
	}
	defer leave()
	return s.attempt(ctx, fn)
}

func (db *DB) slot(ctx context.Context) (*slot, error) {
	db.live()
	ctx, cancel := context.WithTimeout(ctx, db.timeout/2)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case s := <-db.slots:
		return s, nil
	case <-db.closing:
		return nil, errDraining
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// attempt runs a change once. Nothing in it ends with the caller's context: an
// interrupted command costs its connection.
func (s *slot) attempt(ctx context.Context, fn func(*tx) error) error {
	until, _ := ctx.Deadline()
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), until)
	defer cancel()
	if s.session == nil {
		var err error
		if s.session, err = s.db.client.StartSession(); err != nil {
			return lost{err}
		}
	}
	if err := s.session.StartTransaction(transaction); err != nil {
		return err
	}
	committing := false
	defer func() { // also if fn panics
		if !committing {
			_ = s.session.AbortTransaction(ctx) // else the next transaction aborts it, or the server
		}
	}()
	t := &tx{Context: mongo.NewSessionContext(ctx, s.session), db: s.db, shard: s.shard}
	err := fn(t)
	if err == nil {
		err = t.failed
	}
	if err != nil {
		return err
	}
	t.reach("begin")
	if err := t.flush(); err != nil {
		return err
	}
	// Also if nothing was written: only a commit proves that a majority has what
	// was read.
	committing = true
	t.reach("commit.before")
	err = s.commit(ctx)
	if err == nil {
		t.reach("commit.after")
	}
	return err
}

// commit commits until the server has said whether it has. An error without a
// label says nothing: a retry may fail in the handshake of a new connection.
func (s *slot) commit(ctx context.Context) error {
	for n := 0; ; n++ {
		err := s.session.CommitTransaction(ctx)
		switch {
		case err == nil:
			return nil
		case hasLabel(err, transientLabel):
			return lost{err}
		case isRefusal(err):
			return err
		}
		if pause(ctx, n) != nil {
			s.end(ctx) // which has ended: nobody waits for a server that does not answer
			return unconfirmed(err)
		}
	}
}

// end gives the session up.
func (s *slot) end(ctx context.Context) {
	if s.session != nil {
		s.session.EndSession(ctx)
		s.session = nil
	}
}

// lost is an error after which a change has not been stored and may be run again.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

func isLost(err error) bool { return errors.As(err, new(lost)) }

// pause waits before try n+1, longer the more tries there were, and returns an
// error if ctx ends first.
func pause(ctx context.Context, n int) error {
	least := time.Millisecond << min(n, 5)
	wait := time.NewTimer(least + rand.N(3*least))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// flushOrder is the order in which collections are written: what changes may meet
// in comes first, and of two refusals that of the first collection is given.
var flushOrder = []string{
	receiptsColl, metaColl, departmentsColl, headcountsColl, agentsColl, formerColl, projectsColl, sessionsColl,
	webhooksColl, deliveriesColl, rollupsColl, versionsColl, eventsColl, auditColl,
}

// flush sends what the change writes, with one command for each collection and
// kind of write.
func (t *tx) flush() error {
	for _, coll := range flushOrder {
		ops := t.ops[coll]
		if len(ops) == 0 {
			continue
		}
		models := make([]mongo.WriteModel, len(ops))
		for i, o := range ops {
			models[i] = o.model
		}
		_, err := t.db.coll(coll).BulkWrite(t, models)
		if err != nil {
			return refused(ops, fmt.Errorf("mongostore: write %s: %w", coll, err))
		}
	}
	return nil
}

// refused gives an error of writing its meaning.
func refused(ops []op, err error) error {
	var failed mongo.BulkWriteException
	if hasLabel(err, transientLabel) || !errors.As(err, &failed) || len(failed.WriteErrors) == 0 ||
		!mongo.IsDuplicateKeyError(failed) {
		return lostOr(err)
	}
	for _, o := range ops {
		if o.model == failed.WriteErrors[0].Request && o.taken != nil {
			return o.taken
		}
	}
	return lost{err} // a document that two changes make as it is missing
}
