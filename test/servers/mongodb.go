package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// mongoDB is a replica set of one member: a server that stands alone refuses
// linearizable reads, which the store asks for.
func mongoDB() *server {
	return &server{
		name:     "MongoDB",
		variable: "ORGD_TEST_MONGO_URI",
		image:    imageOf("ORGD_TEST_MONGO_IMAGE", "mongo:8.0.16"),
		port:     "27017/tcp",
		data:     os.Getenv("ORGD_TEST_MONGO_DATA"),
		args:     []string{"--replSet", "orgd"},
		// The name by which the member knows itself means nothing outside of the
		// container, so clients must not follow it.
		at:      func(hostPort string) string { return "mongodb://" + hostPort + "/?directConnection=true" },
		prepare: initiate,
		ask:     askMongoDB,
	}
}

// initiate makes the server the primary of its replica set. One that is no
// member of any, but takes writes, is left as it is.
func initiate(ctx context.Context, uri string) error {
	return onMongoDB(ctx, uri, func(db *mongo.Database) error {
		var state struct {
			Writable    bool `bson:"isWritablePrimary"`
			Uninitiated bool `bson:"isreplicaset"`
		}
		if err := db.RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&state); err != nil {
			return err
		}
		if state.Writable {
			return nil
		}
		if !state.Uninitiated {
			return errors.New("takes no writes yet")
		}
		set := bson.D{{Key: "_id", Value: "orgd"}, {Key: "members", Value: bson.A{
			bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: "127.0.0.1:27017"}},
		}}}
		if err := db.RunCommand(ctx, bson.D{{Key: "replSetInitiate", Value: set}}).Err(); err != nil {
			return err
		}
		return errors.New("elects its primary")
	})
}

// askMongoDB returns the version of the protocol and, if the server says so, of
// the product that speaks it.
func askMongoDB(ctx context.Context, uri string) (version string, err error) {
	err = onMongoDB(ctx, uri, func(db *mongo.Database) error {
		var info struct {
			Version  string
			FerretDB struct{ Version string } `bson:"ferretdb"`
		}
		if err := db.RunCommand(ctx, bson.D{{Key: "buildInfo", Value: 1}}).Decode(&info); err != nil {
			return err
		}
		version = info.Version
		if product := info.FerretDB.Version; product != "" {
			version = fmt.Sprintf("%s (FerretDB %s)", version, product)
		}
		return nil
	})
	return version, err
}

// onMongoDB calls do with the database for commands to the server itself.
func onMongoDB(ctx context.Context, uri string, do func(*mongo.Database) error) error {
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetServerSelectionTimeout(tryWait))
	if err != nil {
		return err
	}
	return errors.Join(do(client.Database("admin")), client.Disconnect(context.WithoutCancel(ctx)))
}
