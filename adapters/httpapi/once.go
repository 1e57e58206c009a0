package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/receipt"
	"orgd/ports"
)

// errKeyTwice is a request with several idempotency keys.
var errKeyTwice = fault.New(fault.RequestValidation, "Idempotency-Key: must be given once")

// once hands a request to its handler, at most once for each idempotency key. A
// key that has been used is answered with the reply of the first time.
func (x *exchange) once() error {
	keys, ok := x.Request.Header["Idempotency-Key"]
	if x.Request.Method != http.MethodPost || !ok {
		return x.route.handle(x)
	}
	if len(keys) != 1 {
		return errKeyTwice
	}
	claim, err := x.claimFor(keys[0])
	if err != nil {
		return err
	}
	kept, err := x.server.parts.Receipts.Claim(x.ctx(), claim)
	if err != nil {
		return err
	}
	if kept != nil {
		return x.replay(*kept, claim.Fingerprint)
	}
	x.claim = &claim
	defer x.release(claim)
	return x.route.handle(x)
}

// replay shows what came of the first request with this key, if the caller may
// still see it.
func (x *exchange) replay(kept receipt.Receipt, fingerprint string) error {
	if err := access.CheckReplay(x.session.Actor(), x.route.op, kept.Departments); err != nil {
		return err
	}
	reply, err := kept.Answer(fingerprint)
	if err != nil {
		return err
	}
	x.Writer.Header().Set("Idempotent-Replayed", "true")
	return x.send(reply)
}

func (x *exchange) claimFor(text string) (ports.Claim, error) {
	key, err := receipt.NewKey(x.session.Subject, x.Request.Method, x.Request.URL.EscapedPath(), text)
	if err != nil {
		return ports.Claim{}, err
	}
	body, err := x.read()
	if err != nil {
		return ports.Claim{}, err
	}
	h := x.Request.Header
	return ports.Claim{
		Key:         key,
		Fingerprint: receipt.Fingerprint(x.Request.URL.RawQuery, h.Get("Content-Type"), strings.Join(h.Values("If-Match"), ","), body),
		Owner:       x.server.parts.IDs.NewID(),
		At:          x.server.parts.Clock.Now(),
	}, nil
}

// releaseTimeout bounds giving a claim back after the request's own deadline.
const releaseTimeout = 2 * time.Second

// release gives the key back. After a change it does nothing: the change left a
// receipt, and a receipt is stronger than a claim.
func (x *exchange) release(c ports.Claim) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx()), releaseTimeout)
	defer cancel()
	if err := x.server.parts.Receipts.Release(ctx, c); err != nil {
		x.server.log.Warn("idempotency key not released; it is free again after its lease",
			zap.String("instance", x.id), zap.Error(err))
	}
}
