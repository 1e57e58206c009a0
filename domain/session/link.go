package session

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"orgd/domain/fault"
)

// How long a sign-in link can be used: one for its maker, and one for somebody else.
const (
	LinkTTL        = 5 * time.Minute
	DefaultLinkTTL = 24 * time.Hour
	MinLinkTTL     = time.Minute
	MaxLinkTTL     = 7 * 24 * time.Hour
)

// maxFrom bounds the sessions that one was made from.
const maxFrom = 8

// MaxLinks bounds the links of one maker.
const MaxLinks = 100

var (
	// ErrLink is the code of a sign-in link that is unknown, used or too old.
	// Which of them it is nobody is told.
	ErrLink = fault.New(fault.Unauthorized, "this sign-in link is not valid: it works once, until it expires; orgd login --link makes another")
	// ErrLinkTTL is a time out of bounds for a link for somebody else.
	ErrLinkTTL = fault.New(fault.RequestValidation, "ttl_seconds: must be a whole number of seconds, 60 to 604800")
	// ErrNoLink is a session of an external issuer, which nothing here continues.
	ErrNoLink = fault.New(fault.Forbidden, "only a token that this service issued can make a sign-in link")
	// ErrGenerations is a session that was made from so many others that its token would
	// not be short enough for a browser any more.
	ErrGenerations = fault.New(fault.Forbidden, "this session was made from 8 others, each from the one before: sign in anew")
)

// FitsLinkTTL reports whether a link for somebody else can be used for this long: whole seconds,
// [MinLinkTTL] to [MaxLinkTTL].
func FitsLinkTTL(ttl time.Duration) bool { return fits(ttl, MinLinkTTL, MaxLinkTTL) }

// Code is the secret of a sign-in link.
type Code string

// bound begins the codes that only the holder of a verifier can use.
const bound = "."

// NewCode writes random bytes as the secret of a link.
func NewCode(random [32]byte) Code { return Code(base64.RawURLEncoding.EncodeToString(random[:])) }

// NewBoundCode is [NewCode] for a code that needs the verifier of a challenge.
func NewBoundCode(random [32]byte) Code { return bound + NewCode(random) }

// Bound reports whether the code needs a verifier.
func (c Code) Bound() bool { return strings.HasPrefix(string(c), bound) }

// fragment begins the part of a link that is the code. Browsers do not send it.
const fragment = "#code="

// URL is the link to the console of a service.
func (c Code) URL(server string) string {
	return strings.TrimRight(server, "/") + "/console" + fragment + string(c)
}

// ReadCode reads a code that somebody has typed: alone, or in the link.
func ReadCode(text string) Code {
	text = strings.TrimSpace(text)
	if _, code, found := strings.Cut(text, fragment); found {
		text = code
	}
	return Code(text)
}

// With returns the code together with the challenge that it is bound to.
func (c Code) With(challenge string) Code { return c + bound + Code(challenge) }

// Hash is what is kept of a code; of a bound one it is that with its challenge.
func (c Code) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(c)) }

// Link is the right to one more session. Whoever keeps links gives each out once.
type Link struct {
	As        Session   // what the new session is made from
	By        string    // the id of the session that made the link
	ByFrom    []string  // what that was made from; see [Session.From]
	Maker     string    // the subject of that session
	ExpiresAt time.Time // exclusively
}

// Link returns a link that is made now for the person of s. It ends after [LinkTTL], or
// with the token of s. It returns [ErrNoLink] for a session of an external issuer, and
// [ErrGenerations].
func (s Session) Link(now time.Time) (Link, error) {
	if !s.Own() {
		return Link{}, ErrNoLink
	}
	if err := s.checkGenerations(); err != nil {
		return Link{}, err
	}
	l := s.linkAs(s, now.Add(LinkTTL))
	l.As.Label = "" // which says what the token of s is for
	if s.ExpiresAt.Before(l.ExpiresAt) {
		l.ExpiresAt = s.ExpiresAt
	}
	return l, nil
}

// LinkFor returns a link that somebody else can use for this long, as g describes him. Who
// signs in by it may go on for [MaxTTL] from g.At; g.TTL is not looked at. It returns
// [ErrLinkTTL] or an error of [Issue].
func (s Session) LinkFor(g Grant, ttl time.Duration) (Link, error) {
	if !FitsLinkTTL(ttl) {
		return Link{}, ErrLinkTTL
	}
	g.TTL = MaxTTL
	as, err := Issue(g)
	if err != nil {
		return Link{}, err
	}
	return s.linkAs(as, g.At.Add(ttl)), nil
}

func (s Session) linkAs(as Session, until time.Time) Link {
	return Link{As: as, By: s.ID, ByFrom: s.From, Maker: s.Subject, ExpiresAt: until}
}

// Sessions returns the ids of the sessions whose revocation ends the link.
func (l Link) Sessions() []string {
	return slices.Concat(l.As.Sessions(), []string{l.By}, l.ByFrom)
}

// Sessions returns the ids of the sessions whose revocation ends this one: its own, and those
// that it was made from.
func (s Session) Sessions() []string { return append(slices.Clone(s.From), s.ID) }

// checkGenerations returns [ErrGenerations] if nothing may be made from s any more.
func (s Session) checkGenerations() error {
	if len(s.From) >= maxFrom {
		return ErrGenerations
	}
	return nil
}

// SignIn returns the session with this new id that the link gives; see [Session.SignIn].
// It returns [ErrLink] if the link has ended.
func (l Link) SignIn(id string, now time.Time) (Session, error) {
	if !now.Before(l.ExpiresAt) {
		return Session{}, ErrLink
	}
	s, err := l.As.SignIn(id, l.As.Issuer, now)
	if errors.Is(err, ErrUnauthorized) {
		return Session{}, ErrLink
	}
	s.Label = l.As.Label
	return s, err
}

// SignIn returns a session with this new id in which the same person uses a browser: with
// the rights of s, and until s ends. Its first token is good for [DefaultTTL] at most; issuer
// is the name of this service in it. It returns [ErrUnauthorized] if s has ended, and
// [ErrGenerations].
func (s Session) SignIn(id, issuer string, now time.Time) (Session, error) {
	if err := s.checkGenerations(); err != nil {
		return Session{}, err
	}
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
		Kind: BySignIn, EndsBy: ends, From: s.Sessions(),
	}
	made.IssuedAt, made.ExpiresAt = lifetime(now, ttl)
	return made, nil
}
