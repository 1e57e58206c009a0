// Package eventlog reads the log of events, which is the change stream of the server: by one tail for
// everybody in the process, and by readers for those who are further behind.
package eventlog

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/activity"
)

// Log is what is followed of the log of a server.
type Log struct {
	Data    *mongo.Database
	Timeout time.Duration   // of an operation
	Open    context.Context // ends when the store closes
	Go      func(func())    // runs a function in the background, which ends with the store
	Readers int             // how many may read beside the tail

	Filter bson.E // of the change stream
	// Read reads a document of a collection, which is an event, or an entry of the audit trail. It
	// leaves out the position. IsEvent says which of them a collection has.
	Read    func(coll string, doc bson.Raw) (activity.Logged, error)
	IsEvent func(coll string) bool
	// End returns the end of the log.
	End func(context.Context) (activity.Seq, error)
}
