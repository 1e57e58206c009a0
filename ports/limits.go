package ports

import (
	"context"

	"orgd/domain/limit"
)

// Limiter counts requests against sliding windows and concurrency slots.
// Every implementation passes portstest.Limiter.
type Limiter interface {
	// Admit decides on one request, in one round trip.
	//
	// Windows slide: in no period of Window.Length, wherever it begins, are
	// more than Window.Cap requests admitted, over everybody who shares the
	// limiter's state and whatever their clocks say. At least 99 % of the cap
	// stays usable: an implementation may count a request for up to 1 % longer
	// than the window, never shorter. A window or slot with Cap 0 is off. A
	// bucket has the same Length in every ask; a cap that was lowered holds
	// from the next ask on.
	//
	// Each of the ask's two groups is one atomic step: the address windows, and
	// the subject windows with the slot. If every member of a group accepts,
	// the request counts in all of them and takes the slot; otherwise it counts
	// in none and takes nothing, so a denied request never prolongs a denial.
	// The groups are independent: a request that one group refuses may still
	// count in the windows of the other, but then holds no slot.
	//
	// A denial is no error: Grant.Denied names the member that refused, the one
	// with the longest wait where several did. Its RetryAfter is the time until
	// every window of the ask has room, in whole seconds, rounded up: earlier
	// the request is refused again, then it is admitted unless others have come
	// first. A slot asks for one second. Grant.Usages has the windows that are
	// on, in the order of the ask, after this decision.
	//
	// A slot is a lease that the limiter renews while it is held, however long:
	// it is free within a second of Release, and at most 16 s after the holder's
	// process has died. Release is never nil, not even beside an error; it is
	// idempotent, does not block and may be called from any goroutine and after
	// ctx has ended. Whoever gets a grant calls Release when the work is done.
	//
	// If ctx has ended before the call, Admit returns its error and has counted
	// nothing. Another error means that the limiter cannot decide.
	Admit(ctx context.Context, ask limit.Ask) (limit.Grant, error)
}
