package mongostore

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/telemetry"
)

// Config says where the shared store keeps its data and how long it waits.
type Config struct {
	// URI is a connection string, mongodb:// or mongodb+srv://. It may hold a
	// password and is never logged.
	URI string
	// Database is the name of the database, 1 to 63 ASCII letters, digits, "-"
	// and "_".
	Database string
	// ConnectTimeout bounds opening one connection, 100 ms to 10 s.
	ConnectTimeout time.Duration
	// OperationTimeout bounds one operation, the search for a server included,
	// 100 ms to 10 s. From 2.25 s on, clients may learn of a server that is lost
	// later than 2.5 s after they have asked.
	OperationTimeout time.Duration
	// MaxPool bounds the connections to each server, 1 to 10 000.
	MaxPool int
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
	var errs []error
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(c.URI == "", "--mongo-uri: is required with --storage mongodb")
	refuse(c.URI != "" && !isURI(c.URI), "--mongo-uri: is not a MongoDB connection string such as mongodb://host:27017")
	refuse(!isDatabase(c.Database), "--mongo-database: must be 1 to %d letters, digits, - and _", maxDatabase)
	refuse(c.ConnectTimeout < minTimeout || c.ConnectTimeout > maxTimeout,
		"--mongo-connect-timeout: must be %s to %s", minTimeout, maxTimeout)
	refuse(c.OperationTimeout < minTimeout || c.OperationTimeout > maxTimeout,
		"--mongo-operation-timeout: must be %s to %s", minTimeout, maxTimeout)
	refuse(c.MaxPool < 1 || c.MaxPool > maxPool, "--mongo-max-pool: must be 1 to %d", maxPool)
	return errors.Join(errs...)
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
