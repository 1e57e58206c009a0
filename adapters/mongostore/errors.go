package mongostore

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"orgd/adapters/groupcommit"
	"orgd/domain/fault"
	"orgd/ports"
)

// Labels with which a server, or the driver, says that something may be tried again.
const (
	transientLabel = "TransientTransactionError"
	retryableLabel = "RetryableWriteError"
)

var (
	errLeft         = errors.New("mongostore: a caller of the batch has left")
	errNoConnection = errors.New("mongostore: all connections to the server are in use")
)

// outageCodes are what a server says that cannot serve a request now and may be able
// to later.
var outageCodes = slices.Concat(
	[]int{10107, 10058, 13435, 13436, 189, 11602, 94},           // it is not, or no more, the primary
	[]int{91, 11600, 11601, 279, 43, 175, 237},                  // it is stopping, was started again, or was interrupted
	[]int{225, 244, 251, 290, 112, 24, 46, 117, 276, 263},       // the transaction, or the making of an index, has been aborted
	[]int{239, 246, 134, 133, 211},                              // it has no snapshot or keys yet that a majority has
	[]int{6, 7, 50, 64, 89, 100, 202, 262, 317, 365, 462, 9001}, // it, or another member, is slow or cannot be reached
)

// translate returns the fault that an error of the driver is for clients. Faults and
// mongo.ErrNoDocuments stay as they are.
func translate(err error) error {
	switch {
	case err == nil, isFault(err), errors.Is(err, mongo.ErrNoDocuments):
		return err
	case isOutage(err):
		return groupcommit.Unavailable(err)
	}
	return ports.ErrStorage.Because(err)
}

// lostOr is lost for an error of a statement after which the change may run again,
// else the error.
func lostOr(err error) error {
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) && isOutage(err) {
		return lost{err}
	}
	return err
}

// isOutage reports whether the same may succeed later.
func isOutage(err error) bool {
	for _, known := range []error{
		context.Canceled, context.DeadlineExceeded, mongo.ErrClientDisconnected, driver.ErrDeadlineWouldBeExceeded, driver.ErrCursorNotFound,
		topology.ErrServerClosed, topology.ErrTopologyClosed, topology.ErrSubscribeAfterClosed, groupcommit.ErrClosing, errNoConnection,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	for _, kind := range []any{
		new(topology.ServerSelectionError), new(topology.ConnectionError), new(topology.WaitQueueTimeoutError),
		new(topology.PoolError), new(driver.RetryablePoolError),
	} {
		if errors.As(err, kind) {
			return true
		}
	}
	return mongo.IsTimeout(err) || mongo.IsNetworkError(err) || hasLabel(err, transientLabel) || hasLabel(err, retryableLabel) ||
		hasCode(err, outageCodes...)
}

func hasLabel(err error, label string) bool {
	var failed mongo.LabeledError
	return errors.As(err, &failed) && failed.HasErrorLabel(label)
}

func hasCode(err error, codes ...int) bool {
	// Making indexes and collections has the driver's own errors.
	var command driver.Error
	if errors.As(err, &command) && slices.Contains(codes, int(command.Code)) {
		return true
	}
	var write driver.WriteCommandError
	if errors.As(err, &write) {
		if write.WriteConcernError != nil && slices.Contains(codes, int(write.WriteConcernError.Code)) {
			return true
		}
		for _, e := range write.WriteErrors {
			if slices.Contains(codes, int(e.Code)) {
				return true
			}
		}
	}
	var failed mongo.ServerError
	if !errors.As(err, &failed) {
		return false
	}
	return slices.ContainsFunc(codes, failed.HasErrorCode)
}

// isFault reports an error that has a meaning for clients.
func isFault(err error) bool { return errors.As(err, new(*fault.Error)) }
