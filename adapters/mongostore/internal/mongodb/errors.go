package mongodb

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
	TransientLabel = "TransientTransactionError"
	RetryableLabel = "RetryableWriteError"
)

// lost is an error after which a change has not been stored and may run again.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

// AsLost says of an error that the change has not been stored and may run again.
func AsLost(err error) error { return lost{err} }

// IsLost reports whether a change has not been stored and may run again.
func IsLost(err error) bool { return errors.As(err, new(lost)) }

// ErrNoConnection is a bound of ours: the driver would wait for each operation anew.
var ErrNoConnection = errors.New("mongostore: all connections to the server are in use")

// outageCodes are what a server says that cannot serve a request now and may be able
// to later.
var outageCodes = slices.Concat(
	[]int{10107, 10058, 13435, 13436, 189, 11602, 94},           // it is not, or no more, the primary
	[]int{91, 11600, 11601, 279, 43, 175, 237},                  // it is stopping, was started again, or was interrupted
	[]int{225, 244, 251, 290, 112, 24, 46, 117, 276, 263},       // the transaction, or the making of an index, has been aborted
	[]int{239, 246, 134, 133, 211},                              // it has no snapshot or keys yet that a majority has
	[]int{6, 7, 50, 64, 89, 100, 202, 262, 317, 365, 462, 9001}, // it, or another member, is slow or cannot be reached
)

// Translate returns the fault that an error of the driver is for clients. Faults and
// mongo.ErrNoDocuments stay as they are.
func Translate(err error) error {
	switch {
	case err == nil, IsFault(err), IsMissing(err):
		return err
	case IsOutage(err):
		return groupcommit.Unavailable(err)
	}
	return ports.ErrStorage.Because(err)
}

// LostOr is lost for an error of a statement after which the change may run again,
// else the error.
func LostOr(err error) error {
	if err != nil && !IsMissing(err) && IsOutage(err) {
		return lost{err}
	}
	return err
}

// IsMissing reports that there is no document.
func IsMissing(err error) bool { return errors.Is(err, mongo.ErrNoDocuments) }

// NotFound gives an error of reading a document its meaning: missing if there is none.
func NotFound(err error, noun, id string, missing *fault.Error) error {
	if IsMissing(err) {
		return missing.With(noun+" %q not found", id)
	}
	return err
}

// IsOutage reports whether the same may succeed later.
func IsOutage(err error) bool {
	for _, known := range []error{
		context.Canceled, context.DeadlineExceeded, mongo.ErrClientDisconnected, driver.ErrDeadlineWouldBeExceeded, driver.ErrCursorNotFound,
		topology.ErrServerClosed, topology.ErrTopologyClosed, topology.ErrSubscribeAfterClosed, groupcommit.ErrClosing, ErrNoConnection,
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
	return mongo.IsTimeout(err) || mongo.IsNetworkError(err) || HasLabel(err, TransientLabel) || HasLabel(err, RetryableLabel) ||
		HasCode(err, outageCodes...)
}

// HasLabel reports whether a server, or the driver, has given an error a label.
func HasLabel(err error, label string) bool {
	failed, ok := errors.AsType[mongo.LabeledError](err)
	return ok && failed.HasErrorLabel(label)
}

// HasCode reports whether a server has given an error one of some codes.
func HasCode(err error, codes ...int) bool {
	// Making indexes and collections has the driver's own errors.
	if command, ok := errors.AsType[driver.Error](err); ok && slices.Contains(codes, int(command.Code)) {
		return true
	}
	if write, ok := errors.AsType[driver.WriteCommandError](err); ok {
		concern := write.WriteConcernError
		if concern != nil && slices.Contains(codes, int(concern.Code)) ||
			slices.ContainsFunc(write.WriteErrors, func(e driver.WriteError) bool { return slices.Contains(codes, int(e.Code)) }) {
			return true
		}
	}
	failed, ok := errors.AsType[mongo.ServerError](err)
	return ok && slices.ContainsFunc(codes, failed.HasErrorCode)
}

// IsFault reports an error that has a meaning for clients.
func IsFault(err error) bool { return errors.As(err, new(*fault.Error)) }
