package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// A transaction that its process has left open, because that was killed, holds
// its documents for a minute. So each process says that it lives, and which
// sessions are its own, and ends those of who has not said so for a while.
const (
	leaseEvery = 500 * time.Millisecond
	leaseTime  = 3 * time.Second
)

const replicasColl = "replicas"

type leaseDoc struct {
	ID       string   `bson:"_id"`
	Sessions []bson.D `bson:"sessions"`
}

// lease renews that of this process until the store closes.
func (db *DB) lease(sessions []bson.D) {
	defer close(db.leaseEnded)
	own := leaseDoc{bson.NewObjectID().Hex(), sessions}
	coll := db.data.Collection(replicasColl, options.Collection().SetWriteConcern(writeconcern.W1()))
	select {
	case <-db.closing: // before there was any change
		return
	default:
	}
	for {
		ctx, cancel := context.WithTimeout(context.Background(), db.timeout)
		_, err := coll.UpdateOne(ctx, byID(own.ID), mongo.Pipeline{set(
			is("sessions", bson.D{is("$literal", own.Sessions)}), is("seen", "$$NOW"))}, options.UpdateOne().SetUpsert(true))
		db.endDead(ctx, coll)
		cancel()
		select {
		case <-time.After(leaseEvery):
		case <-db.closing:
			if err != nil {
				return
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_, _ = coll.DeleteOne(ctx, byID(own.ID))
			return
		}
	}
}

// endDead ends the sessions of processes that have not renewed their lease. One
// that lives all the same only has to run its changes again.
func (db *DB) endDead(ctx context.Context, coll *mongo.Collection) {
	late := is("$expr", bson.D{is("$lt", bson.A{"$seen", bson.D{is("$subtract", bson.A{"$$NOW", leaseTime.Milliseconds()})}})})
	docs, _ := all[leaseDoc](db.ask(ctx), replicasColl, bson.D{late})
	for _, d := range docs {
		err := db.client.Database("admin").RunCommand(ctx, bson.D{is("killSessions", d.Sessions)}).Err()
		if err == nil {
			_, _ = coll.DeleteOne(ctx, byID(d.ID))
		}
	}
}
