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

// BeginDevice begins to sign in somebody with a browser on another device. It returns the
// errors of [ports.IdentityProvider.BeginDevice].
func (s *SignIns) BeginDevice(ctx context.Context) (session.Device, error) {
	return s.provider.BeginDevice(ctx)
}

// FinishDevice returns the token of who has approved the code of a device. It returns the
// errors of [ports.IdentityProvider.RedeemDevice].
func (s *SignIns) FinishDevice(ctx context.Context, c Call, code string) (string, session.Session, error) {
	found, called, err := s.provider.RedeemDevice(ctx, code)
	if err != nil {
		return "", session.Session{}, err
	}
	ch, link, err := s.sessions.admit(ctx, c, found, called)
	if err != nil {
		return "", session.Session{}, err
	}
	made, err := link.SignIn(s.sessions.ids.NewID(), ch.at)
	if err != nil {
		return "", session.Session{}, err
	}
	ch.call.Actor = made.Actor()
	return s.sessions.hand(ctx, ch, made)
}

// welcome keeps the link of somebody who has signed in at the provider.
func (s *Sessions) welcome(ctx context.Context, c Call, a session.Attempt, found session.Session, called string) (session.Code, session.Link, error) {
	ch, made, err := s.admit(ctx, c, found, called)
	if err != nil {
		return "", session.Link{}, err
	}
	code := session.NewBoundCode(s.random.Key())
	if err := s.keep(ctx, ch, code.With(a.Challenge()), made); err != nil {
		return "", session.Link{}, err
	}
	return code, made, nil
}

// admit returns the link of somebody who has signed in at the provider, of which nothing is
// kept yet.
func (s *Sessions) admit(ctx context.Context, c Call, found session.Session, called string) (change, session.Link, error) {
	if s.isRevoked(found) {
		return change{}, session.Link{}, session.ErrRevoked
	}
	c.Actor = found.Actor()
	ch := newChange(s.clock, s.ids, c)
	made := found.Welcome(s.issuer.Issuer(), called, ch.at)
	err := s.checkAgent(ctx, made.As)
	if err == nil {
		err = s.checkToken(made, ch.at)
	}
	return ch, made, err
}
