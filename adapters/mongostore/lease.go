package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"orgd/adapters/mongostore/internal/mongodb"
)

// The transaction of a process that was killed locks its documents for a minute, by
// the server's default. So each process renews a lease that lists its sessions, and
// kills the sessions of processes whose lease has expired.
const (
	leaseEvery = 500 * time.Millisecond
	leaseTime  = 3 * time.Second
)

const replicasColl = "replicas"

type leaseDoc struct {
	ID       string   `bson:"_id"`
	Sessions []bson.D `bson:"sessions"`
}

// lease renews the lease of this process until the store closes.
func (db *engine) lease() {
	own := leaseDoc{bson.NewObjectID().Hex(), []bson.D{db.writer.id}}
	coll := db.data.Collection(replicasColl, options.Collection().SetWriteConcern(writeconcern.W1()))
	for db.open.Err() == nil {
		ctx, cancel := context.WithTimeout(context.Background(), db.timeout)
		_, _ = coll.UpdateOne(ctx, mongodb.ByID(own.ID), mongo.Pipeline{mongodb.Set(
			mongodb.Is("sessions", bson.D{mongodb.Is("$literal", own.Sessions)}), mongodb.Is("renewed", "$$NOW"))}, options.UpdateOne().SetUpsert(true))
		db.killExpired(ctx, coll)
		cancel()
		select {
		case <-time.After(leaseEvery):
		case <-db.open.Done(): // another process removes the lease, and what may be left of its transactions
			return
		}
	}
}

// killExpired aborts the transactions of processes whose lease has expired. A process
// that is only slow runs its changes again.
func (db *engine) killExpired(ctx context.Context, coll *mongo.Collection) {
	expired := mongodb.Is("$expr", bson.D{mongodb.Is("$lt", bson.A{"$renewed", bson.D{mongodb.Is("$subtract", bson.A{"$$NOW", leaseTime.Milliseconds()})}})})
	docs, _ := all[leaseDoc](db.ask(ctx), replicasColl, bson.D{expired})
	for _, d := range docs {
		if db.client.Database("admin").RunCommand(ctx, bson.D{mongodb.Is("killSessions", d.Sessions)}).Err() == nil {
			_, _ = coll.DeleteOne(ctx, mongodb.ByID(d.ID))
		}
	}
}
