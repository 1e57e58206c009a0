package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"orgd/domain/access"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/session"
	"orgd/ports"
)

// Sessions are the use cases on tokens and the sessions that they belong to.
// They keep the revocations of the installation in memory, so that no request
// waits for the storage to learn whether its session is still good.
type Sessions struct {
	clock  ports.Clock
	ids    ports.IDs
	random ports.Random
	auth   ports.Authenticator
	issuer ports.TokenIssuer
	store  ports.SessionStore
	agents ports.AgentReader

	changed ports.Broadcast // when a session is newly revoked
	mu      sync.RWMutex
	revoked map[string]time.Time // session id → until
	latest  time.Time            // At of the latest revocation that was read
	seen    map[string]time.Time // session id → latest expiry that is recorded

	uses uses
}

// NewSessions returns the use cases on sessions. Call [Sessions.Load] before
// the first request, [Sessions.Refresh] twice a second from then on, and
// [Sessions.StoreUses] every [StoreUsesEvery] and after the last request.
func NewSessions(clock ports.Clock, ids ports.IDs, random ports.Random, auth ports.Authenticator, issuer ports.TokenIssuer, store ports.SessionStore, agents ports.AgentReader) *Sessions {
	return &Sessions{
		clock: clock, ids: ids, random: random, auth: auth, issuer: issuer, store: store, agents: agents,
		revoked: map[string]time.Time{}, seen: map[string]time.Time{},
	}
}

// maxSeen bounds the sessions that are cached as recorded. Beyond it they
// are all evicted, which costs each of them one more write.
const maxSeen = 100_000

// Authenticate returns the session of a token. It returns
// session.ErrUnauthorized for a token that is not accepted and
// session.ErrRevoked for one whose session has ended.
func (s *Sessions) Authenticate(ctx context.Context, token string) (session.Session, error) {
	found, err := s.auth.Authenticate(ctx, token)
	if err != nil {
		return session.Session{}, err
	}
	if s.isRevoked(found) {
		return session.Session{}, session.ErrRevoked
	}
	return found, nil
}

// check returns session.ErrUnauthorized or session.ErrRevoked if a session that
// was authenticated has ended since.
func (s *Sessions) check(found session.Session) error {
	switch {
	case s.isRevoked(found):
		return session.ErrRevoked
	case !s.clock.Now().Before(found.ExpiresAt):
		return session.ErrUnauthorized.With("the token has expired")
	}
	return nil
}

// Watch returns what says whether a session that was authenticated just now goes on:
// it returns session.ErrRevoked or session.ErrUnauthorized from when it has ended.
func (s *Sessions) Watch(found *session.Session) func() error {
	late := !s.clock.Now().Before(found.ExpiresAt) // and accepted: the issuer's clock may be off
	return func() error {
		err := s.check(*found)
		if late && errors.Is(err, session.ErrUnauthorized) {
			return nil
		}
		return err
	}
}

// See records the session of an accepted request, once for each expiry. That it was
// used is stored later.
func (s *Sessions) See(ctx context.Context, found session.Session) error {
	s.uses.keep(session.Use{ID: found.ID, At: s.clock.Now()})
	s.mu.RLock()
	until, ok := s.seen[found.ID]
	s.mu.RUnlock()
	if ok && !found.ExpiresAt.After(until) {
		return nil
	}
	if err := s.store.See(ctx, found); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) >= maxSeen {
		clear(s.seen)
	}
	s.seen[found.ID] = found.ExpiresAt
	return nil
}

// StoreUses stores when sessions were used since the last call. What could not be stored
// is kept for the next one.
func (s *Sessions) StoreUses(ctx context.Context) error { return s.uses.store(ctx, s.store) }

// IssueToken asks for a token of a new session.
type IssueToken struct {
	Subject     string
	Role        access.Role
	Departments []name.Name
	Label       string // what it is for; may be ""
	TTL         time.Duration
}

// grant is what the new session is to be.
func (s *Sessions) grant(ch change, in IssueToken) session.Grant {
	return session.Grant{
		ID: s.ids.NewID(), Issuer: s.issuer.Issuer(), Subject: in.Subject,
		Role: in.Role, Departments: in.Departments, Label: in.Label, At: ch.at, TTL: in.TTL,
	}
}

// Issue makes a token. One of role agent needs an existing agent's id as its
// subject. The token is returned once: nothing of it is kept.
func (s *Sessions) Issue(ctx context.Context, c Call, in IssueToken) (string, session.Session, error) {
	ch := newChange(s.clock, s.ids, c)
	made, err := session.Issue(s.grant(ch, in))
	if err != nil {
		return "", session.Session{}, err
	}
	if err := s.checkAgent(ctx, made); err != nil {
		return "", session.Session{}, err
	}
	return s.hand(ctx, ch, made)
}

// checkAgent makes sure that a session of role agent is that of an existing one.
func (s *Sessions) checkAgent(ctx context.Context, made session.Session) error {
	if made.Role != access.Agent {
		return nil
	}
	ref, err := identity.ParseRef(made.Agent)
	if err != nil {
		return err
	}
	_, err = s.agents.Agent(ctx, ref)
	if errors.Is(err, agent.ErrNotFound) {
		return session.ErrAgentSubject.With("subject: there is no agent with the id %q", made.Agent)
	}
	return err
}

// Renew makes another token of the caller's session, as long-lived as the one
// that he has.
func (s *Sessions) Renew(ctx context.Context, c Call, mine session.Session) (string, session.Session, error) {
	ch := newChange(s.clock, s.ids, c)
	next, err := mine.Renew(ch.at)
	if err != nil {
		return "", session.Session{}, err
	}
	return s.hand(ctx, ch, next)
}

// Link makes a sign-in link for another session like mine and returns its code, of
// which only a hash is kept.
func (s *Sessions) Link(ctx context.Context, c Call, mine session.Session) (session.Code, session.Link, error) {
	ch := newChange(s.clock, s.ids, c)
	made, err := mine.Link(ch.at)
	if err != nil {
		return "", session.Link{}, err
	}
	return s.keepLink(ctx, ch, made)
}

// LinkFor makes a sign-in link for somebody else, good for in.TTL, by a caller who may
// issue tokens.
func (s *Sessions) LinkFor(ctx context.Context, c Call, mine session.Session, in IssueToken) (session.Code, session.Link, error) {
	if err := access.Check(c.Actor, access.AuthTokens); err != nil {
		return "", session.Link{}, err
	}
	ch := newChange(s.clock, s.ids, c)
	made, err := mine.LinkFor(s.grant(ch, in), in.TTL)
	if err != nil {
		return "", session.Link{}, err
	}
	if err := s.checkAgent(ctx, made.As); err != nil {
		return "", session.Link{}, err
	}
	if err := s.checkToken(made, ch.at); err != nil {
		return "", session.Link{}, err
	}
	return s.keepLink(ctx, ch, made)
}

// checkToken makes sure that the session of a link can have a token.
func (s *Sessions) checkToken(l session.Link, now time.Time) error {
	made, err := l.SignIn(l.As.ID, now)
	if err == nil {
		_, err = s.issuer.Issue(made)
	}
	return err
}

func (s *Sessions) keepLink(ctx context.Context, ch change, made session.Link) (session.Code, session.Link, error) {
	code := session.NewCode(s.random.Key())
	if err := s.keep(ctx, ch, code, made); err != nil {
		return "", session.Link{}, err
	}
	return code, made, nil
}

func (s *Sessions) keep(ctx context.Context, ch change, code session.Code, made session.Link) error {
	return s.store.KeepLink(ctx, code.Hash(), made, withoutReply(ch.trail(audit.LinkMade, audit.Session(made.As.ID), 0, 0, noReply)))
}

// SignIn trades the code of a link for a token of a new session, once. A code that is bound
// needs its verifier. It returns session.ErrLink for a code that is unknown, used or too old,
// and for one that a revocation has ended.
func (s *Sessions) SignIn(ctx context.Context, c Call, code session.Code, verifier string) (string, session.Session, error) {
	ch := newChange(s.clock, s.ids, c)
	if code.Bound() {
		code = code.With(session.Challenge(verifier))
	}
	l, err := s.store.TakeLink(ctx, code.Hash(), ch.at)
	if err != nil {
		return "", session.Session{}, err
	}
	if s.anyRevoked(l.Sessions()...) {
		return "", session.Session{}, session.ErrLink
	}
	made, err := l.SignIn(s.ids.NewID(), ch.at)
	if err != nil {
		return "", session.Session{}, err
	}
	ch.call.Actor = made.Actor()
	return s.hand(ctx, ch, made)
}

// SignInWith starts the session of a browser whose user has a token, and returns the token
// of that session. It ends with that of the token. It returns the errors of
// [Sessions.Authenticate].
func (s *Sessions) SignInWith(ctx context.Context, c Call, token string) (string, session.Session, error) {
	maker, err := s.Authenticate(ctx, token)
	if err != nil {
		return "", session.Session{}, err
	}
	ch := newChange(s.clock, s.ids, c)
	made, err := maker.SignIn(s.ids.NewID(), s.issuer.Issuer(), ch.at)
	if err != nil {
		return "", session.Session{}, err
	}
	ch.call.Actor = made.Actor()
	return s.hand(ctx, ch, made)
}

// KeepSignedIn returns the next token of a session in use and for how long that is good, or
// "" while the token that it has is good for long enough. The first request with the new
// token records it.
func (s *Sessions) KeepSignedIn(found session.Session) (string, time.Duration, error) {
	now := s.clock.Now()
	if !found.RenewalDue(now) {
		return "", 0, nil
	}
	next, err := found.Renew(now)
	if err != nil {
		return "", 0, err
	}
	token, err := s.issuer.Issue(next)
	return token, next.ExpiresAt.Sub(now), err
}

// hand makes the token of a session and records the session.
func (s *Sessions) hand(ctx context.Context, ch change, made session.Session) (string, session.Session, error) {
	token, err := s.issuer.Issue(made)
	if err != nil {
		return "", session.Session{}, err
	}
	return token, made, s.store.Issue(ctx, made, withoutReply(ch.trail(audit.SessionIssued, audit.Session(made.ID), 0, 1, noReply)))
}

// List returns a page of sessions: the caller's own, or everybody's for those
// who may see them.
func (s *Sessions) List(ctx context.Context, c Call, after *session.Position, limit int) ([]session.Record, error) {
	q := session.Query{At: s.clock.Now(), After: after, Limit: limit}
	if access.Of(c.Actor.Role, access.AuthSessions) != access.Allowed {
		q.Subject = c.Actor.Subject
	}
	return s.store.Sessions(ctx, q)
}

// Revoke ends a session on this replica at once and on the others within a
// second. Whoever may revoke every session may also revoke one that was never
// seen; for others that has no effect, or anybody could fill the list.
func (s *Sessions) Revoke(ctx context.Context, c Call, id string) error {
	ch := newChange(s.clock, s.ids, c)
	known, err := s.store.Session(ctx, id)
	if errors.Is(err, session.ErrNotFound) {
		if access.Of(c.Actor.Role, access.AuthRevokeSession) != access.Allowed {
			return nil
		}
		return s.revoke(ctx, ch, session.RevokeUnseen(id, c.Actor.Subject, ch.at))
	}
	if err != nil {
		return err
	}
	if err := access.CheckOwner(c.Actor, access.AuthRevokeSession, known.Subject); err != nil {
		return err
	}
	return s.revoke(ctx, ch, known.Session.Revoke(c.Actor.Subject, ch.at))
}

// Logout ends the caller's own session.
func (s *Sessions) Logout(ctx context.Context, c Call, mine session.Session) error {
	ch := newChange(s.clock, s.ids, c)
	return s.revoke(ctx, ch, mine.Revoke(c.Actor.Subject, ch.at))
}

func (s *Sessions) revoke(ctx context.Context, ch change, r session.Revocation) error {
	trail := ch.trail(audit.SessionRevoked, audit.Session(r.ID), 1, 0, noReply)
	trail.Idempotency = nil // who logs out again gets the error of a session that has ended
	if err := s.store.Revoke(ctx, r, trail); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.learn(r)
	return nil
}
