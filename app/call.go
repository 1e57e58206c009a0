// Package app holds the use cases: one struct for each area, one method for
// each thing that a caller can ask for. A use case resolves what the rules need
// to know, hands a pure step to a store and returns what came of it. It knows
// neither HTTP nor any store.
package app

import (
	"orgd/domain/access"
	"orgd/domain/idempotency"
	"orgd/domain/revision"
)

// Call is the frame of one request: who asks, through which route, and under
// which conditions.
type Call struct {
	Actor     access.Actor
	Route     string // method and route pattern, for the audit trail
	RequestID string
	If        revision.Condition
	Lock      *idempotency.Lock // the hold on an idempotency key; nil without one
}
