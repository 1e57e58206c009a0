// Package mongostore keeps everything in a MongoDB database that replicas
// share. It needs atomic changes of single documents and nothing more: each
// change commits in one document, and what follows from it is written in that
// document until it is done. docs/storage.md has the whole story.
package mongostore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"orgd/ports"
)

// The collections. Those of homes come first.
const (
	agentsColl      = "agents"
	companyColl     = "company"
	projectsColl    = "projects"
	sessionsColl    = "sessions"
	batchesColl     = "batches"
	webhooksColl    = "webhooks"
	intentsColl     = "intents"
	namesColl       = "names"
	receiptsColl    = "receipts"
	claimsColl      = "claims"
	versionsColl    = "versions"
	eventsColl      = "events"
	logColl         = "log"
	departmentsColl = "departments"
	daysColl        = "days"
	deliveriesColl  = "deliveries"
	auditColl       = "audit"
	metaColl        = "meta"
)

// homeColls are the collections in whose documents changes commit.
var homeColls = []string{agentsColl, companyColl, projectsColl, sessionsColl, batchesColl, webhooksColl}

// DB is the shared store. It is safe for concurrent use.
type DB struct {
	client  *mongo.Client
	data    *mongo.Database
	clock   ports.Clock
	timeout time.Duration
	gate    *gate
	hook    func(point string) error // nil outside tests of failures
	costs   atomic.Bool              // whether costs are known to be recorded

	inLine      chan struct{} // has an element if events of this process wait for their places in the log
	reached     atomic.Int64  // the last page of the log that is known
	grown       ports.Bell    // rings when there is a later one
	announceLog func(int64)   // tells other replicas of a page; nil if nobody does
	recent      recentPages
	gone        goneBatches
	seen        atomic.Int64 // when the agent was changed last that reports are about, of those found here
	later       later
	impatient   sync.Mutex // held by the reader of the feed who settles what others owe
}

// Open returns the store that cfg names, and what closes it. It does not wait
// for the server: Storage.Ping tells whether it is there and has been migrated.
func Open(cfg Config, clock ports.Clock) (*DB, func(), error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	client, err := mongo.Connect(clientOptions(cfg))
	if err != nil {
		return nil, nil, errors.New("--mongo-uri: does not lead to a MongoDB deployment") // the cause may repeat the URI
	}
	db := &DB{
		client: client, data: client.Database(cfg.Database),
		clock: clock, timeout: cfg.OperationTimeout, gate: newGate(cfg.MaxPool, cfg.OperationTimeout), hook: failpointHook(), inLine: make(chan struct{}, 1),
		later: newLater(),
	}
	return db, db.close, nil
}

func clientOptions(cfg Config) *options.ClientOptions {
	journal := true
	return options.Client().ApplyURI(cfg.URI).
		SetAppName("orgd").
		SetConnectTimeout(cfg.ConnectTimeout).
		SetServerSelectionTimeout(cfg.OperationTimeout).
		SetTimeout(cfg.OperationTimeout).
		SetMaxPoolSize(uint64(cfg.MaxPool)).
		SetMonitor(commandMonitor(cfg.Traces)).
		SetReadPreference(readpref.Primary()).
		SetReadConcern(readconcern.Majority()).
		SetWriteConcern(&writeconcern.WriteConcern{W: "majority", Journal: &journal})
}

// close waits until what changes owe is paid and for running operations, at most
// as long as two of them may take.
func (db *DB) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*db.timeout)
	defer cancel()
	db.later.close(ctx)
	_ = db.client.Disconnect(ctx) // nothing is left to do with connections that do not end
}

// at returns the present as homes and reservations note it.
func (db *DB) at() int64 { return millis(db.clock.Now()) }

func (db *DB) coll(name string) *mongo.Collection { return db.data.Collection(name) }

// strict is a collection whose reads are linearizable: they see every change
// that was acknowledged before, even beside a server that wrongly believes it
// is the primary.
func (db *DB) strict(name string) *mongo.Collection {
	return db.data.Collection(name, options.Collection().SetReadConcern(readconcern.Linearizable()))
}
