package limit

import (
	"sync"
	"time"

	"orgd/domain/page"
)

// Readers knows how much each subject has read lately. Those who have read much take
// turns with each other whatever they read, and so do those of whom nothing is known, so
// that all the others need not wait for any of them. The zero value knows nobody. It is
// safe for concurrent use.
type Readers struct {
	mu     sync.Mutex
	read   map[string]volume
	purged time.Time
}

// Appetite is what is to be expected of a subject that reads.
type Appetite int

// The appetites.
const (
	Unknown Appetite = iota // it has not read anything lately
	Small
	Large
)

const (
	// much is how many bytes of answers are much.
	much = 512 << 10
	// forgotten is how many bytes are forgotten in a second: who reads no more has a small
	// appetite after four minutes at the latest.
	forgotten = 16 << 10
	// known is for how long a subject is known that reads no more.
	known = 10 * time.Minute
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

// Count counts an answer of some bytes that a subject gets. What is small counts nothing.
func (r *Readers) Count(subject string, bytes int, now time.Time) {
	if bytes <= page.SmallBytes {
		bytes = 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	v, isKnown := r.read[subject]
	if isKnown && bytes == 0 && now.Sub(v.at) < time.Minute {
		return
	}
	if r.read == nil || now.Sub(r.purged) > time.Minute {
		r.purge(now)
	}
	r.read[subject] = volume{min(v.left(now)+int64(bytes), 8*much), now}
}

// purge forgets subjects that have read nothing for long.
func (r *Readers) purge(now time.Time) {
	all := r.read
	r.read, r.purged = map[string]volume{}, now
	for subject, v := range all {
		if now.Sub(v.at) < known {
			r.read[subject] = v
		}
	}
}

// Appetite returns that of a subject.
func (r *Readers) Appetite(subject string, now time.Time) Appetite {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, isKnown := r.read[subject]
	switch {
	case !isKnown:
		return Unknown
	case v.left(now) > much:
		return Large
	}
	return Small
}
