package mongostore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"orgd/ports"
)

// Codes of a server that knows who is asking, or does not, and refuses.
const (
	codeUnauthorized   = 13
	codeAuthentication = 18
	codeHosted         = 8000 // what a hosted cluster says of a wrong login
)

// Check returns nil if the server answers and the database has a schema that
// this program can use. Otherwise the error is one line for the operator that
// begins with the setting to look at. It never repeats the URI.
func (db *DB) Check(ctx context.Context) error {
	return db.explain(db.checkSchema(ctx))
}

// unreachable is a line for the operator about what may pass by itself.
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
	case errors.Is(err, errSchema):
		return fmt.Errorf("--mongo-database: %s: %w", db.data.Name(), err)
	case hasCode(err, codeAuthentication, codeHosted):
		return errors.New("--mongo-uri: the server refuses the user or the password")
	case hasCode(err, codeUnauthorized):
		return fmt.Errorf("--mongo-uri: the user has no right to use the database %s, or a login is missing", db.data.Name())
	case errors.As(err, &selection):
		return unreachable("--mongo-uri: no server can be used: " + states(selection))
	case errors.Is(err, ports.ErrUnavailable):
		return unreachable(fmt.Sprintf("--mongo-uri: the server does not answer: %v", errors.Unwrap(err)))
	}
	return fmt.Errorf("--mongo-uri: %w", err)
}

// states says of each server why it cannot be used.
func states(e topology.ServerSelectionError) string {
	var all []string
	for _, s := range e.Desc.Servers {
		all = append(all, s.Addr.String()+": "+reason(s.LastError))
	}
	if len(all) == 0 {
		return "none of them has the name of the replica set"
	}
	return strings.Join(all, "; ")
}

// reason is the part of a connection's error that is news to the operator.
func reason(err error) string {
	var op *net.OpError
	switch {
	case err == nil:
		return "no answer in time"
	case errors.As(err, &op):
		return op.Err.Error()
	}
	return err.Error()
}
