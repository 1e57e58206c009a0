package ports

import (
	"context"

	"orgd/domain/session"
)

// Authenticator verifies bearer tokens.
type Authenticator interface {
	// Authenticate verifies a token and returns the session that it belongs to.
	// It judges signature, issuer, audience and times, not revocation: the
	// caller checks that separately.
	//
	// A token that is not accepted, whatever is wrong with it, is an occurrence
	// of session.ErrUnauthorized with a reason that a client may read. A token
	// of a trusted external issuer whose keys cannot be read at the moment is
	// session.ErrIssuerUnavailable with the time to wait: it may be good, so it
	// is neither accepted nor counted as a failure. The same is returned, with
	// the error of ctx as its cause, if ctx ends while the issuer is asked.
	Authenticate(ctx context.Context, token string) (session.Session, error)
}

// TokenIssuer makes tokens that Authenticator accepts, on every replica that
// shares the key.
type TokenIssuer interface {
	// Issuer is the name under which tokens are issued, for session.Grant.
	Issuer() string
	// Issue returns a token of s, which session.Issue or Session.Renew made.
	// Every token is unique. It returns session.ErrTooLarge if the token would
	// be too long to be accepted again.
	Issue(s session.Session) (string, error)
}
