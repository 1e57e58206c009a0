package session

import (
	"time"

	"orgd/domain/fault"
)

var (
	// ErrPending is a sign-in with another device that nobody has approved yet.
	ErrPending = fault.New(fault.Conflict, "nobody has approved this sign-in yet: ask again")
	// ErrNoDevices is an identity provider that signs nobody in without a browser.
	ErrNoDevices = fault.New(fault.RouteNotFound, "the identity provider does not let this service sign people in with another device")
)

// Device is a sign-in that somebody approves with a browser on another device (RFC 8628).
type Device struct {
	Code     string // with which the program asks; a secret
	UserCode string // what to type at Address
	Address  string
	Complete string        // Address with UserCode; may be ""
	Interval time.Duration // between two questions
}
