package jwtauth

import (
	"context"
	"crypto"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"orgd/domain/fault"
	"orgd/domain/session"
)

// source is an issuer whose tokens are accepted.
type source interface {
	// key returns the key that verifies a token with these headers. kid is ""
	// if the token names none.
	key(ctx context.Context, kid, alg string) (crypto.PublicKey, error)
	// session reads claims that the validator accepts.
	session(claims jwt.MapClaims, now time.Time) (session.Session, error)
	// epoch changes whenever a key is no longer trusted.
	epoch() uint64
}

var (
	errUnknownKey = refuse("the token is signed with an unknown key")
	errNoRole     = refuse("the token grants no known role")
)

func refuse(reason string) *fault.Error { return session.ErrUnauthorized.With("%s", reason) }
