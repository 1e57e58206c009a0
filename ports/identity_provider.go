package ports

import (
	"context"

	"orgd/domain/session"
)

// IdentityProvider is where the people of the company sign in: the OpenID provider that is
// configured for it, or none.
type IdentityProvider interface {
	// Name is what people know the provider by; "" if there is none.
	Name() string
	// AuthURL returns where a browser signs in. It returns session.ErrNoProvider, or
	// session.ErrProvider as long as the provider has not said where that is.
	AuthURL(a session.Attempt) (string, error)
	// Redeem trades the code that the provider has sent for the session of its ID token,
	// and what it calls the person, "" if it does not say. It returns session.ErrAttempt
	// for the answer to another attempt, session.ErrProviderRefused if the provider or
	// a rule of its tokens refuses, session.ErrNoRole for somebody without a role here,
	// and session.ErrProvider if the provider cannot be used.
	Redeem(ctx context.Context, a session.Attempt, answer SignInAnswer) (s session.Session, called string, err error)
	// SignOutURL returns where a browser signs out somebody whom the provider has signed
	// in; "" if the provider has no such place, or s is of nobody of his.
	SignOutURL(s session.Session) string
}

// SignInAnswer is what a browser brings back from the provider. Anybody can make one up.
type SignInAnswer struct {
	Code   string
	State  string
	Issuer string // RFC 9207; "" if the answer does not say
	Err    string // the error code instead of a Code, such as access_denied
}
