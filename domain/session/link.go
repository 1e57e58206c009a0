package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"orgd/domain/fault"
)

// LinkTTL is how long a sign-in link can be used.
const LinkTTL = 5 * time.Minute

var (
	// ErrLink is the code of a sign-in link that is unknown, used or too old.
	// Which of them it is nobody is told.
	ErrLink = fault.New(fault.Unauthorized, "this sign-in link is not valid: it works once, for five minutes; orgd login --link makes another")
	// ErrNoLink is a session of an external issuer, which nothing here continues.
	ErrNoLink = fault.New(fault.Forbidden, "only a token that this service issued can make a sign-in link")
)

// Code is the secret of a sign-in link.
type Code string

// NewCode writes random bytes as the secret of a link.
func NewCode(random [32]byte) Code { return Code(base64.RawURLEncoding.EncodeToString(random[:])) }

// Hash is what is kept of a code.
func (c Code) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(c)) }

// Link is the right to one more session like that of its maker. Whoever keeps
// links gives each out once.
type Link struct {
	Maker     Session
	ExpiresAt time.Time // exclusively
}

// Link returns a link that is made now. It ends after [LinkTTL], or with the token
// of its maker. It returns [ErrNoLink] for a session of an external issuer.
func (s Session) Link(now time.Time) (Link, error) {
	if !s.Own() {
		return Link{}, ErrNoLink
	}
	l := Link{Maker: s, ExpiresAt: now.Add(LinkTTL)}
	if s.ExpiresAt.Before(l.ExpiresAt) {
		l.ExpiresAt = s.ExpiresAt
	}
	return l, nil
}

// SignIn returns the session with this new id that the link gives; see [Session.SignIn].
// It returns [ErrLink] if the link has ended.
func (l Link) SignIn(id string, now time.Time) (Session, error) {
	if !now.Before(l.ExpiresAt) {
		return Session{}, ErrLink
	}
	s, err := l.Maker.SignIn(id, l.Maker.Issuer, now)
	if errors.Is(err, ErrUnauthorized) {
		return Session{}, ErrLink
	}
	return s, err
}

// SignIn returns a session with this new id in which the same person uses a browser: with
// the rights of s, and until s ends. Its first token is good for [DefaultTTL] at most; issuer
// is the name of this service in it. It returns [ErrUnauthorized] if s has ended.
func (s Session) SignIn(id, issuer string, now time.Time) (Session, error) {
	ends := s.ExpiresAt.Truncate(time.Second)
	if !s.EndsBy.IsZero() {
		ends = s.EndsBy
	}
	ttl := min(ends.Sub(now), DefaultTTL).Truncate(time.Second)
	if ttl < MinTTL {
		return Session{}, ErrUnauthorized.With("the token has expired")
	}
	made := Session{
		ID: id, Issuer: issuer, Subject: s.Subject, Role: s.Role, Departments: s.Departments, Agent: s.Agent,
		Kind: BySignIn, EndsBy: ends, Root: cmp.Or(s.Root, s.ID),
	}
	made.IssuedAt, made.ExpiresAt = lifetime(now, ttl)
	return made, nil
}
