package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const mongoName = "orgd" // of the replica set

// mongoDB is a replica set of three members: without one of them there is still a
// majority, which elects a primary.
func mongoDB() *server {
	return &server{
		name:     "MongoDB",
		variable: "ORGD_TEST_MONGO_URI",
		image:    imageOf("ORGD_TEST_MONGO_IMAGE", "mongo:6.0.5"),
		members:  3,
		command: func(port string) []string {
			return []string{
				"mongod", "--replSet", mongoName, "--bind_ip", "127.0.0.1", "--nounixsocket", "--port", port, "--dbpath", mongoData,
				"--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "512", "--quiet", "--setParameter", "diagnosticDataCollectionEnabled=false",
				// Each database has a hundred files. Those that were dropped are closed soon.
				"--wiredTigerEngineConfigString", "file_manager=(close_idle_time=20,close_scan_interval=5,close_handle_minimum=250)",
			}
		},
		data: mongoData,
		join: func(ctx context.Context, hosts []string) error {
			if err := initiate(ctx, hosts); err != nil {
				return err
			}
			return awaitPrimary(ctx, mongoURI(hosts))
		},
		at:  mongoURI,
		ask: askMongoDB,
	}
}

const mongoData = "/data/db"

func mongoURI(hosts []string) string {
	return "mongodb://" + strings.Join(hosts, ",") + "/?replicaSet=" + mongoName
}

const codeInitialized = 23

// initiate makes a replica set of members that have none. The election time-out is
// half of the usual one: with less a busy machine elects without need.
func initiate(ctx context.Context, hosts []string) error {
	var list bson.A
	for i, h := range hosts {
		list = append(list, bson.D{{Key: "_id", Value: i}, {Key: "host", Value: h}})
	}
	set := bson.D{{Key: "_id", Value: mongoName}, {Key: "members", Value: list},
		{Key: "settings", Value: bson.D{{Key: "electionTimeoutMillis", Value: 5000}, {Key: "heartbeatIntervalMillis", Value: 1000}}}}
	return onMongoDB(ctx, "mongodb://"+hosts[0]+"/?directConnection=true", func(db *mongo.Database) error {
		err := db.RunCommand(ctx, bson.D{{Key: "replSetInitiate", Value: set}}).Err()
		var refused mongo.CommandError
		if errors.As(err, &refused) && refused.Code == codeInitialized {
			return nil
		}
		return err
	})
}

// awaitPrimary writes: there is a primary, and a majority behind it.
func awaitPrimary(ctx context.Context, uri string) error {
	return onMongoDB(ctx, uri, func(db *mongo.Database) error {
		ready := db.Client().Database("orgd_ready")
		if _, err := ready.Collection("ready").InsertOne(ctx, bson.D{}); err != nil {
			return err
		}
		return ready.Drop(ctx)
	})
}

// askMongoDB returns the version of the server, and how many members it has.
func askMongoDB(ctx context.Context, uri string) (version string, err error) {
	err = onMongoDB(ctx, uri, func(db *mongo.Database) error {
		var info struct{ Version string }
		if err := db.RunCommand(ctx, bson.D{{Key: "buildInfo", Value: 1}}).Decode(&info); err != nil {
			return err
		}
		var state struct {
			Hosts []string
			Set   string `bson:"setName"`
		}
		if err := db.RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&state); err != nil {
			return err
		}
		if state.Set == "" {
			return errors.New("is no replica set")
		}
		version = fmt.Sprintf("%s with %d members", info.Version, len(state.Hosts))
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
