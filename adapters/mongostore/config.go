package mongostore

import (
	"context"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"orgd/adapters/settings"
	"orgd/adapters/telemetry"
)

// Config says where the shared store keeps its data and how long it waits. The help in
// the tags describes the fields.
type Config struct {
	// URI is a connection string, mongodb:// or mongodb+srv://. It may hold a
	// password and is never logged.
	URI string `name:"mongo-uri" secret:"true" placeholder:"URI" help:"Connection string of a replica set, such as mongodb://a,b,c/?replicaSet=NAME. It may hold a password: prefer $ORGD_MONGO_URI_FILE."`
	// Database has 1 to 63 characters.
	Database       string        `name:"mongo-database" placeholder:"NAME" help:"Database that keeps everything: letters, digits, - and _."`
	ConnectTimeout time.Duration `name:"mongo-connect-timeout" placeholder:"TIME" help:"How long opening a connection may take, 100ms to 10s."`
	// OperationTimeout: from 2.25 s on, clients may learn of a server that is lost
	// later than 2.5 s after they have asked.
	OperationTimeout time.Duration `name:"mongo-operation-timeout" placeholder:"TIME" help:"How long one operation may take, finding a server included, 100ms to 10s."`
	MaxPool          int           `name:"mongo-max-pool" placeholder:"N" help:"How many connections to each server there may be, 1 to 10000."`
	// Observer measures what the store does. Its traces have a span for each command of
	// a request.
	Observer telemetry.Observer
}

// Default returns the configuration for a database nearby. It lacks a URI.
func Default() Config {
	return Config{
		Database:         "orgd",
		ConnectTimeout:   time.Second,
		OperationTimeout: 2 * time.Second,
		MaxPool:          100,
	}
}

const (
	minTimeout  = 100 * time.Millisecond
	maxTimeout  = 10 * time.Second // so that a request has time for its refusal
	maxPool     = 10_000
	maxDatabase = 63
)

// Validate reports all mistakes in c under the names that the operator typed.
// Its errors never repeat the URI.
func (c Config) Validate() error {
	var m settings.Mistakes
	m.Unless(c.URI != "", "mongo-uri", "is required with --storage mongodb")
	m.Unless(c.URI == "" || isURI(c.URI), "mongo-uri", "is not a MongoDB connection string such as mongodb://host:27017")
	m.Unless(isDatabase(c.Database), "mongo-database", "must be 1 to %d letters, digits, - and _", maxDatabase)
	m.Unless(c.ConnectTimeout >= minTimeout && c.ConnectTimeout <= maxTimeout, "mongo-connect-timeout", "must be %s to %s", minTimeout, maxTimeout)
	m.Unless(c.OperationTimeout >= minTimeout && c.OperationTimeout <= maxTimeout, "mongo-operation-timeout", "must be %s to %s", minTimeout, maxTimeout)
	m.Unless(c.MaxPool >= 1 && c.MaxPool <= maxPool, "mongo-max-pool", "must be 1 to %d", maxPool)
	return m.Err()
}

// isURI does not look names up: Validate has no network.
func isURI(uri string) bool {
	if rest, ok := strings.CutPrefix(uri, "mongodb+srv://"); ok {
		return rest != ""
	}
	return options.Client().ApplyURI(uri).Validate() == nil
}

func isDatabase(s string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return len(s) >= 1 && len(s) <= maxDatabase && strings.Trim(s, allowed) == ""
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
