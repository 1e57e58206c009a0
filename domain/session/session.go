// Package session describes who is logged in: what a verified token says about
// its bearer, for how long, and how that ends early.
//
// A session outlives its tokens: renewing a token continues the session, and
// revoking the session refuses all of its tokens.
package session

import (
	"time"

	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/name"
)

var (
	// ErrUnauthorized is a missing token, or one that is not accepted. Its
	// occurrences say why in words that give nothing away.
	ErrUnauthorized = fault.New(fault.Unauthorized, "a valid bearer token is required")
	// ErrRevoked is a good token of a session that was logged out or revoked.
	ErrRevoked = fault.New(fault.SessionRevoked, "the session was logged out or revoked")
	// ErrIssuerUnavailable is a token that nobody can judge at the moment: it
	// names a trusted external issuer whose keys cannot be read. The token may
	// well be good, so the client is asked to try again, not to log in again.
	ErrIssuerUnavailable = fault.New(fault.Unavailable, "the keys of the token's issuer are not available")
	// ErrNotFound is a session that was neither issued here nor seen yet.
	ErrNotFound = fault.New(fault.NotFound, "session not found")
	// ErrNotRenewable is a token of an external issuer: only that issuer can
	// renew it.
	ErrNotRenewable = fault.New(fault.Forbidden, "only tokens that this service issued can be renewed here")
	// ErrTooLarge is a token that would not fit into a request header.
	ErrTooLarge = fault.New(fault.Validation, "departments: too many for one token")
)

// Session is one login. All times are UTC. Sessions are values: nobody changes
// the departments of one that he was given.
type Session struct {
	// ID is the sid that revocation names; see [ParseID].
	ID string
	// Issuer is the iss claim of the session's tokens.
	Issuer string
	// Subject is who is logged in: the sub claim of an own token, [Subject] of
	// iss and sub for a token of an external issuer.
	Subject string
	Role    access.Role
	// Departments are the departments that a department admin manages.
	Departments []name.Name
	// Agent is the id of the agent that is logged in; empty unless the role is
	// agent.
	Agent string
	// IssuedAt is when the session began, or the latest token if that is all
	// that is known.
	IssuedAt time.Time
	// ExpiresAt is when the token stops being accepted, exclusively.
	ExpiresAt time.Time
	Kind      Kind
	// Label is what the session is for, in the words of who asked for its token; "" if
	// nobody said. See [ParseLabel].
	Label string
	// EndsBy is when the session ends, however often its token is renewed; zero for one
	// without such a bound.
	EndsBy time.Time
	// From are the ids of the sessions that this one was made from, the first of them first;
	// none if it was made from none. The revocation of any of them ends it, too.
	From []string
}

// Kind is how a session began.
type Kind string

const (
	ByToken  Kind = "token"    // with a token that this service issued
	BySignIn Kind = "sign_in"  // by a person who signed in
	External Kind = "external" // with a token of another issuer
)

// Own reports whether this service issues the tokens of the session.
func (s Session) Own() bool { return s.Kind == ByToken || s.Kind == BySignIn }

// Actor returns who asks with a token of this session.
func (s Session) Actor() access.Actor {
	keys := make([]name.Key, len(s.Departments))
	for i, d := range s.Departments {
		keys[i] = d.Key
	}
	return access.Actor{
		Subject: s.Subject, Role: s.Role, Departments: keys, Agent: s.Agent, Session: s.ID,
	}
}

// Record is a session as it is kept and listed.
type Record struct {
	Session
	// Revocation is nil while the session is not revoked.
	Revocation *Revocation
	// LastUsedAt is when a request of the session was accepted last, as far as that is
	// stored; zero if none is known. See [Use].
	LastUsedAt time.Time
}

// Use is when a session was used.
type Use struct {
	ID string // the session's
	At time.Time
}

// Position is a position in the list of sessions, which is read latest first, ties
// by ascending id.
type Position struct {
	IssuedAt time.Time
	ID       string
}

// Position returns the position of s.
func (s Session) Position() Position { return Position{IssuedAt: s.IssuedAt, ID: s.ID} }

// Before reports whether p comes before q in the list.
func (p Position) Before(q Position) bool {
	if !p.IssuedAt.Equal(q.IssuedAt) {
		return p.IssuedAt.After(q.IssuedAt)
	}
	return p.ID < q.ID
}

// Query selects a part of the list of sessions: those that have not expired.
type Query struct {
	Subject string    // "" means everybody's
	At      time.Time // now
	After   *Position // sessions behind this position
	Limit   int
}

// foreignKept is how long the revocation of a session is kept at least that is
// another issuer's, or may be: nobody here knows how long that renews its tokens.
const foreignKept = 400 * 24 * time.Hour

// Grace is how long after its expiry a token may still be accepted anywhere,
// at most: issuers' clocks differ.
const Grace = time.Minute

// Revocation ends a session early: from At on none of its tokens is accepted.
type Revocation struct {
	ID string // the session's
	By string // the subject who revoked it
	// At is when; stores move it behind those of the revocations before.
	At time.Time
	// Until is when the revocation may be forgotten, because every token of the
	// session has expired by then.
	Until time.Time
}

// Revoke returns the revocation of a known session. It outlasts the latest
// token that can exist: the known one, or one of the greatest lifetime that is
// being issued at this moment. Other issuers go on to issue tokens of a session.
func (s Session) Revoke(by string, at time.Time) Revocation {
	until := at.Add(MaxTTL)
	if !s.Own() {
		until = at.Add(foreignKept)
	}
	if s.ExpiresAt.After(until) {
		until = s.ExpiresAt
	}
	return Revocation{ID: s.ID, By: by, At: at, Until: until.Add(Grace)}
}

// RevokeUnseen returns the revocation of a session that has not been seen here,
// by its id.
func RevokeUnseen(id, by string, at time.Time) Revocation {
	return Revocation{ID: id, By: by, At: at, Until: at.Add(foreignKept)}
}
