// Package app holds the use cases: one struct for each area, one method for
// each thing that a caller can ask for. A use case resolves what the rules need
// to know, hands a pure step to a store and returns what came of it. It knows
// neither HTTP nor any store.
package app

import (
	"time"

	"orgd/domain/access"
	"orgd/domain/audit"
	"orgd/domain/name"
	"orgd/domain/receipt"
	"orgd/domain/revision"
	"orgd/ports"
)

// Call is the frame of one request: who asks, through which route, and under
// which conditions.
type Call struct {
	Actor     access.Actor
	Route     string // method and route pattern, for the audit trail
	RequestID string
	If        revision.Condition
	Claim     *ports.Claim // the hold on an idempotency key; nil without one
}

// Kit is what every use case that changes something needs: time and names for
// new things.
type Kit struct {
	Clock ports.Clock
	IDs   ports.IDs
}

// occasion is one attempt to change something. It is made before the step, so
// that a step which runs twice comes out the same.
type occasion struct {
	call Call
	at   time.Time
	id   string // of the audit entry
	// departments are those that the caller has to be permitted for.
	departments []name.Key
}

// in returns the occasion as one that needs permission in these departments.
func (o occasion) in(departments ...name.Key) occasion {
	o.departments = departments
	return o
}

func (k Kit) occasion(c Call) occasion {
	return occasion{call: c, at: k.Clock.Now(), id: k.IDs.NewID()}
}

// note is what the change leaves. reply makes the answer that a request with
// the same idempotency key will be shown; it is asked only if there is one.
func (o occasion) note(r audit.Resource, from, to int64, reply func() receipt.Reply) ports.Note {
	return ports.Note{
		Audit: audit.Entry{
			ID: o.id, At: o.at, Actor: o.call.Actor.Subject, Route: o.call.Route,
			Resource: r, From: from, To: to, RequestID: o.call.RequestID,
		},
		Receipt: o.receipt(reply),
	}
}

func (o occasion) receipt(reply func() receipt.Reply) *receipt.Receipt {
	c := o.call.Claim
	if c == nil {
		return nil
	}
	r := reply().Bounded()
	return &receipt.Receipt{Key: c.Key, Fingerprint: c.Fingerprint, At: c.At, Departments: o.departments, Reply: &r}
}

// noReply is for changes whose requests carry no idempotency key.
func noReply() receipt.Reply { return receipt.Reply{} }

// withoutReply is the note of a change whose answer holds a secret: of that
// nothing is kept.
func withoutReply(n ports.Note) ports.Note {
	if n.Receipt != nil {
		n.Receipt.Reply = nil
	}
	return n
}

// kept is what is kept of an answer: one that is not short has no status and no body.
func kept(r receipt.Reply, short bool) receipt.Reply {
	if !short {
		return receipt.Reply{ETag: r.ETag, Location: r.Location}
	}
	return r
}
