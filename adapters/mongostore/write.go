package mongostore

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"orgd/adapters/failpoint"
	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
)

const (
	// shards is how many parts there are of what all changes add to. A process adds to
	// one of them until it meets another process there.
	shards = 16
	// maxRetries is how often a batch is tried as a whole.
	maxRetries = 3
	// inDoubt is how many operations' time a commit is tried again whose outcome is not
	// known. Nothing else can be stored meanwhile, and nobody waits for it so long.
	inDoubt = 5
	// wary is for how many batches taken names are looked for after one was met.
	wary = 256
)

var transaction = options.Transaction().
	SetReadConcern(readconcern.Snapshot()).
	SetWriteConcern(writeconcern.Majority())

// change is what one call of write wants.
type change struct {
	ctx   context.Context
	fn    func(*tx) error
	needs []need
	tx    *tx  // of the last run
	asks  bool // whether to look for the holder of each key that it takes, see [batch.refuseTaken]
}

type job = groupcommit.Job[*change]

// write runs a change: fn reads one state and says what to write, and write
// returns when that is stored, all of it. If fn returns an error, nothing is
// stored, and a majority has what fn has read. fn may run more than once, each
// time on the state then, but not after write has returned. So it must set what
// it hands to its caller and add nothing to it, and must not call write. needs are
// documents that fn reads: those of a batch are read at once.
//
// If ctx ends before what the change writes is sent, the change is not stored; if it ends
// later the outcome is unknown. Both are ports.ErrUnavailable and say which.
func (db *engine) write(ctx context.Context, fn func(*tx) error, needs ...need) error {
	db.startLease()
	waiting, end := mongodb.NewWaiting(ctx, db.timeout)
	defer end()
	return db.writes.Do(waiting, &change{ctx: waiting, fn: fn, needs: needs})
}

// write is [engine.write] of a change that has a result, which is zero with an error.
func write[T any](ctx context.Context, db *engine, fn func(*tx) (T, error), needs ...need) (v T, err error) {
	var last T
	err = db.write(ctx, func(t *tx) (err error) {
		last, err = fn(t)
		return err
	}, needs...)
	if err != nil {
		return v, err
	}
	return last, nil
}

// writer commits what waits, one transaction at a time. Its session lives as long as the
// process: a new transaction on it aborts one that was left open.
type writer struct {
	db       *engine
	session  *mongo.Session
	id       bson.D // of the session
	shard    int
	retries  int           // in a row
	takes    time.Duration // what a batch has taken lately, at most
	wary     int           // batches that look for names that are taken, see [claim.ahead]
	aborting atomic.Bool   // see abortLater
}

func newWriter(db *engine) (*writer, error) {
	session, err := db.client.StartSession()
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, session: session, shard: rand.N(shards)}
	return w, bson.Unmarshal(session.ID(), &w.id)
}

// serve decides first and what waits behind it, or puts it back into the queue. Of a batch
// that one has left, the others are decided before those that have come meanwhile.
func (w *writer) serve(first *job) {
	for jobs := w.gather(first); len(jobs) > 0; {
		jobs = w.decide(jobs)
	}
}

// gather returns first and what may be committed with it. It leaves out whose caller does
// not wait until a batch is stored: begun, it would only be in the way of others.
func (w *writer) gather(first *job) (jobs []*job) {
	for j := first; j != nil; j = w.db.writes.Next() {
		if j.HasTime(w.takes) {
			jobs = append(jobs, j)
		}
		if first.Alone || len(jobs) == maxChanges {
			break
		}
	}
	if len(jobs) == 0 {
		w.takes /= 2 // nothing shows what a batch takes now, so those who come next may try
	}
	return jobs
}

// decide decides changes, or puts them back into the queue. It returns those that are to
// be decided next.
func (w *writer) decide(jobs []*job) (again []*job) {
	begin := time.Now()
	b, err := w.attempt(jobs)
	w.db.writes.Return(b.next...)
	var taken duplicate
	switch {
	case err == nil:
		w.retries = 0
		if !jobs[0].Alone {
			w.took(time.Since(begin))
		}
		b.answer()
	case mongodb.IsLost(err):
		w.retry(b.kept)
	case errors.As(err, &taken):
		w.wary = wary
		return w.without(taken.job, b.kept)
	case len(b.kept) > 1: // only alone it is known whose error that is
		w.retryAlone(b.kept)
	default:
		b.kept[0].Answer(mongodb.Translate(err))
	}
	return nil
}

// took takes into account how long a batch took: a slow one counts for some time.
func (w *writer) took(d time.Duration) {
	w.takes = min(max(d, w.takes-w.takes/8), w.db.timeout/2)
}

// without puts a change back whose key is taken, and returns the others of its batch. It
// will look for the holder of the key. If it finds none, as what a majority has may be
// older than the index, others do not wait for it.
func (w *writer) without(j *job, batch []*job) (others []*job) {
	for _, other := range batch {
		if other != j {
			other.Unseal()
			others = append(others, other)
		}
	}
	if j.Change.asks && j.Alone {
		w.retry([]*job{j})
		return nil
	}
	if j.Change.asks {
		j.Alone = true
	}
	j.Change.asks = true
	w.db.writes.Return(j)
	return others
}

// retry puts changes back of which nothing was stored. If that goes on, each is run by
// itself, and one that has to be retried even so lets others go first.
func (w *writer) retry(jobs []*job) {
	w.shard = rand.N(shards) // another process may have this one
	w.retries++
	switch {
	case len(jobs) == 1:
		w.db.writes.Defer(jobs[0])
	case w.retries > maxRetries:
		w.retryAlone(jobs)
	default:
		w.db.writes.Return(jobs...)
	}
	_ = mongodb.Pause(context.Background(), w.retries) // it cannot end earlier
}

// retryAlone puts changes back that are to be run one by one.
func (w *writer) retryAlone(jobs []*job) {
	for _, j := range jobs {
		j.Alone = true
	}
	w.db.writes.Return(jobs...)
}

func (w *writer) batch(jobs []*job) *batch {
	return &batch{writer: w, kept: jobs, memo: map[need]bson.Raw{}, written: map[docKey]bool{}}
}

// attempt runs changes in one transaction. If err is nil, those that the batch keeps are
// stored or refused, or b.unknown says why that is not known. Else nothing of them is stored.
func (w *writer) attempt(jobs []*job) (b *batch, err error) {
	b = w.batch(jobs)
	// It does not end with the context of a caller, but its commands are in the trace of one.
	trace, begun := context.WithoutCancel(jobs[0].Change.ctx), time.Now()
	ctx, cancel := context.WithTimeout(trace, w.db.timeout)
	defer cancel()
	release, err := w.db.connection(ctx)
	if err != nil {
		return b, mongodb.AsLost(err)
	}
	defer release()
	if err := w.begin(); err != nil {
		return b, mongodb.AsLost(err)
	}
	committing := false
	defer func() {
		if !committing {
			w.abort()
		}
	}()
	b.ctx = mongo.NewSessionContext(ctx, w.session)
	if err := b.run(jobs); err != nil {
		return b, err
	}
	if err := b.refuseTaken(); err != nil {
		return b, err
	}
	if b.seal(); len(b.kept) == 0 {
		return b, nil
	}
	b.reach("begin")
	b.getsOn()
	large, cancelLarge := context.WithDeadline(trace, begun.Add(b.time()))
	defer cancelLarge()
	b.ctx = mongo.NewSessionContext(large, w.session)
	if err := b.flush(); err != nil {
		return b, err
	}
	// A transaction that has only read is committed too. Its snapshot may be one that
	// an election takes back; the commit waits until a majority has it.
	b.reach("commit.before")
	committing = true
	if b.unknown, err = w.commit(trace, w.session.CommitTransaction); err != nil {
		return b, err
	}
	b.reach("commit.after")
	return b, nil
}

// reach is [failpoint.Reach] if the change is one that a client has asked for.
func (b *batch) reach(point string) {
	if len(b.ops[auditColl]) > 0 {
		failpoint.Reach(point)
	}
}

// Begin begins a transaction. After a commit that has timed out the driver is committing
// until a commit fails otherwise: it refuses to begin another transaction, and would retry
// its statements, which then count twice. One whose context has ended sends nothing.
func (w *writer) begin() error {
	if w.session.StartTransaction(transaction) == nil {
		return nil
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = w.session.CommitTransaction(ended)
	return w.session.StartTransaction(transaction)
}

// commit commits until the server has said whether it has. Any error but a
// transient one leaves that open: the first try may have reached the server even
// if a second one was refused in the handshake of a new connection. If it stays open,
// unknown is the last error.
func (w *writer) commit(ctx context.Context, once func(context.Context) error) (unknown, err error) {
	ctx, cancel := context.WithTimeout(ctx, inDoubt*w.db.timeout)
	defer cancel()
	for n := 0; ; n++ {
		err := w.commitOnce(ctx, once)
		switch {
		case err == nil:
			return nil, nil
		case mongodb.HasLabel(err, mongodb.TransientLabel):
			return nil, mongodb.AsLost(err)
		case errors.Is(err, mongo.ErrClientDisconnected) || mongodb.Pause(ctx, n) != nil:
			w.abortLater()
			return err, nil
		}
	}
}

// commitOnce gives a server that does not answer as long as any other operation: then
// another one may be the primary.
func (w *writer) commitOnce(ctx context.Context, once func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, w.db.timeout)
	defer cancel()
	return once(ctx)
}

// abort ends the transaction.
func (w *writer) abort() {
	ctx, cancel := context.WithTimeout(context.Background(), w.db.timeout/4)
	defer cancel()
	_ = w.session.AbortTransaction(ctx) // the driver does not return the server's errors
	if ctx.Err() != nil {
		w.abortLater()
	}
}

// abortLater begins another transaction as soon as it can, which aborts one of the session
// that is open. Until then the server may have one, which locks documents.
func (w *writer) abortLater() {
	if !w.aborting.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer w.aborting.Store(false)
		for n := 0; w.db.open.Err() == nil; n++ {
			if w.db.write(context.Background(), readSomething) == nil {
				return
			}
			_ = mongodb.Pause(context.Background(), n) // it cannot end earlier
		}
	}()
}

func readSomething(t *tx) error {
	_, err := oneOrZero[mongodb.IDDoc](t, metaColl, mongodb.ByID(companyID))
	return err
}
