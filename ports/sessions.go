package ports

import (
	"context"
	"crypto/sha256"
	"time"

	"orgd/domain/session"
)

// SessionStore keeps sessions, revocations and sign-in links. Every implementation
// passes portstest.SessionStore.
//
// Sessions and revocations have lives of their own: a session may be revoked
// before it is seen, and its record may go before its revocation does. A
// session is revoked until its revocation is deleted.
type SessionStore interface {
	// Issue records a session whose token this service is about to hand out,
	// and trail, in one atomic step. A session that is known already keeps its
	// record, only ExpiresAt moves to the later of both. If the session is
	// revoked Issue returns session.ErrRevoked and stores nothing: renewing
	// never outruns revoking.
	Issue(ctx context.Context, s session.Session, trail Trail) error

	// See records a session whose token was accepted. A session that is known
	// already, with whatever subject, keeps its record, only ExpiresAt moves to
	// the later of both. A revoked session may be seen.
	See(ctx context.Context, s session.Session) error

	// Used records when sessions were used last; it need not be one atomic step. An
	// older time never replaces a newer one, whoever stores them in which order. A
	// session that is not known is left out.
	Used(ctx context.Context, uses []session.Use) error
	// Session returns one session that was issued or seen, expired ones
	// included until they are deleted, or session.ErrNotFound. Revocation is
	// set if the session is revoked.
	Session(ctx context.Context, id string) (session.Record, error)

	// Sessions returns the sessions that q selects, those that expire after
	// q.At, latest IssuedAt first, ties by the bytes of the id. Revoked ones are
	// among them, with Revocation set. No session is not an error.
	Sessions(ctx context.Context, q session.Query) ([]session.Record, error)

	// Revoke stores a revocation, of a session known or not, and trail, in one
	// atomic step. A session that is revoked already keeps By and At of the
	// first revocation and the later Until of both; trail is stored all the same.
	//
	// At of another one is moved behind that of every revocation that was stored
	// before, also of those that have been deleted, if it is not behind them: clocks
	// differ. So whoever has read them up to one finds those that are stored later
	// behind it.
	Revoke(ctx context.Context, r session.Revocation, trail Trail) error

	// Revoked returns the revocations with At at or after since and Until after
	// now, in no order; a zero since means all of them. No revocation becomes
	// visible before one with an earlier At. Replicas ask twice a second from the
	// latest At that they have read. They drop an entry only when they load all
	// of them, because Until may have moved.
	Revoked(ctx context.Context, since, now time.Time) ([]session.Revocation, error)

	// KeepLink stores a link under the hash of its code, and trail, in one atomic step. It
	// removes the other links of the same maker that have expired at the time of the audit
	// entry, and all but the latest of them by that time, so that he has session.MaxLinks.
	// Of those that are stored at once there may be more until his next one.
	KeepLink(ctx context.Context, hash [sha256.Size]byte, l session.Link, trail Trail) error

	// TakeLink removes the link with this hash and returns it. It returns session.ErrLink if
	// there is none, or it has expired at the time now. Of several calls at once exactly
	// one gets it.
	TakeLink(ctx context.Context, hash [sha256.Size]byte, now time.Time) (session.Link, error)
}
