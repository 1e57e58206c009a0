package mongostore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/description"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/adapters/settings"
	"orgd/ports"
)

// Codes of a server that knows who is asking, or does not, and refuses.
const (
	codeUnauthorized   = 13
	codeAuthentication = 18
	codeHosted         = 8000 // what a hosted cluster says of a wrong login
	codeNoMajority     = 148  // ReadConcernMajorityNotEnabled
)

// Check returns nil if the server answers, can do what this program needs and the
// database has a schema that this program can use. Otherwise the error is one line
// for the operator that begins with the setting to look at. It never repeats the
// URI.
func (db *DB) Check(ctx context.Context) error {
	err := db.checkServer(ctx)
	if err == nil {
		err = db.checkSchema(ctx)
	}
	return db.explain(err)
}

// hello is what a server says of itself.
type hello struct {
	Set         string `bson:"setName"`
	Kind        string `bson:"msg"` // "isdbgrid" of a mongos
	WireVersion int    `bson:"maxWireVersion"`
	Primary     string `bson:"primary"`
	Uninitiated bool   `bson:"isreplicaset"`
}

// leastWireVersion is that of MongoDB 6.0.
const leastWireVersion = 17

var errServer = errors.New("the server cannot be used")

// check returns errServer with what the operator can do about it if this program
// cannot use the server.
func (h hello) check() error {
	switch {
	case h.WireVersion < leastWireVersion:
		return fmt.Errorf("%w: it is older than MongoDB 6.0; upgrade it", errServer)
	case h.Set == "" && h.Kind != "isdbgrid":
		return fmt.Errorf("%w: it is no member of a replica set, so it has no transactions; start it with --replSet and run orgd migrate --initiate", errServer)
	}
	return nil
}

// hello asks the server that writes go to.
func (db *engine) hello(ctx context.Context) (h hello, err error) {
	ctx, cancel := context.WithTimeout(ctx, db.timeout)
	defer cancel()
	err = db.client.Database("admin").RunCommand(ctx, bson.D{mongodb.Is("hello", 1)}).Decode(&h)
	return h, mongodb.Translate(err)
}

func (db *engine) checkServer(ctx context.Context) error {
	h, err := db.hello(ctx)
	if err != nil {
		return err
	}
	return h.check()
}

// unreachable is a reason that may pass by itself.
type unreachable string

func (u unreachable) Error() string { return string(u) }

// Is makes it a [ports.ErrUnavailable].
func (unreachable) Is(target error) bool { return target == ports.ErrUnavailable }

// explain turns an error of the driver into a line for the operator. It is
// [ports.ErrUnavailable] if the server may be there later.
func (db *engine) explain(err error) error {
	var selection topology.ServerSelectionError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errSchema), errors.Is(err, ports.ErrRestoring):
		return settings.Mistakef("mongo-database", "%s: %w", db.data.Name(), err)
	case errors.Is(err, errServer):
		return settings.Mistakef("mongo-uri", "%w", err)
	case mongodb.HasCode(err, codeNoMajority):
		return settings.Mistakef("mongo-uri", "%w: it has no read concern majority; start it with --enableMajorityReadConcern", errServer)
	case mongodb.HasCode(err, codeAuthentication, codeHosted):
		return settings.Mistakef("mongo-uri", "the server refuses the user or the password")
	case mongodb.HasCode(err, codeUnauthorized):
		return settings.Mistakef("mongo-uri", "the user has no right to use the database %s, or a login is missing", db.data.Name())
	case errors.As(err, &selection):
		return settings.Mistakef("mongo-uri", "%w", unreachable("no server can be used: "+states(selection)))
	case errors.Is(err, ports.ErrUnavailable):
		return settings.Mistakef("mongo-uri", "%w", unreachable(fmt.Sprintf("the server does not answer: %v", errors.Unwrap(err))))
	}
	return settings.Mistakef("mongo-uri", "%w", err)
}

// states says of each server why it cannot be used.
func states(e topology.ServerSelectionError) string {
	var all []string
	for _, s := range e.Desc.Servers {
		all = append(all, s.Addr.String()+": "+reason(s))
	}
	if len(all) == 0 {
		return "none of them has the name of the replica set"
	}
	return strings.Join(all, "; ")
}

// reason is why a server cannot be used: of a connection's error the part that is
// news to the operator.
func reason(s description.Server) string {
	var op *net.OpError
	switch {
	case s.Kind == description.ServerKindRSGhost:
		return "its replica set was never initiated; run orgd migrate --initiate"
	case s.Kind == description.ServerKindRSSecondary:
		return "it is a secondary, and there is no primary"
	case s.Kind == description.ServerKindRSMember:
		return "it is starting, or it recovers"
	case s.LastError == nil:
		return "no answer in time"
	case errors.As(s.LastError, &op):
		return op.Err.Error()
	}
	return s.LastError.Error()
}

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
	admin := &engine{client: client, data: client.Database("admin"), timeout: cfg.OperationTimeout}
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
func (db *engine) initiate(ctx context.Context, set string, hosts []string) (ready bool, err error) {
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
		members = append(members, bson.D{mongodb.Is("_id", i), mongodb.Is("host", h)})
	}
	err = db.data.RunCommand(ctx, bson.D{mongodb.Is("replSetInitiate", bson.D{mongodb.Is("_id", set), mongodb.Is("members", members)})}).Err()
	var refused mongo.CommandError
	switch {
	case err == nil, mongodb.HasCode(err, codeAlreadyInitialized):
		return false, nil
	case mongodb.HasCode(err, codeNodeNotFound) && errors.As(err, &refused):
		return false, settings.Mistakef("mongo-uri", "%w", unreachable("not all members can be reached: "+refused.Message))
	case mongodb.IsOutage(err):
		return false, db.explain(mongodb.Translate(err))
	case errors.As(err, &refused):
		return false, settings.Mistakef("mongo-uri", "%s refuses to initiate its replica set: %s", hosts[0], refused.Message)
	}
	return false, db.explain(err)
}
