package limit

import (
	"sync"
	"time"
)

// Readers knows which subjects have read much lately. Those take turns with each other
// when they read, so that all the others need not wait for any of them. The zero value
// knows nobody. It is safe for concurrent use.
type Readers struct {
	mu     sync.Mutex
	read   map[string]volume
	purged time.Time
}

const (
	// smallAnswer is up to how many bytes an answer counts nothing.
	smallAnswer = 64 << 10
	// much is how many bytes of answers are much.
	much = 4 << 20
	// forgotten is how many bytes are forgotten in a second: who reads no more is as
	// anybody else after two minutes at the latest.
	forgotten = 64 << 10
)

// volume is how many bytes were read up to some time.
type volume struct {
	bytes int64
	at    time.Time
}

// left is what is not forgotten.
func (v volume) left(now time.Time) int64 {
	return max(0, v.bytes-int64(now.Sub(v.at).Seconds()*forgotten))
}

// Count counts an answer of some bytes that a subject gets.
func (r *Readers) Count(subject string, bytes int, now time.Time) {
	if bytes <= smallAnswer {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.read == nil || now.Sub(r.purged) > time.Minute {
		r.purge(now)
	}
	r.read[subject] = volume{min(r.read[subject].left(now)+int64(bytes), 2*much), now}
}

// purge forgets subjects of whom nothing is left.
func (r *Readers) purge(now time.Time) {
	known := r.read
	r.read, r.purged = map[string]volume{}, now
	for subject, v := range known {
		if v.left(now) > 0 {
			r.read[subject] = v
		}
	}
}

// HasMuch reports whether a subject has read much lately.
func (r *Readers) HasMuch(subject string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read[subject].left(now) > much
}

// TurnPatience is how long a read waits for its turn at most.
const TurnPatience = 2 * time.Second

// ErrTurn refuses a read whose turn does not come in time.
var ErrTurn = ErrConcurrency.With("others are reading as much as you have; try again, or ask for less").After(TurnPatience)
