package mongostore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// shards is how many transactions a process runs at once. Each has a number of
// its own: see tx.shard.
const shards = 16

// slot runs one transaction at a time. Its session lives as long as the process:
// a new transaction on it aborts one that was left open.
type slot struct {
	db      *DB
	shard   int
	session *mongo.Session
	id      bson.D // of the session
	open    bool   // whether the server may have a transaction that has not ended
}

var transaction = options.Transaction().
	SetReadConcern(readconcern.Snapshot()).
	SetWriteConcern(writeconcern.Majority())

// write runs a change: fn reads one state and says what to write, and write
// returns when that is stored, all of it. If fn returns an error, nothing is
// stored, and a majority has what fn has read. fn may run more than once, each
// time on the state then, but not after write has returned. So it must set what
// it hands to its caller and add nothing to it, and must not call write.
//
// If ctx ends before the change is stored it is not; if it ends during the commit
// the outcome may be unknown. Both are ports.ErrUnavailable and say which.
func (db *DB) write(ctx context.Context, fn func(*tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, db.timeout)
	defer cancel()
	err := db.try(ctx, fn)
	if isLost(err) {
		err = db.retry(ctx, fn, err)
	}
	return translate(err)
}

// retry runs a change again that was aborted, until it is stored. Those that have
// lost against another go one after another: they want the same documents.
func (db *DB) retry(ctx context.Context, fn func(*tx) error, err error) error {
	select {
	case db.retrying <- struct{}{}:
		defer func() { <-db.retrying }()
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
	defer db.free(s)
	release, err := db.connection(ctx)
	if err != nil {
		return notApplied(err)
	}
	defer release()
	err = s.run(ctx, fn)
	var d duplicate
	if errors.As(err, &d) {
		err = s.run(ctx, d.confirm)
	}
	return err
}

// slot waits for a slot, half as long as an operation may take.
func (db *DB) slot(ctx context.Context) (*slot, error) {
	db.startLease()
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

// free gives a slot back. There may have been no time to end its transaction,
// which would lock documents until the next one on the same session: then the server
// is asked to end it until it has, and nobody waits for that.
func (db *DB) free(s *slot) {
	if !s.open {
		db.slots <- s
		return
	}
	go func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s.abort(ctx) // sends nothing: only the driver must know
		for n := 0; s.open && !db.isClosing(); n++ {
			ctx, cancel := context.WithTimeout(context.Background(), db.timeout)
			s.open = db.killSessions(ctx, s.id) != nil
			cancel()
			if s.open {
				_ = pause(context.Background(), n)
			}
		}
		db.slots <- s
	}()
}

// run runs a change once. Its commands do not end with the caller's context, only
// at its deadline: an interrupted command costs its connection.
func (s *slot) run(ctx context.Context, fn func(*tx) error) error {
	until, _ := ctx.Deadline()
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), until)
	defer cancel()
	if err := s.session.StartTransaction(transaction); err != nil {
		return lost{err}
	}
	s.open = true
	committing := false
	defer func() { // also if fn panics
		if !committing && ctx.Err() == nil {
			s.abort(ctx)
		}
	}()
	t := &tx{Context: mongo.NewSessionContext(ctx, s.session), db: s.db, shard: s.shard}
	refusal := fn(t)
	switch {
	case t.failed != nil:
		return t.failed
	case refusal != nil && !isFault(refusal):
		return refusal
	case refusal != nil:
		t.ops = nil
	}
	t.reach("begin")
	if err := t.flush(); err != nil {
		return err
	}
	// A transaction that has only read is committed too. Its snapshot may be one that
	// an election takes back; the commit waits until a majority has it.
	t.reach("commit.before")
	committing = true
	inDoubt := unconfirmed
	if len(t.ops) == 0 {
		inDoubt = notApplied
	}
	if err := s.commit(ctx, inDoubt); err != nil {
		return err
	}
	t.reach("commit.after")
	return refusal
}

// abort ends the transaction, whether or not the server answers.
func (s *slot) abort(ctx context.Context) {
	_ = s.session.AbortTransaction(ctx) // the driver does not return the server's errors
	s.open = ctx.Err() != nil
}

// commit commits until the server has said whether it has. Any error but a
// transient one leaves that open: the first try may have reached the server even
// if a second one was refused in the handshake of a new connection. When ctx ends,
// the error is that of inDoubt.
func (s *slot) commit(ctx context.Context, inDoubt func(error) error) error {
	for n := 0; ; n++ {
		err := s.session.CommitTransaction(ctx)
		switch {
		case err == nil:
			s.open = false
			return nil
		case hasLabel(err, transientLabel):
			s.open = false
			return lost{err}
		}
		if pause(ctx, n) != nil {
			return inDoubt(err)
		}
	}
}

// lost is an error after which a change has not been stored and may run again.
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

// flushOrder is the order in which collections are written. Those that two changes
// may conflict in come first. Of two refusals that of the first collection is given.
var flushOrder = []string{
	idempotencyColl, metaColl, departmentsColl, headcountsColl, agentsColl, deletedAgentsColl, projectsColl, sessionsColl,
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
			return refused(coll, ops, fmt.Errorf("mongostore: write %s: %w", coll, err))
		}
	}
	return nil
}

// refused gives an error of writing its meaning.
func refused(coll string, ops []op, err error) error {
	var failed mongo.BulkWriteException
	if hasLabel(err, transientLabel) || !errors.As(err, &failed) || len(failed.WriteErrors) == 0 ||
		!mongo.IsDuplicateKeyError(failed) {
		return lostOr(err)
	}
	first := failed.WriteErrors[0]
	for _, o := range ops {
		if o.model != first.Request || o.taken == nil {
			continue
		}
		if key, ok := first.Raw.Lookup("keyValue").DocumentOK(); ok {
			return duplicate{coll, key, o.taken, err}
		}
	}
	return lost{err} // a document that two changes make as it is missing
}

// duplicate is a write that was refused because its key is taken. The document with
// the key may be one that an election takes back: see confirm.
type duplicate struct {
	coll  string
	key   bson.Raw
	taken error
	error
}

// confirm is a change that writes nothing. It is refused if the key is taken.
func (d duplicate) confirm(t *tx) error {
	var key bson.D
	err := bson.Unmarshal(d.key, &key)
	if err == nil {
		_, err = one[idDoc](t, d.coll, key)
	}
	if errors.Is(err, mongo.ErrNoDocuments) {
		return lost{d.error}
	}
	if err != nil {
		return err
	}
	return d.taken
}
