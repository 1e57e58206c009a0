package mongostore

import (
	"context"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/adapters/groupcommit"
	"orgd/adapters/settings"
	"orgd/domain/audit"
)

// engine is a database that is read and changed. It is safe for concurrent use.
type engine struct {
	client      *mongo.Client
	data        *mongo.Database
	timeout     time.Duration // of an operation
	connections chan struct{} // has an element for each connection in use

	writes    *groupcommit.Queue[*change]
	writer    *writer
	committed func([]audit.Entry) // see [ports.AuditLog]; may be nil

	open       context.Context // ends when the store closes
	end        context.CancelFunc
	startLease func() // in the background, if it is not running
	background sync.WaitGroup
}

// openEngine connects to the database that cfg names, and does not wait for it.
func openEngine(cfg Config) (*engine, error) {
	client, err := mongo.Connect(clientOptions(cfg))
	if err != nil {
		return nil, settings.Mistakef("mongo-uri", "does not lead to a MongoDB deployment") // the cause may repeat the URI
	}
	db := &engine{
		client: client, data: client.Database(cfg.Database), timeout: cfg.OperationTimeout,
		connections: make(chan struct{}, cfg.MaxPool), writes: groupcommit.New[*change](),
	}
	db.open, db.end = context.WithCancel(context.Background())
	if db.writer, err = newWriter(db); err != nil {
		return nil, err
	}
	go db.writes.Serve(db.writer.serve)
	db.startLease = sync.OnceFunc(func() { db.background.Go(db.lease) })
	return db, nil
}

// Close waits for running changes, at most as long as two operations may take. Before it
// waits, it calls stopping: what that starts in the background runs already, or ends at once.
func (db *engine) close(stopping func()) {
	db.end()
	ctx, cancel := context.WithTimeout(context.Background(), 2*db.timeout)
	defer cancel()
	db.startLease()
	stopping()
	db.background.Wait()
	select {
	case <-db.writes.Close():
		db.writer.session.EndSession(ctx)
	case <-ctx.Done():
	}
	_ = db.client.Disconnect(ctx) // nothing is left to do with connections that do not end
}

func (db *engine) coll(name string) *mongo.Collection { return db.data.Collection(name) }
