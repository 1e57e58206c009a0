package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// TokenInput says which token to issue. Subject and Role are required.
type TokenInput struct {
	// Subject is who the token is for, for [RoleAgent] the id of an existing agent.
	Subject string `json:"subject"`
	Role    Role   `json:"role"`
	// Departments are those that a [RoleDepartmentAdmin] is responsible for, or of whose
	// agents a [RoleReporter] reports; none are all then.
	Departments []string `json:"departments,omitzero"`
	// Label says what the token is for, in at most 128 characters.
	Label string `json:"label,omitzero"`
	// TTLSeconds is how long the token lives, at most 30 days; by default 12 hours.
	TTLSeconds int64 `json:"ttl_seconds,omitzero"`
}

// IssuedToken is a new token. The service shows it this once.
type IssuedToken struct {
	Token     string    `json:"token"`
	SID       string    `json:"sid"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Caller is what the service reads from the client's token.
type Caller struct {
	// SID is the id of the session.
	SID    string `json:"sid"`
	Issuer string `json:"issuer"`
	// Subject is who limits and the audit trail count.
	Subject string `json:"subject"`
	Role    Role   `json:"role"`
	// Departments are those that a [RoleDepartmentAdmin] is responsible for, or of whose
	// agents a [RoleReporter] reports; none are all then.
	Departments []string `json:"departments"`
	// AgentID is the agent that the subject is, nil unless it has [RoleAgent].
	AgentID   *string   `json:"agent_id"`
	IssuedAt  time.Time `json:"issued_at"`
	ExpiresAt time.Time `json:"expires_at"`
	// Label is what the session is for, nil if nobody said.
	Label *string     `json:"label"`
	Kind  SessionKind `json:"kind"`
}

// Session is one login. It outlives its tokens when they are renewed.
type Session struct {
	Caller
	// LastUsedAt is when the session was used last, exact to five minutes, nil if no use
	// is known.
	LastUsedAt *time.Time `json:"last_used_at"`
	// RevokedAt is when it was logged out or revoked, nil while it is in force.
	RevokedAt *time.Time `json:"revoked_at"`
}

// Me tells who the client is.
func (c *Client) Me(ctx context.Context, opts ...Option) (Caller, error) {
	return get[Caller](ctx, c, path("auth", "me"), opts)
}

// IssueToken starts a session and returns its token. If the answer is lost on the
// way, the error is an uncertain [ErrConflict]: the token cannot be shown again.
// It takes [IdempotencyKey].
func (c *Client) IssueToken(ctx context.Context, in TokenInput, opts ...Option) (IssuedToken, error) {
	return post[IssuedToken](ctx, c, path("auth", "tokens"), in, opts)
}

// RenewToken returns a new token of the same session. The old one stays good
// until it expires. It takes [IdempotencyKey], and a lost answer is what it is for
// [Client.IssueToken].
func (c *Client) RenewToken(ctx context.Context, opts ...Option) (IssuedToken, error) {
	return post[IssuedToken](ctx, c, path("auth", "renew"), nil, opts)
}

// SignInLink is what signs a browser in: SERVER/console#code=CODE.
type SignInLink struct {
	Code      string    `json:"code"`
	ExpiresAt time.Time `json:"expires_at"`
	// URL is the link; nil if the service does not know where browsers reach it, or has no
	// console. Then the link works on the machine of the service only.
	URL *string `json:"url"`
}

// MakeSignInLink makes a link that signs a browser in as the client: once, within
// five minutes. A service that does not know where browsers reach it answers another
// machine [ErrForbidden]. It takes [IdempotencyKey], and a lost answer is what it is for
// [Client.IssueToken].
func (c *Client) MakeSignInLink(ctx context.Context, opts ...Option) (SignInLink, error) {
	return post[SignInLink](ctx, c, path("auth", "links"), nil, opts)
}

// MakeSignInLinkFor makes a link that signs somebody else in, as [Client.MakeSignInLink].
// Of who, Label says what the session is for, and TTLSeconds how long the link can be used:
// a minute to 7 days, by default a day. The session can be kept for 30 days.
func (c *Client) MakeSignInLinkFor(ctx context.Context, who TokenInput, opts ...Option) (SignInLink, error) {
	return post[SignInLink](ctx, c, path("auth", "links"), who, opts)
}

// SignIn trades the code of a link for a token. A code that is not valid is
// [ErrUnauthorized].
func (c *Client) SignIn(ctx context.Context, code string, opts ...Option) (IssuedToken, error) {
	return c.redeem(ctx, map[string]string{"code": code}, opts)
}

// SignInBound is [Client.SignIn] for the code that a browser has brought back from signing in
// with an identity provider. It works for whom it was made only: verifier is what the challenge
// of the sign-in is the hash of.
func (c *Client) SignInBound(ctx context.Context, code, verifier string, opts ...Option) (IssuedToken, error) {
	return c.redeem(ctx, map[string]string{"code": code, "verifier": verifier}, opts)
}

func (c *Client) redeem(ctx context.Context, body map[string]string, opts []Option) (IssuedToken, error) {
	r := request{method: http.MethodPost, path: path("auth", "links", "redeem"), body: body, open: true}
	return fetch[IssuedToken](ctx, c, r, opts)
}

// Sessions lists sessions that have not expired, newest first: the caller's own,
// for [RoleAdmin] everybody's. An error is the last thing that comes.
func (c *Client) Sessions(ctx context.Context, q PageQuery) iter.Seq2[Session, error] {
	return walk[Session](ctx, c, path("auth", "sessions"), q.values())
}

// SessionPage reads one page of [Client.Sessions].
func (c *Client) SessionPage(ctx context.Context, q PageQuery, opts ...Option) (Page[Session], error) {
	return getPage[Session](ctx, c, path("auth", "sessions"), q.values(), opts)
}

// RevokeSession ends a session: its tokens stop working at once on the replica
// that answers, within a second on the others. Doing it twice is no error.
func (c *Client) RevokeSession(ctx context.Context, sid string, opts ...Option) error {
	_, err := c.do(ctx, request{method: http.MethodDelete, path: path("auth", "sessions", sid)}, opts)
	return err
}

// Logout ends the session of the client's own token. It takes [IdempotencyKey].
func (c *Client) Logout(ctx context.Context, opts ...Option) error {
	return c.doUntilGone(ctx, request{method: http.MethodPost, path: path("auth", "logout")}, opts, ErrSessionRevoked)
}
