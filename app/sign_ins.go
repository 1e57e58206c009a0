package app

import (
	"context"

	"orgd/domain/session"
	"orgd/ports"
)

// SignIns are the use cases of signing in with the identity provider of the company.
type SignIns struct {
	random   ports.Random
	provider ports.IdentityProvider
	sessions *Sessions
}

// NewSignIns returns the use cases of signing in with provider.
func NewSignIns(random ports.Random, provider ports.IdentityProvider, sessions *Sessions) *SignIns {
	return &SignIns{random, provider, sessions}
}

// Provider is what people know the provider by; "" if there is none.
func (s *SignIns) Provider() string { return s.provider.Name() }

// SignOutURL is where the browser of a session is signed out at the provider, too; "" if
// there is nothing to do.
func (s *SignIns) SignOutURL(of session.Session) string { return s.provider.SignOutURL(of) }

// Begin begins to sign in a browser, or the program on its machine that waits at to, and
// returns where the browser goes. It returns the errors of [ports.IdentityProvider.AuthURL].
func (s *SignIns) Begin(to *session.Loopback) (session.Attempt, string, error) {
	a := session.NewAttempt(s.random.Key(), to)
	url, err := s.provider.AuthURL(a)
	return a, url, err
}

// Finish returns the code that signs in whoever has begun the attempt, and who that is. It
// returns the errors of [ports.IdentityProvider.Redeem].
func (s *SignIns) Finish(ctx context.Context, c Call, a session.Attempt, answer ports.SignInAnswer) (session.Code, session.Link, error) {
	found, called, err := s.provider.Redeem(ctx, a, answer)
	if err != nil {
		return "", session.Link{}, err
	}
	return s.sessions.welcome(ctx, c, a, found, called)
}

// welcome keeps the link of somebody who has signed in at the provider.
func (s *Sessions) welcome(ctx context.Context, c Call, a session.Attempt, found session.Session, called string) (session.Code, session.Link, error) {
	if s.isRevoked(found) {
		return "", session.Link{}, session.ErrRevoked
	}
	c.Actor = found.Actor()
	ch := newChange(s.clock, s.ids, c)
	made := found.Welcome(s.issuer.Issuer(), called, ch.at)
	err := s.checkAgent(ctx, made.As)
	if err == nil {
		err = s.checkToken(made, ch.at)
	}
	code := session.NewBoundCode(s.random.Key())
	if err == nil {
		err = s.keep(ctx, ch, code.With(a.Challenge()), made)
	}
	if err != nil {
		return "", session.Link{}, err
	}
	return code, made, nil
}
