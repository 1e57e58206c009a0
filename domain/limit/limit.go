// Package limit says what is limited, how a refusal reads and what the default
// caps are. Counting is the business of a limiter behind a port.
package limit

import (
	"strconv"
	"time"

	"orgd/domain/fault"
)

// Window is a cap on the requests of one bucket in any period of a given
// length: a sliding window.
type Window struct {
	Name   string        // the policy, such as "address" or "agents.create"; seen in headers and metrics
	Key    string        // whose requests are counted, such as a client address; never shown
	Cap    int           // most requests in any period; 0 switches the window off
	Length time.Duration // the period, always the same for one bucket
	Code   fault.Code    // what a refusal answers: RateLimited or OperationLimited
}

// Deny is the refusal of a request that the window would accept after wait.
func (w Window) Deny(wait time.Duration) *Denial {
	return &Denial{Name: w.Name, Cap: w.Cap, Length: w.Length, Code: w.Code, RetryAfter: wholeSeconds(wait)}
}

// Slot is a cap on how many requests of one bucket run at the same time.
type Slot struct {
	Name string // the operation, such as "agents.rollback"
	Key  string // whose requests are counted
	Cap  int    // most requests at once; 0 switches the slot off
}

// Deny is the refusal of a request for which no slot is free. Nobody knows how
// long the holders will take, so the client is asked to come back in a second.
func (s Slot) Deny() *Denial {
	return &Denial{Name: s.Name, Cap: s.Cap, Code: fault.ConcurrencyLimited, RetryAfter: time.Second}
}

// Ask is all that one request wants from the limiter. Its windows form two
// groups, which a shared store may keep in different places: the windows of the
// client address, and the windows and the slot of the subject. A bucket belongs
// to its group: the same Name and Key under another Address or Subject is
// another bucket.
type Ask struct {
	Address        string
	AddressWindows []Window
	Subject        string
	SubjectWindows []Window
	Slot           *Slot // nil when the operation is not limited in concurrency
}

// PerReplica returns the ask with every cap divided as by [Caps.PerReplica].
func (a Ask) PerReplica(n int) Ask {
	a.AddressWindows = windowsPerReplica(a.AddressWindows, n)
	a.SubjectWindows = windowsPerReplica(a.SubjectWindows, n)
	if a.Slot != nil {
		slot := *a.Slot
		slot.Cap = share(slot.Cap, n)
		a.Slot = &slot
	}
	return a
}

func windowsPerReplica(ws []Window, n int) []Window {
	out := make([]Window, len(ws))
	for i, w := range ws {
		w.Cap = share(w.Cap, n)
		out[i] = w
	}
	return out
}

// Usage is the state of one window after a decision.
type Usage struct {
	Window    Window
	Remaining int           // requests that the window would still accept now
	Reset     time.Duration // until Remaining grows, 0 when nothing is counted
}

// Grant is the answer to an [Ask].
type Grant struct {
	// Denied says who refused the request; nil when it may proceed.
	Denied *Denial
	// Usages has one entry for each window of the ask that is switched on, the
	// address windows first, in the order of the ask.
	Usages []Usage
	// Release gives the slot back. It is never nil, does nothing when no slot
	// is held or when called again, and does not block.
	Release func()
}

// Denial says which window or slot refused a request.
type Denial struct {
	Name       string        // of the window or slot
	Cap        int           // its cap
	Length     time.Duration // of the window; 0 for a slot
	Code       fault.Code    // RateLimited, OperationLimited or ConcurrencyLimited
	RetryAfter time.Duration // whole seconds, at least one
}

// Outlast extends RetryAfter to when the full ones of the windows have room
// again, so that a client does not come back only to be refused by the next.
func (d *Denial) Outlast(usages []Usage) {
	for _, u := range usages {
		if u.Remaining == 0 {
			d.RetryAfter = max(d.RetryAfter, wholeSeconds(u.Reset))
		}
	}
}

// The refusals. The occurrence names the cap and carries RetryAfter.
var (
	ErrRate        = fault.New(fault.RateLimited, "too many requests")
	ErrOperation   = fault.New(fault.OperationLimited, "too many requests for this operation")
	ErrConcurrency = fault.New(fault.ConcurrencyLimited, "too many requests of this operation at once")
)

// Err is the refusal as the error that the client sees: an occurrence of
// [ErrRate], [ErrOperation] or [ErrConcurrency].
func (d Denial) Err() error {
	switch {
	case d.Name == AuthFailuresName:
		return ErrRate.With("at most %d failed authentications are allowed in %s", d.Cap, seconds(d.Length)).After(d.RetryAfter)
	case d.Name == SignInsName || d.Name == AllSignInsName:
		return ErrRate.With("at most %d sign-ins are allowed in %s", d.Cap, seconds(d.Length)).After(d.RetryAfter)
	case d.Code == fault.ConcurrencyLimited:
		return ErrConcurrency.With("at most %d of %s may run at once", d.Cap, d.Name).After(d.RetryAfter)
	case d.Code == fault.OperationLimited:
		return ErrOperation.With("at most %d of %s are allowed in %s", d.Cap, d.Name, seconds(d.Length)).After(d.RetryAfter)
	default:
		return ErrRate.With("at most %d requests are allowed in %s", d.Cap, seconds(d.Length)).After(d.RetryAfter)
	}
}

// wholeSeconds rounds up, because a client that comes back early is refused
// again, and never to 0, which would mean that the wait is unknown.
func wholeSeconds(d time.Duration) time.Duration {
	return max(time.Second, (d + time.Second - 1).Truncate(time.Second))
}

// seconds is a period as people read it, such as "60 s".
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}
