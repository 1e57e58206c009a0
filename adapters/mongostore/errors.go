package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"orgd/domain/fault"
	"orgd/ports"
)

// retryAfter is what a client waits before it asks an unavailable store again.
const retryAfter = time.Second

// codeWriteConflict asks for the same operation again.
const codeWriteConflict = 112

// outageCodes are what a server says that is stopping, not the primary, or too
// slow.
var outageCodes = []int{
	6, 7, 50, 64, 89, 91, 100, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
}

func unavailable(cause error) error {
	return ports.ErrUnavailable.Because(cause).After(retryAfter)
}

// unconfirmed is an error while a change was being written: after an outage
// nobody knows whether it was.
func unconfirmed(cause error) error {
	if !isOutage(cause) {
		return cause
	}
	return ports.ErrUnavailable.With("the storage did not confirm the change in time; it may have been applied").
		Because(cause).After(retryAfter)
}

// busy is a change that lost every race until its time was over.
func busy(cause error) error {
	return ports.ErrUnavailable.With("the storage is busy; the change was not applied").
		Because(cause).After(retryAfter)
}

// translate gives an error of the driver the fault that the interface knows for
// it. Errors that callers ask for by themselves, and faults, pass unchanged.
func translate(err error) error {
	switch {
	case err == nil, isFault(err):
		return err
	case errors.Is(err, mongo.ErrNoDocuments):
		return err
	case isOutage(err):
		return unavailable(err)
	}
	return ports.ErrStorage.Because(err)
}

func isOutage(err error) bool {
	if mongo.IsTimeout(err) || mongo.IsNetworkError(err) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, mongo.ErrClientDisconnected) || errors.Is(err, ports.ErrUnavailable) ||
		errors.As(err, new(topology.ServerSelectionError)) || errors.As(err, new(topology.ConnectionError)) ||
		errors.As(err, new(topology.WaitQueueTimeoutError)) || errors.Is(err, driver.ErrDeadlineWouldBeExceeded) ||
		errors.As(err, new(driver.RetryablePoolError)) || errors.As(err, new(topology.PoolError)) || errors.Is(err, errNoConnection) {
		return true
	}
	return hasCode(err, outageCodes...)
}

// isRace reports whether the same operation may be tried again because it lost
// against another inside the server.
func isRace(err error) bool { return hasCode(err, codeWriteConflict) }

func hasCode(err error, codes ...int) bool {
	var failed mongo.ServerError
	if !errors.As(err, &failed) {
		return false
	}
	for _, code := range codes {
		if failed.HasErrorCode(code) {
			return true
		}
	}
	return false
}

// isFault reports an error that has a meaning for clients.
func isFault(err error) bool { return errors.As(err, new(*fault.Error)) }
