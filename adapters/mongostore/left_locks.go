package mongostore

import (
	"context"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/idempotency"
)

// leftLocks are locks that could not be released.
type leftLocks struct {
	db *engine

	mu      sync.Mutex
	locks   []idempotency.Lock
	running bool // whether something is releasing them
}

const (
	maxLeft    = 10_000 // locks; those that are too many last for their lease
	leftAtOnce = 500
	leftPause  = 200 * time.Millisecond
)

func (l *leftLocks) add(some ...idempotency.Lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.locks = append(l.locks, some...)
	l.locks = l.locks[max(0, len(l.locks)-maxLeft):]
	if !l.running && l.db.open.Err() == nil {
		l.running = true
		l.db.background.Go(l.release)
	}
}

// take returns some of the locks, or nil if there are none.
func (l *leftLocks) take() (some []idempotency.Lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.locks), leftAtOnce)
	some, l.locks = l.locks[:n:n], l.locks[n:]
	l.running = n > 0
	return some
}

// release releases the locks until there are none, or the store closes.
func (l *leftLocks) release() {
	for some := l.take(); len(some) > 0 && l.db.open.Err() == nil; some = l.take() {
		time.Sleep(leftPause)
		var each bson.A
		for _, c := range some {
			each = append(each, lockOf(c))
		}
		ctx, cancel := context.WithTimeout(context.Background(), l.db.timeout)
		if _, err := l.db.coll(locksColl).DeleteMany(ctx, bson.D{mongodb.Is("$or", each)}); err != nil {
			l.add(some...) // the failed release has been reported
		}
		cancel()
	}
}

// lockOf is the filter for the lock that c has.
func lockOf(c idempotency.Lock) bson.D {
	return bson.D{mongodb.Is("_id", string(c.Key)), mongodb.Is("owner", c.Owner)}
}
