// Package idempotency makes a request with an Idempotency-Key happen once.
//
// A request locks its key, runs, and stores an idempotency record in the commit of
// its own change. A later request with the same key gets the reply in the record.
package idempotency

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"orgd/domain/fault"
	"orgd/domain/name"
)

const (
	// Kept is how long a record is kept.
	Kept = 24 * time.Hour
	// Lease is how long a lock holds without a record. After it, the process that
	// holds the lock is taken for dead and the next request takes over. So a request
	// must end well within it, or renew its lock.
	Lease = 16 * time.Second
	// MaxReply bounds the body of a reply that is kept, in bytes.
	MaxReply = 256 << 10
	// maxKey bounds an Idempotency-Key, in characters.
	maxKey = 255
)

var (
	// ErrKey is a key outside its bounds.
	ErrKey = fault.New(fault.RequestValidation, "not an Idempotency-Key")
	// ErrReused is a key that was used for another request.
	ErrReused = fault.New(fault.Validation, "Idempotency-Key: was used before for a different request")
	// ErrRunning is a key whose first request has not ended. Ask again in a
	// second.
	ErrRunning = &fault.Error{
		Code:       fault.ConcurrencyLimited,
		Msg:        "the first request with this Idempotency-Key is still running",
		RetryAfter: time.Second,
	}
	// ErrSecret is a key of a request whose reply held a secret, which is shown
	// once and never again.
	ErrSecret = fault.New(fault.Conflict, "a request with this Idempotency-Key has issued a secret, which is not shown twice")
	// ErrNotKept is a key of a request whose reply is not kept: it was too long, or told of an agent that
	// was purged.
	ErrNotKept = fault.New(fault.Conflict, "a request with this Idempotency-Key has been applied; its answer is not kept, read the resource")
)

// Key is a scoped idempotency key: two callers, or two operations, never share
// one.
type Key string

// NewKey scopes the text of an Idempotency-Key to a subject, a method and a
// concrete path. It returns [ErrKey] if the text is out of bounds.
func NewKey(subject, method, path, text string) (Key, error) {
	if problem := name.CheckASCII(text, maxKey); problem != "" {
		return "", ErrKey.With("Idempotency-Key: %s", problem)
	}
	return Key(join(sha256.Sum256([]byte(subject)), sha256.Sum256([]byte(method)), sha256.Sum256([]byte(path)), sha256.Sum256([]byte(text)))), nil
}

// Renewal is the time between renewals of a lock by a request that may take longer than a
// lease, and the timeout of one. A quarter of the lease leaves room for one that takes
// all of its time and fails.
const Renewal = Lease / 4

// Fingerprint identifies what was asked, with the SHA-256 of the body: a key may
// come again only with the same fingerprint.
func Fingerprint(query, mediaType, ifMatch string, body [sha256.Size]byte) string {
	return join(sha256.Sum256([]byte(query)), sha256.Sum256([]byte(mediaType)), sha256.Sum256([]byte(ifMatch)), body)
}

// join hashes hashes, so that no two different lists of parts share a result, however
// the parts are cut.
func join(sums ...[sha256.Size]byte) string {
	var text []byte
	for _, sum := range sums {
		text = append(text, sum[:]...)
	}
	all := sha256.Sum256(text)
	return hex.EncodeToString(all[:])
}

// Lock is the hold of a request on its key while it runs.
type Lock struct {
	Key         Key
	Fingerprint string
	Owner       string // unique to the request
	At          time.Time
}

// Reply is a successful response as it was sent.
type Reply struct {
	Status   int // 0: it is not kept, see [Reply.WithoutBody]
	Body     []byte
	ETag     string // "" if none
	Location string // "" if none
}

// Record is what a change with an idempotency key stores in its own commit.
type Record struct {
	Key         Key
	Fingerprint string
	At          time.Time
	// Departments are those that the caller needed permission for. A department
	// administrator gets the reply again only while managing all of them.
	Departments []name.Key
	// Reply is nil if the reply held a secret: then nothing is kept of it.
	Reply *Reply
}

// Bounded returns r as it is stored: without a body above [MaxReply].
func (r Reply) Bounded() Reply {
	if len(r.Body) > MaxReply {
		return r.WithoutBody()
	}
	return r
}

// WithoutBody returns what is stored of a reply that is too long. For it
// [Record.Answer] returns [ErrNotKept].
func (r Reply) WithoutBody() Reply {
	r.Status, r.Body = 0, nil
	return r
}

// Tells reports whether the reply has one of some texts.
func (r Reply) Tells(texts []string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return bytes.Contains(r.Body, []byte(s)) })
}

// Answer returns the stored reply for a request with this fingerprint, or
// [ErrReused], [ErrSecret] or [ErrNotKept].
func (r Record) Answer(fingerprint string) (Reply, error) {
	switch {
	case r.Fingerprint != fingerprint:
		return Reply{}, ErrReused
	case r.Reply == nil:
		return Reply{}, ErrSecret
	case r.Reply.Status != 0:
		return *r.Reply, nil
	case r.Reply.Location != "":
		return Reply{}, ErrNotKept.With("%s at %s", ErrNotKept.Msg, r.Reply.Location)
	}
	return Reply{}, ErrNotKept
}
