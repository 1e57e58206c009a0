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
func (s *Server) once(x *exchange) (err error) {
	keys, ok := x.Request.Header["Idempotency-Key"]
	if x.Request.Method != http.MethodPost || !ok {
		return s.handle(x)
	}
	if len(keys) != 1 {
		return errKeyTwice
	}
	claim, err := s.claimFor(x, keys[0])
	if err != nil {
		return err
	}
	kept, err := s.parts.Receipts.Claim(x.ctx(), claim)
	if err != nil {
		return err
	}
	if kept != nil {
		return x.replay(*kept, claim.Fingerprint)
	}
	x.claim = &claim
	defer func() {
		if faultOf(err).Code == fault.Unavailable {
			x.later = func() { s.release(x, claim) } // a storage that is lost would keep the client waiting
		} else {
			s.release(x, claim)
		}
	}()
	if x.route.long {
		defer s.renew(x, claim)()
	}
	return s.handle(x)
}

// renew holds the key for as long as the request runs, which may be longer than
// a claim holds by itself. The function that it returns ends that.
//
// A key that is lost all the same does no harm: another attempt of the same
// request runs beside this one, and only one of them leaves a receipt.
func (s *Server) renew(x *exchange, c ports.Claim) (end func()) {
	ctx, cancel := context.WithCancel(x.ctx())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(receipt.Renewal)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := s.renewOnce(ctx, c); err != nil && ctx.Err() == nil {
				x.env.log.Warn("idempotency key not renewed", zap.String("instance", x.id), zap.Error(err))
			}
		}
	}()
	return func() { cancel(); <-ended }
}

func (s *Server) renewOnce(ctx context.Context, c ports.Claim) error {
	ctx, cancel := context.WithTimeout(ctx, receipt.Renewal)
	defer cancel()
	return s.parts.Receipts.Renew(ctx, c, s.parts.Clock.Now())
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

func (s *Server) claimFor(x *exchange, text string) (ports.Claim, error) {
	key, err := receipt.NewKey(x.session.Subject, x.Request.Method, x.Request.URL.EscapedPath(), text)
	if err != nil {
		return ports.Claim{}, err
	}
	sum, err := x.bodySum()
	if err != nil {
		return ports.Claim{}, err
	}
	h := x.Request.Header
	ifMatch := strings.Join(h["If-Match"], ",")
	if ifMatch == "" && h["If-Match"] != nil {
		ifMatch = "," // an empty condition is not the same as none
	}
	return ports.Claim{
		Key:         key,
		Fingerprint: receipt.Fingerprint(x.Request.URL.RawQuery, h.Get("Content-Type"), ifMatch, sum),
		Owner:       s.parts.IDs.NewID(),
		At:          s.parts.Clock.Now(),
	}, nil
}

// releaseTimeout bounds giving a claim back after the request's own deadline.
const releaseTimeout = 2 * time.Second

// release gives the key back. After a change it does nothing: the change left a
// receipt, and a receipt is stronger than a claim.
func (s *Server) release(x *exchange, c ports.Claim) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx()), releaseTimeout)
	defer cancel()
	if err := s.parts.Receipts.Release(ctx, c); err != nil {
		x.env.log.Warn("idempotency key not released; it is free again after its lease",
			zap.String("instance", x.id), zap.Error(err))
	}
}
