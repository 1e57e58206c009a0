package session

import "time"

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
	if !s.Own {
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
