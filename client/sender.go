package client

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const (
	maxBatch      = 1000    // events of a request and of a file
	maxBatchBytes = 4 << 20 // of whole files
	maxFileBytes  = 1 << 20
	maxSendPause  = 30 * time.Second
	maxOffset     = time.Minute // of the clock here, before times are corrected
	maxWarnings   = 1000        // that are remembered
)

// sender sends what was reported until it is accepted. Any process may send any file and
// remove it then, as the ids of the events keep them from being counted twice.
type sender struct {
	runtime *Runtime
	dir     string        // "" for none
	owner   string        // of the files that are written here
	wake    chan struct{} // holds an item if there is something new
	hurry   chan struct{} // holds an item if the pause is to end
	scanned chan struct{} // closed when it is known what earlier processes have left
	begun   sync.Once     // the lease, before the first file

	// Of the goroutine that sends:
	failures int
	asked    bool     // for the time
	warnings []string // that were told, oldest first

	mu    sync.Mutex
	queue []*bundle
	known map[string]bool // files of the queue, of the batch, and about to be written
	count int             // events, also of the batch
	names int             // how many files there have been
	fewer chan struct{}   // closed when count has become less
	ends  int             // of pauses that somebody has asked for
	taken int             // what ends was when the batch was taken
}

func newSender(r *Runtime) *sender {
	s := &sender{
		runtime: r, wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), scanned: make(chan struct{}),
		known: map[string]bool{}, fewer: make(chan struct{}),
	}
	if r.cfg.Directory != "" {
		s.dir = filepath.Join(r.cfg.Directory, "reports")
		s.owner = newOwner()
	}
	return s
}

// signal puts an item into a channel that has room for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// endPauses ends all pauses but those that the service has asked for.
func (s *sender) endPauses() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.queue {
		b.after = time.Time{}
	}
	s.ends++ // also that of the batch, if it is refused now
	signal(s.hurry)
}

// scans looks for files until ctx ends, also while the sender waits.
func (s *sender) scans(ctx context.Context) {
	s.scan()
	close(s.scanned)
	every := time.NewTicker(s.runtime.cfg.MaxAge)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			s.scan()
		case <-ctx.Done():
			return
		}
	}
}

// run sends until ctx ends.
func (s *sender) run(ctx context.Context) {
	for ctx.Err() == nil {
		batch, wait := s.take()
		if len(batch) > 0 {
			loaded, items := s.load(batch)
			s.finish(loaded, s.deliver(ctx, items))
			continue
		}
		select {
		case <-s.wake:
		case <-s.hurry:
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// take takes a batch out of the queue. If there is none, it returns how long to wait for one.
func (s *sender) take() (batch []*bundle, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken, wait = s.ends, time.Hour
	count, size := 0, 0
	s.queue = slices.DeleteFunc(s.queue, func(b *bundle) bool {
		if left := time.Until(b.after); left > 0 {
			wait = min(wait, left)
			return false
		}
		if len(batch) > 0 && (count+b.count > maxBatch || size+b.size > maxBatchBytes) {
			return false
		}
		batch, count, size = append(batch, b), count+b.count, size+b.size
		return true
	})
	return batch, wait
}

// load reads the events of a batch. A file that is gone was sent by another process.
func (s *sender) load(batch []*bundle) (loaded []*bundle, items []item) {
	for _, b := range batch {
		events := b.events
		if b.file != "" {
			var ok bool
			if events, ok = s.read(b.file); !ok {
				s.later(b)
				continue
			}
			s.lessen(b.count - len(events))
			b.count = len(events)
		}
		loaded = append(loaded, b)
		for _, e := range events {
			items = append(items, item{e, b})
		}
	}
	return loaded, items
}

// later puts a bundle back into the queue.
func (s *sender) later(b *bundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.after = (time.Time{}); s.taken == s.ends {
		b.after = time.Now().Add(times(maxSendPause, jitter()))
	}
	s.queue = append(s.queue, b)
}

// finish removes the bundles that are done, and puts those of which events are left back
// into the queue.
func (s *sender) finish(batch []*bundle, left []item) {
	stays := map[*bundle][]event{}
	for _, i := range left {
		stays[i.of] = append(stays[i.of], i.event)
	}
	for _, b := range batch {
		events := stays[b]
		if len(events) == 0 {
			s.done(b)
			continue
		}
		if b.file == "" {
			b.events = events
		} else if len(events) < b.count {
			s.write(b.file, events) // with the old file, what was accepted would be sent again
		}
		b.count = len(events)
		s.later(b)
	}
}

// done removes the file of a bundle. If that fails it stays known, so that it is not sent
// again.
func (s *sender) done(b *bundle) {
	if b.file == "" || !s.remove(b.file) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, b.file)
}
