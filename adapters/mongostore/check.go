package mongostore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/description"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

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
func (db *DB) hello(ctx context.Context) (h hello, err error) {
	ctx, cancel := context.WithTimeout(ctx, db.timeout)
	defer cancel()
	err = db.client.Database("admin").RunCommand(ctx, bson.D{is("hello", 1)}).Decode(&h)
	return h, translate(err)
}

func (db *DB) checkServer(ctx context.Context) error {
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
func (db *DB) explain(err error) error {
	var selection topology.ServerSelectionError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errSchema), errors.Is(err, ports.ErrRestoring):
		return settings.Mistakef("mongo-database", "%s: %w", db.data.Name(), err)
	case errors.Is(err, errServer):
		return settings.Mistakef("mongo-uri", "%w", err)
	case hasCode(err, codeNoMajority):
		return settings.Mistakef("mongo-uri", "%w: it has no read concern majority; start it with --enableMajorityReadConcern", errServer)
	case hasCode(err, codeAuthentication, codeHosted):
		return settings.Mistakef("mongo-uri", "the server refuses the user or the password")
	case hasCode(err, codeUnauthorized):
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
