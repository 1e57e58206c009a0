// Package mongostore keeps everything in a MongoDB database that replicas share.
//
// A change is one function, which [DB.write] runs in a transaction of the server. It
// reads from the snapshot of the transaction and adds writes to it. Each process has one
// writer, which runs what waits together in one transaction: when all the functions have
// returned, their writes are sent and committed with write concern majority. A batch that
// conflicts with another process runs again. Callers are answered after the commit, also
// if the answer is a refusal.
//
// What must hold across documents holds because both changes write one document and
// so conflict: the headcounts of a department (headcounts.go), the guard of the
// company (company.go), the _id of an idempotency record (idempotency.go). Replicas
// coordinate in no other way. The log of events is a change stream (stream.go).
package mongostore

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"orgd/adapters/contents"
	"orgd/adapters/groupcommit"
	"orgd/adapters/settings"
	"orgd/adapters/telemetry"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/ports"
)

// The collections.
const (
	agentsColl        = "agents"
	deletedAgentsColl = "deleted_agents"
	purgedAgentsColl  = "purged_agents"
	versionsColl      = "versions"
	labelMovesColl    = "label_moves"
	departmentsColl   = "departments"
	headcountsColl    = "headcounts"
	projectsColl      = "projects"
	eventsColl        = "events"
	rollupsColl       = "rollups"
	auditColl         = "audit"
	idempotencyColl   = "idempotency"
	locksColl         = "idempotency_locks"
	sessionsColl      = "sessions"
	linksColl         = "sign_in_links"
	webhooksColl      = "webhooks"
	deliveriesColl    = "deliveries"
	reordersColl      = "reorders"
	metaColl          = "meta"
)

// DB is the shared store. It is safe for concurrent use.
type DB struct {
	observer telemetry.Observer
	client   *mongo.Client
	data     *mongo.Database
	fields   agent.Schema
	clock    ports.Clock
	timeout  time.Duration
	contents *contents.Memory
	figures  *agentFigures
	costs    atomic.Bool // whether costs are known to be recorded

	incarnation atomic.Pointer[string] // nil before the schema was read

	writes      *groupcommit.Queue[*change]
	writer      *writer
	connections chan struct{} // has an element for each connection in use
	tail        tail
	catchUps    catchUps
	trail       catchUps            // who reads the audit trail in the order of the log
	committed   func([]audit.Entry) // see [ports.AuditLog]; may be nil
	leftLocks   leftLocks

	open       context.Context // ends when the store closes
	end        context.CancelFunc
	startLease func() // in the background, if it is not running
	startTail  func() // likewise
	background sync.WaitGroup
}

// Open returns the store that cfg names, and what closes it. It does not wait
// for the server: Storage.Ping reports whether it is there and has been migrated.
func Open(cfg Config, clock ports.Clock) (*DB, func(), error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	client, err := mongo.Connect(clientOptions(cfg))
	if err != nil {
		return nil, nil, settings.Mistakef("mongo-uri", "does not lead to a MongoDB deployment") // the cause may repeat the URI
	}
	db := &DB{
		observer: cfg.Observer, client: client, data: client.Database(cfg.Database), fields: agent.Current(), clock: clock, timeout: cfg.OperationTimeout,
		contents: contents.New(), figures: newAgentFigures(), writes: groupcommit.New[*change](), connections: make(chan struct{}, cfg.MaxPool),
	}
	db.tail.db, db.leftLocks.db = db, db
	db.catchUps.db, db.catchUps.of, db.trail.db, db.trail.of = db, events(), db, entries()
	db.open, db.end = context.WithCancel(context.Background())
	if db.writer, err = newWriter(db); err != nil {
		return nil, nil, err
	}
	go db.writes.Serve(db.writer.serve)
	db.startLease = sync.OnceFunc(func() { db.background.Go(db.lease) })
	db.startTail = sync.OnceFunc(func() { db.background.Go(db.tail.run) })
	return db, sync.OnceFunc(db.close), nil
}

// Stores returns the stores in db.
func (db *DB) Stores() ports.Stores {
	return ports.Stores{
		Agents: &Agents{db}, Identities: &Identities{db}, Departments: &Departments{db}, Company: &Company{db},
		Projects: &Projects{db}, Activities: &Activities{db}, Stream: &Stream{db}, Measures: &Measures{db}, Audit: &Audit{db},
		Idempotency: &Idempotency{db}, Sessions: &Sessions{db}, Webhooks: &Webhooks{db}, Outbox: &Outbox{db}, Archive: &Archive{db}, Storage: &Storage{db},
	}
}

func clientOptions(cfg Config) *options.ClientOptions {
	return options.Client().ApplyURI(cfg.URI).
		SetAppName("orgd").
		SetConnectTimeout(cfg.ConnectTimeout).
		SetServerSelectionTimeout(cfg.OperationTimeout).
		SetHeartbeatInterval(time.Second).
		SetTimeout(cfg.OperationTimeout).
		SetMaxPoolSize(uint64(cfg.MaxPool)).
		SetMonitor(commandMonitor(cfg.Observer.Traces)).
		SetReadPreference(readpref.Primary()).
		SetReadConcern(readconcern.Majority()).
		SetWriteConcern(writeconcern.Majority())
}

// commandMonitor has spans made of the commands that are sent for requests; nil
// without traces. They have the command and the collection, but no values.
func commandMonitor(t *telemetry.Traces) *event.CommandMonitor {
	if t == nil {
		return nil
	}
	var running sync.Map // telemetry.Span by the driver's number of a command
	end := func(id int64, how func(telemetry.Span)) {
		if span, ok := running.LoadAndDelete(id); ok {
			how(span.(telemetry.Span))
		}
	}
	return &event.CommandMonitor{
		Started: func(ctx context.Context, e *event.CommandStartedEvent) {
			coll, _ := e.Command.Lookup(e.CommandName).StringValueOK() // "" of a command that is for none
			if span := t.Command(ctx, e.CommandName, coll, e.DatabaseName); span.Kept() {
				running.Store(e.RequestID, span)
			}
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) {
			end(e.RequestID, func(s telemetry.Span) { s.End(nil) })
		},
		Failed: func(_ context.Context, e *event.CommandFailedEvent) {
			end(e.RequestID, func(s telemetry.Span) { s.Failed("command failed") })
		},
	}
}

// close waits for running changes, at most as long as two operations may take.
func (db *DB) close() {
	db.end()
	ctx, cancel := context.WithTimeout(context.Background(), 2*db.timeout)
	defer cancel()
	// Each of these runs already, or does not start later: what starts now ends at once, and
	// add waits for another add that may be starting the release.
	db.startLease()
	db.startTail()
	db.leftLocks.add()
	db.catchUps.close()
	db.trail.close()
	db.background.Wait()
	select {
	case <-db.writes.Close():
		db.writer.session.EndSession(ctx)
	case <-ctx.Done():
	}
	_ = db.client.Disconnect(ctx) // nothing is left to do with connections that do not end
}

func (db *DB) coll(name string) *mongo.Collection { return db.data.Collection(name) }
