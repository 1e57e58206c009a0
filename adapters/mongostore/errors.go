package mongostore

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"orgd/domain/fault"
	"orgd/ports"
)

// retryAfter is what a client waits before it asks an unavailable store again.
const retryAfter = time.Second

const transientLabel = "TransientTransactionError"

var errDraining = errors.New("mongostore: the store is closing")

// outageCodes are what a server says that is stopping, not the primary, or too
// slow.
var outageCodes = []int{
	6, 7, 50, 64, 89, 91, 100, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
}

func unavailable(cause error) error {
	return ports.ErrUnavailable.Because(cause).After(retryAfter)
}

// notApplied is an outage before a change was stored, or a change that lost every
// race until its time was over.
func notApplied(cause error) error {
	return ports.ErrUnavailable.With("the storage did not take the change in time; it was not applied").
		Because(cause).After(retryAfter)
}

// unconfirmed is a commit that nobody knows the outcome of.
func unconfirmed(cause error) error {
	return ports.ErrUnavailable.With("the storage did not confirm the change in time; it may have been applied").
		Because(cause).After(retryAfter)
}

// translate gives an error of the driver the fault that the interface knows for
// it. Errors that callers ask for by themselves, and faults, pass unchanged.
func translate(err error) error {
	switch {
	case err == nil, isFault(err), errors.Is(err, mongo.ErrNoDocuments):
		return err
	case isOutage(err):
		return unavailable(err)
	}
	return ports.ErrStorage.Because(err)
}

// lostOr is lost for an error of a statement after which the change may be run
// again, else the error.
func lostOr(err error) error {
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) && (hasLabel(err, transientLabel) || isOutage(err)) {
		return lost{err}
	}
	return err
}

func isOutage(err error) bool {
	if mongo.IsTimeout(err) || mongo.IsNetworkError(err) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, mongo.ErrClientDisconnected) ||
		errors.As(err, new(topology.ServerSelectionError)) || errors.As(err, new(topology.ConnectionError)) ||
		errors.As(err, new(topology.WaitQueueTimeoutError)) || errors.Is(err, driver.ErrDeadlineWouldBeExceeded) ||
		errors.As(err, new(driver.RetryablePoolError)) || errors.As(err, new(topology.PoolError)) {
		return true
	}
	return hasCode(err, outageCodes...)
}

// isRefusal reports whether a server has answered for good that a commit is none:
// whatever may be otherwise the next time is no refusal.
func isRefusal(err error) bool {
	var failed mongo.ServerError
	return errors.As(err, &failed) && !isOutage(err) && !failed.HasErrorLabel("UnknownTransactionCommitResult")
}

func hasLabel(err error, label string) bool {
	var failed mongo.LabeledError
	return errors.As(err, &failed) && failed.HasErrorLabel(label)
}

func hasCode(err error, codes ...int) bool {
	var raw driver.WriteCommandError // of making indexes, which the driver passes on as it is
	if errors.As(err, &raw) && raw.WriteConcernError != nil && slices.Contains(codes, int(raw.WriteConcernError.Code)) {
		return true
	}
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
