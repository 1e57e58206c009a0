package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"orgd/domain/activity"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// Kept is how long deliveries are kept. One that is still pending then, because
// its webhook is disabled, goes with the others.
const Kept = 30 * 24 * time.Hour

var (
	// ErrNoDelivery is a delivery id that names nothing.
	ErrNoDelivery = fault.New(fault.NotFound, "delivery not found")
	// ErrEventGone is a delivery of an event that is not retained any more.
	ErrEventGone = fault.New(fault.RecordNotFound, "the event is not retained any more")
)

// DeliveryID identifies a delivery: a UUID in lower-case text form.
type DeliveryID string

// ParseDeliveryID returns the id that s spells in either letter case, or
// [ErrNoDelivery].
func ParseDeliveryID(s string) (DeliveryID, error) {
	id, err := activity.ParseID(s)
	if err != nil {
		return "", ErrNoDelivery.With("delivery %q not found", s)
	}
	return DeliveryID(id), nil
}

// deliveryID is the one id that the delivery of an event to a webhook can have,
// so that recording it twice records it once. It is a UUID of version 8 that
// begins as that of the event does: ids that ascend with time keep what belongs
// together in one place of an index.
func deliveryID(w ID, e activity.ID) DeliveryID {
	sum := sha256.Sum256([]byte(string(w) + "/" + string(e)))
	const variants = "89ab"
	x := hex.EncodeToString(sum[:])
	return DeliveryID(string(e[:13]) + "-8" + x[:3] + "-" + variants[sum[2]%4:][:1] + x[6:9] + "-" + x[9:21])
}

// Status says where a delivery stands.
type Status string

// The statuses.
const (
	Pending   Status = "pending"   // an attempt is to come, or under way
	Delivered Status = "delivered" // the endpoint answered 2xx
	Failed    Status = "failed"    // given up
)

// Failure says in one word why an attempt failed. The zero value says that it
// did not.
type Failure string

// The failures.
const (
	BadStatus    Failure = "status"     // the endpoint answered, but not 2xx
	Timeout      Failure = "timeout"    // the endpoint did not answer in time
	NoConnection Failure = "connection" // it could not be reached, or broke off
	NoName       Failure = "dns"        // its name leads to no address
	BadTLS       Failure = "tls"        // it did not prove who it is
	BadAddress   Failure = "address"    // its URL or address is not allowed by the operator
	NoEvent      Failure = "event"      // the event is not retained any more
)

// Result is what came of one attempt.
type Result struct {
	Code    int     // that the endpoint answered; 0 if it did not
	Failure Failure // "" if it answered 2xx
}

// statusGone is how an endpoint says that it wants no more messages.
const statusGone = 410

// Gone reports whether the endpoint wants no more messages.
func (r Result) Gone() bool { return r.Code == statusGone }

// Delivery is one event on its way to one webhook.
type Delivery struct {
	ID      DeliveryID
	Webhook ID
	EventID activity.ID
	// ChangeAt is when the change that is delivered was made, instead of an event; else zero.
	ChangeAt time.Time
	// Test says that the event is made up, see [Delivery.TestEvent].
	Test      bool
	CreatedAt time.Time

	Status Status
	// Attempt counts the attempts that were begun since the delivery was made
	// or asked for again.
	Attempt int
	// Last is what came of the last attempt that has ended.
	Last Result
	// Due is when the next attempt may begin; zero unless Status is Pending.
	// While an attempt is under way it is when the delivery is taken for
	// abandoned.
	Due time.Time
	// Begun is when the first of the attempts began; zero without one.
	Begun time.Time
	// Ended is when the delivery was delivered or given up; zero while Pending.
	Ended time.Time
	// Mark changes with every change of the delivery, so that a change can be
	// made on condition that nobody else has made one.
	Mark string
}

// Lease is how long whoever began an attempt has to say what came of it. Then
// another attempt may begin.
const Lease = 30 * time.Second

// Deliver returns the delivery of an event to w, due at once.
func (w Webhook) Deliver(e activity.ID, at time.Time) Delivery {
	id := deliveryID(w.ID, e)
	return Delivery{ID: id, Webhook: w.ID, EventID: e, CreatedAt: at, Status: Pending, Due: at, Mark: string(id)}
}

// Probe returns a delivery of a made-up event to w, due at once. It is tried
// once, and nothing comes of its failure. It returns [ErrDisabled] if w is
// disabled.
func (w Webhook) Probe(e activity.ID, at time.Time) (Delivery, error) {
	if !w.Enabled() {
		return Delivery{}, ErrDisabled
	}
	d := w.Deliver(e, at)
	d.Test = true
	return d, nil
}

// Again returns the delivery of w as one that begins anew, whatever came of it
// and even while an attempt is under way. It returns [ErrDisabled] if w is
// disabled.
func (w Webhook) Again(d Delivery, at time.Time, mark string) (Delivery, error) {
	if !w.Enabled() {
		return Delivery{}, ErrDisabled
	}
	return Delivery{
		ID: d.ID, Webhook: d.Webhook, EventID: d.EventID, ChangeAt: d.ChangeAt, Test: d.Test, CreatedAt: d.CreatedAt,
		Status: Pending, Due: at, Mark: mark,
	}, nil
}

// Begin returns the delivery with one more attempt begun.
func (d Delivery) Begin(at time.Time, mark string) Delivery {
	d.Attempt++
	if d.Begun.IsZero() {
		d.Begun = at
	}
	d.Due, d.Mark = at.Add(Lease), mark
	return d
}

// PutBack returns the delivery as if its attempt had not begun, for one that was
// called off.
func (d Delivery) PutBack(at time.Time, mark string) Delivery {
	d.Attempt--
	d.Due, d.Mark = at, mark
	return d
}

// Finish returns the delivery after an attempt. random is in [0, 1).
func (d Delivery) Finish(r Result, at time.Time, random float64, mark string) Delivery {
	d.Last, d.Mark = r, mark
	switch {
	case r.Failure == "":
		d.Status, d.Due, d.Ended = Delivered, time.Time{}, at
	case d.Test || r.Gone() || r.Failure == NoEvent || d.Attempt >= MaxAttempts:
		d.Status, d.Due, d.Ended = Failed, time.Time{}, at
	default:
		d.Due = at.Add(delay(d.Attempt, random))
	}
	return d
}

// Spent reports whether the delivery was given up after all its attempts.
func (d Delivery) Spent() bool { return d.Status == Failed && !d.Test && d.Attempt >= MaxAttempts }

// Write writes the members of d into the object that w has open.
func (d Delivery) Write(w *jsondoc.Writer) {
	w.Field("id").Text(string(d.ID))
	w.Field("event_id").Text(string(d.EventID))
	w.Field("attempt").Int(int64(d.Attempt))
	w.Field("status").Text(string(d.Status))
	w.Field("response_code").IntOrNull(jsondoc.NonZero(int64(d.Last.Code)))
	w.Field("error").TextOrNull(jsondoc.NonZero(string(d.Last.Failure)))
	w.Field("next_attempt_at").TimeOrNull(jsondoc.NonZero(d.Due))
	w.Field("created_at").Time(d.CreatedAt)
}

// Position is a position in the deliveries of one webhook, the newest first, ties
// by descending id.
type Position struct {
	At time.Time
	ID DeliveryID
}

// Position returns the position of d.
func (d Delivery) Position() Position { return Position{At: d.CreatedAt, ID: d.ID} }

// DeliveryQuery selects a page of the deliveries of one webhook.
type DeliveryQuery struct {
	Webhook ID
	After   *Position // deliveries behind this position, that is older ones
	Limit   int
}

// The schedule of a delivery whose attempts fail: the waits double from
// firstDelay to lastDelay. With all of them the last attempt comes about three
// days after the first.
const (
	MaxAttempts = 24
	firstDelay  = 5 * time.Second
	lastDelay   = 6 * time.Hour
	// spread is by how much of itself a wait may be shorter or longer, so that
	// those who failed together do not come back together.
	spread = 0.2
)

// delay is how long to wait after the n-th attempt, counted from 1; random is
// in [0, 1).
func delay(n int, random float64) time.Duration {
	d := lastDelay
	if n <= 13 { // 5 s × 2¹² is the last below
		d = min(d, firstDelay<<max(n-1, 0))
	}
	return time.Duration(float64(d) * (1 - spread + 2*spread*random))
}
