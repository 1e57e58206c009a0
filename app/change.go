// Package app holds the use cases: one struct for each area, one method for
// each thing that a caller can ask for. A use case resolves what the rules need
// to know, hands a pure step to a store and returns what came of it. It knows
// neither HTTP nor any store.
package app

import (
	"reflect"
	"time"

	"orgd/domain/access"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/name"
	"orgd/domain/revision"
	"orgd/ports"
)

// Call is the frame of one request: who asks, through which route, and under
// which conditions.
type Call struct {
	Actor     access.Actor
	Route     string // method and route pattern, for the audit trail
	RequestID string
	Reason    *string // why, as the caller puts it; nil if it says nothing
	If        revision.Condition
	Lock      *idempotency.Lock // the hold on an idempotency key; nil without one
	// Live returns why the caller's session has ended since the request was admitted, nil
	// if it goes on. Work of many steps asks before each; nil is a session without end.
	Live func() error
}

func (c Call) live() error {
	if c.Live == nil {
		return nil
	}
	return c.Live()
}

// change holds the time, the caller and the audit id of one change. They are fixed
// before the store runs it, because the store may run it more than once.
type change struct {
	call Call
	at   time.Time
	id   string // of the audit entry
	// departments are those that the caller has to be permitted for.
	departments []name.Key
}

func newChange(clock ports.Clock, ids ports.IDs, c Call) change {
	return change{call: c, at: clock.Now(), id: ids.NewID()}
}

// in returns the change as one that needs permission in these departments.
func (ch change) in(departments ...name.Key) change {
	ch.departments = departments
	return ch
}

// trail is the trail of the change. reply makes the response that another request
// with the same idempotency key gets; it is called only if there is a key.
func (ch change) trail(a audit.Action, r audit.Resource, from, to int64, reply func() idempotency.Reply) ports.Trail {
	t := ports.Trail{Audit: audit.Entry{
		ID: ch.id, At: ch.at, Actor: ch.call.Actor.Subject, Action: a, Route: ch.call.Route,
		Resource: r, From: from, To: to, RequestID: ch.call.RequestID,
	}}
	if ch.call.Lock != nil {
		t.Idempotency = ch.record(new(reply().Bounded()))
	}
	return t
}

// record is the idempotency record of a request with a key.
func (ch change) record(reply *idempotency.Reply) *idempotency.Record {
	l := ch.call.Lock
	return &idempotency.Record{Key: l.Key, Fingerprint: l.Fingerprint, At: l.At, Departments: ch.departments, Reply: reply}
}

// logged returns a trail whose entry is in the change log.
func logged(t ports.Trail, c audit.Change) ports.Trail {
	t.Audit.Change = &c
	return t
}

// noun is what has revisions and a stored form.
type noun interface {
	Tag() revision.Tag
	Canonical() []byte
}

// changeOf is the change of a resource from one state, which is zero for something new, to
// another. The change log shows c of it and the fields that differ.
func changeOf[T noun](ch change, r audit.Resource, c audit.Change, before, after T, reply func() idempotency.Reply) ports.Change[T] {
	from, to := before.Tag().Revision, after.Tag().Revision
	c.Reason = ch.call.Reason
	if from != 0 {
		was, is := different(before, after)
		c = c.Between([2]string{string(was.Canonical()), string(is.Canonical())})
	}
	return ports.Change[T]{State: after, From: from, Trail: logged(ch.trail(c.Action, r, from, to, reply), c)}
}

// different returns two states without the lists and records in which they are equal: a
// text of megabytes is not made to find that nothing in it has changed.
func different[T any](before, after T) (T, T) {
	was, is := reflect.ValueOf(&before).Elem(), reflect.ValueOf(&after).Elem()
	for i := range was.NumField() {
		if was.Field(i).Kind() != reflect.String && reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) {
			was.Field(i).SetZero()
			is.Field(i).SetZero()
		}
	}
	return before, after
}

// deletionOf is the change that ends a resource.
func deletionOf[T noun](ch change, r audit.Resource, c audit.Change, last T) ports.Change[T] {
	from := last.Tag().Revision
	c.Reason = ch.call.Reason
	return ports.Change[T]{State: last, From: from, Deleted: true, Trail: logged(ch.trail(c.Action, r, from, 0, noReply), c)}
}

// noReply is for changes whose requests carry no idempotency key.
func noReply() idempotency.Reply { return idempotency.Reply{} }

// withoutReply is the trail of a change whose answer holds a secret: of that
// nothing is kept.
func withoutReply(n ports.Trail) ports.Trail {
	if n.Idempotency != nil {
		n.Idempotency.Reply = nil
	}
	return n
}

// kept is what is kept of an answer: of one that is not short neither status nor body.
func kept(r idempotency.Reply, short bool) idempotency.Reply {
	if !short {
		return r.WithoutBody()
	}
	return r
}
