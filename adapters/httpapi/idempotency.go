package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/idempotency"
)

// errKeyTwice is a request with several idempotency keys.
var errKeyTwice = fault.New(fault.RequestValidation, "Idempotency-Key: must be given once")

// handleOnce calls the handler at most once for each idempotency key. A key that has been
// used is answered with the reply of its first request.
func (s *Server) handleOnce(r *request.Request) (err error) {
	keys, ok := r.HTTP.Header["Idempotency-Key"]
	if r.HTTP.Method != http.MethodPost || !ok {
		return s.handle(r)
	}
	if len(keys) != 1 {
		return errKeyTwice
	}
	lock, err := s.lockFor(r, keys[0])
	if err != nil {
		return err
	}
	record, err := s.parts.Idempotency.Lock(r.Ctx(), lock)
	if err != nil {
		return err
	}
	if record != nil {
		return replay(r, *record, lock.Fingerprint)
	}
	r.Lock = &lock
	defer func() {
		if request.FaultOf(err).Code == fault.Unavailable {
			r.Later = func() { s.unlock(r, lock) } // a storage that is lost would keep the client waiting
		} else {
			s.unlock(r, lock)
		}
	}()
	if r.Route.Long {
		defer s.renewLock(r, lock)()
	}
	return s.handle(r)
}

// lockFor returns the lock on the idempotency key in text. It reads the body.
func (s *Server) lockFor(r *request.Request, text string) (idempotency.Lock, error) {
	key, err := idempotency.NewKey(r.Session.Subject, r.HTTP.Method, r.HTTP.URL.EscapedPath(), text)
	if err != nil {
		return idempotency.Lock{}, err
	}
	sum, err := r.BodySum()
	if err != nil {
		return idempotency.Lock{}, err
	}
	h := r.HTTP.Header
	ifMatch := strings.Join(h["If-Match"], ",")
	if ifMatch == "" && h["If-Match"] != nil {
		ifMatch = "," // an empty condition is not the same as none
	}
	return idempotency.Lock{
		Key:         key,
		Fingerprint: idempotency.Fingerprint(r.HTTP.URL.RawQuery, h.Get("Content-Type"), ifMatch, sum),
		Owner:       s.parts.IDs.NewID(),
		At:          s.parts.Clock.Now(),
	}, nil
}

// replay answers with the reply of the first request with this key, if the caller may
// still read it.
func replay(r *request.Request, record idempotency.Record, fingerprint string) error {
	if err := access.CheckReplay(r.Session.Actor(), r.Route.Op, record.Departments); err != nil {
		return err
	}
	reply, err := record.Answer(fingerprint)
	if err != nil {
		return err
	}
	r.Writer.Header().Set("Idempotent-Replayed", "true")
	return r.Send(reply)
}

// renewLock renews the lock until end is called, because the request may take longer than
// a lease.
//
// Losing the lock does no harm: another attempt of the same request runs at the same time,
// and only one of them stores an idempotency record.
func (s *Server) renewLock(r *request.Request, lock idempotency.Lock) (end func()) {
	ctx, cancel := context.WithCancel(r.Ctx())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(idempotency.Renewal)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := s.renewLockOnce(ctx, lock); err != nil && ctx.Err() == nil {
				s.log.Warn("idempotency key not renewed", zap.String("instance", r.ID), zap.Error(err))
			}
		}
	}()
	return func() { cancel(); <-ended }
}

func (s *Server) renewLockOnce(ctx context.Context, lock idempotency.Lock) error {
	ctx, cancel := context.WithTimeout(ctx, idempotency.Renewal)
	defer cancel()
	return s.parts.Idempotency.Renew(ctx, lock, s.parts.Clock.Now())
}

// unlockTimeout bounds releasing a lock, which may be after the request's own deadline.
const unlockTimeout = 2 * time.Second

// unlock releases the lock. After a change it does nothing: the change has stored an
// idempotency record in its place.
func (s *Server) unlock(r *request.Request, lock idempotency.Lock) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Ctx()), unlockTimeout)
	defer cancel()
	if err := s.parts.Idempotency.Release(ctx, lock); err != nil {
		s.log.Warn("idempotency key not released; it is free again after its lease",
			zap.String("instance", r.ID), zap.Error(err))
	}
}
