package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/mongo"
)

// begin begins a transaction. After a commit that has timed out the driver is committing
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
		case hasLabel(err, transientLabel):
			return nil, lost{err}
		case errors.Is(err, mongo.ErrClientDisconnected) || pause(ctx, n) != nil:
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
			_ = pause(context.Background(), n) // it cannot end earlier
		}
	}()
}

func readSomething(t *tx) error {
	_, err := oneOrZero[idDoc](t, metaColl, byID(companyID))
	return err
}
