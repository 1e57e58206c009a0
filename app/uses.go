package app

import (
	"context"
	"slices"
	"sync"
	"time"

	"orgd/domain/session"
	"orgd/ports"
)

const (
	// StoreUsesEvery is the time between two calls of [Sessions.StoreUses], and so how exact
	// the times are that lists of sessions show.
	StoreUsesEvery = 5 * time.Minute
	// maxUses bounds the sessions whose use is kept in memory between two writes. That of
	// others is lost.
	maxUses = 100_000
	// usesAtOnce bounds one write, which others wait for.
	usesAtOnce = 500
)

// uses are when sessions were used last, as far as it has not been stored.
type uses struct {
	mu     sync.Mutex
	latest map[string]time.Time // by the id of the session
}

// keep takes in a use. An older one never replaces a newer one.
func (u *uses) keep(used session.Use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.latest == nil {
		u.latest = map[string]time.Time{}
	}
	at, known := u.latest[used.ID]
	if used.At.After(at) && (known || len(u.latest) < maxUses) {
		u.latest[used.ID] = used.At
	}
}

// take returns all uses and keeps none of them.
func (u *uses) take() []session.Use {
	u.mu.Lock()
	taken := u.latest
	u.latest = nil
	u.mu.Unlock()
	list := make([]session.Use, 0, len(taken))
	for id, at := range taken {
		list = append(list, session.Use{ID: id, At: at})
	}
	return list
}

// store moves the uses to a store. What could not be stored is kept.
func (u *uses) store(ctx context.Context, to ports.SessionStore) (err error) {
	for part := range slices.Chunk(u.take(), usesAtOnce) {
		if err == nil {
			err = to.Used(ctx, part)
		}
		if err != nil {
			for _, used := range part {
				u.keep(used)
			}
		}
	}
	return err
}
