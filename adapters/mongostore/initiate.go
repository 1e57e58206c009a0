package mongostore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/adapters/settings"
)

// electionTime bounds the wait for the primary of a replica set that has been initiated.
// With MongoDB's defaults an election can begin 10 s late, and may have to be repeated.
const electionTime = 30 * time.Second

// Initiate initiates the replica set that cfg names, with the hosts of its URI as
// members, and waits up to 30 s for its primary. A replica set that has been initiated stays
// as it is. The error is one line for the operator, as that of [DB.Check].
func Initiate(ctx context.Context, cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	o := clientOptions(cfg)
	if o.ReplicaSet == nil {
		return settings.Mistakef("mongo-uri", "does not name the replica set to initiate, as ?replicaSet=NAME does")
	}
	hosts, set := o.Hosts, *o.ReplicaSet
	o.Hosts, o.ReplicaSet = hosts[:1], nil // it belongs to no set yet
	client, err := mongo.Connect(o.SetDirect(true))
	if err != nil {
		return settings.Mistakef("mongo-uri", "does not lead to a MongoDB deployment") // the cause may repeat the URI
	}
	defer client.Disconnect(context.WithoutCancel(ctx)) // nothing is left to lose
	admin := &DB{client: client, data: client.Database("admin"), timeout: cfg.OperationTimeout}
	for end := time.Now().Add(electionTime); ; time.Sleep(50 * time.Millisecond) {
		ready, err := admin.initiate(ctx, set, hosts)
		switch {
		case err != nil || ready:
			return err
		case ctx.Err() != nil || time.Now().After(end):
			return settings.Mistakef("mongo-uri", "%w", unreachable(fmt.Sprintf("the replica set %s has no primary yet", set)))
		}
	}
}

// Codes of what a server says that is asked to initiate its replica set.
const (
	codeAlreadyInitialized = 23 // by another process, or it is just starting
	codeNodeNotFound       = 74 // another member cannot be reached
)

// initiate reports whether the server's replica set has a primary. If it has never
// been initiated, that is done.
func (db *DB) initiate(ctx context.Context, set string, hosts []string) (ready bool, err error) {
	h, err := db.hello(ctx)
	switch {
	case err != nil:
		return false, db.explain(err)
	case h.Set == set:
		return h.Primary != "", nil
	case h.Set != "":
		return false, settings.Mistakef("mongo-uri", "%s belongs to the replica set %s, not to %s", hosts[0], h.Set, set)
	case !h.Uninitiated:
		return false, settings.Mistakef("mongo-uri", "%s was not started with --replSet, so it has no replica set to initiate", hosts[0])
	}
	members := bson.A{}
	for i, h := range hosts {
		members = append(members, bson.D{is("_id", i), is("host", h)})
	}
	err = db.data.RunCommand(ctx, bson.D{is("replSetInitiate", bson.D{is("_id", set), is("members", members)})}).Err()
	var refused mongo.CommandError
	switch {
	case err == nil, hasCode(err, codeAlreadyInitialized):
		return false, nil
	case hasCode(err, codeNodeNotFound) && errors.As(err, &refused):
		return false, settings.Mistakef("mongo-uri", "%w", unreachable("not all members can be reached: "+refused.Message))
	case isOutage(err):
		return false, db.explain(translate(err))
	case errors.As(err, &refused):
		return false, settings.Mistakef("mongo-uri", "%s refuses to initiate its replica set: %s", hosts[0], refused.Message)
	}
	return false, db.explain(err)
}
