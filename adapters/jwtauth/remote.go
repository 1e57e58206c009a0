package jwtauth

import (
	"cmp"
	"context"
	"crypto"
	"errors"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"orgd/domain/session"
)

const (
	// refreshEvery is the time between two fetches of the keys. So long may a key that
	// the issuer has withdrawn still be accepted while the issuer can be reached.
	refreshEvery = 10 * time.Minute
	// askEvery spaces the fetches that unknown keys cause.
	askEvery = time.Minute
	// retryFirst is the pause after a first failure. It doubles up to askEvery.
	retryFirst = 5 * time.Second
	// fetchTimeout bounds one fetch, discovery included.
	fetchTimeout = 5 * time.Second
)

var errUnavailable = session.ErrIssuerUnavailable.After(retryFirst)

// remote is an external issuer. Its run fetches the keys: at the start, every
// refreshEvery, and when a token names an unknown key. While the issuer cannot be
// reached its last keys stay trusted, or its outage would lock everybody out.
type remote struct {
	config OIDC
	get    getter
	now    func() time.Time
	log    *zap.Logger

	found   atomic.Pointer[found]  // nil until discovered
	wrong   atomic.Pointer[string] // why it cannot be discovered before an operator does something; nil: it can
	keys    atomic.Pointer[keySet] // nil until loaded
	failing atomic.Bool            // the last fetch failed
	lost    atomic.Uint64          // how often a fetch dropped a key
	asks    chan ask
	stopped chan struct{}

	// Only run uses what follows.
	jwksURI string    // as configured or discovered
	nextAsk time.Time // before it no unknown key causes a fetch
}

// ask is a request to run for a key that is unknown. done is closed once nothing more can
// be done about it.
type ask struct {
	kid, alg string
	done     chan struct{}
}

func newRemote(o OIDC, get getter, now func() time.Time, log *zap.Logger) *remote {
	return &remote{
		config: o, get: get, now: now, log: log,
		asks: make(chan ask), stopped: make(chan struct{}),
	}
}

// run fetches keys until ctx ends.
func (r *remote) run(ctx context.Context) {
	defer close(r.stopped)
	pause := r.refresh(ctx, 0) // before the first ask: an unknown key would else begin the wait of askEvery
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			pause = r.refresh(ctx, pause)
			timer.Reset(pause)
		case a := <-r.asks:
			if r.due(a) {
				r.nextAsk = r.now().Add(askEvery)
				pause = r.refresh(ctx, pause)
				timer.Reset(pause)
			}
			close(a.done)
		}
	}
}

// due reports whether to fetch for a. While it waited the key may have come.
func (r *remote) due(a ask) bool {
	_, ok := r.find(a.kid, a.alg)
	return !ok && !r.now().Before(r.nextAsk)
}

// refresh fetches the keys and returns when to do so again, given the pause
// before this time.
func (r *remote) refresh(ctx context.Context, pause time.Duration) time.Duration {
	timed, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	set, err := r.fetch(timed)
	if err == nil {
		r.replace(set)
		r.failing.Store(false)
		return refreshEvery
	}
	if ctx.Err() == nil {
		r.log.Warn("cannot read the keys of the token issuer", zap.Error(err))
	}
	r.jwksURI = "" // perhaps it has moved
	if !r.failing.Swap(true) {
		return retryFirst
	}
	return min(2*pause, askEvery)
}

// fetch asks the issuer. Where its keys are it is asked once, unless that is configured; for
// signing people in it has to say more.
func (r *remote) fetch(ctx context.Context) (keySet, error) {
	if r.jwksURI == "" {
		r.jwksURI = r.config.JWKSURI
	}
	if r.jwksURI == "" || r.config.ClientID != "" && r.found.Load() == nil {
		f, err := discover(ctx, r.get, r.config)
		r.wrong.Store(nil)
		if wrong, ok := errors.AsType[misconfigured](err); ok {
			r.wrong.Store(new(wrong.Error()))
		}
		if err != nil {
			return nil, err
		}
		r.found.Store(&f)
		r.jwksURI = cmp.Or(r.jwksURI, f.JWKSURI)
	}
	text, err := r.get(ctx, r.jwksURI)
	if err != nil {
		return nil, err
	}
	return parseKeySet(text)
}

func (r *remote) replace(set keySet) {
	old := r.keys.Swap(&set)
	if old != nil && old.drops(set) {
		r.lost.Add(1)
	}
}

func (r *remote) loaded() bool { return r.keys.Load() != nil }

func (r *remote) find(kid, alg string) (crypto.PublicKey, bool) {
	set := r.keys.Load()
	if set == nil {
		return nil, false
	}
	return set.find(kid, alg)
}

// key finds the key of a token, asking the issuer if it is unknown and nobody
// has asked lately.
func (r *remote) key(ctx context.Context, kid, alg string) (crypto.PublicKey, error) {
	if key, ok := r.find(kid, alg); ok {
		return key, nil
	}
	if err := r.wait(ctx, ask{kid: kid, alg: alg, done: make(chan struct{})}); err != nil {
		return nil, err
	}
	if key, ok := r.find(kid, alg); ok {
		return key, nil
	}
	if r.failing.Load() {
		return nil, errUnavailable
	}
	return nil, errUnknownKey
}

// wait returns when run has dealt with a.
func (r *remote) wait(ctx context.Context, a ask) error {
	select {
	case r.asks <- a:
	case <-ctx.Done():
		return errUnavailable.Because(ctx.Err())
	case <-r.stopped:
		return errUnavailable
	}
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return errUnavailable.Because(ctx.Err())
	}
}

// epoch counts the times that a key was dropped.
func (r *remote) epoch() uint64 { return r.lost.Load() }
