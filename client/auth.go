package client

import (
	"context"
	"iter"
	"net/http"
)

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
