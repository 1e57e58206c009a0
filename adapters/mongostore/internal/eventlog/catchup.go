package eventlog

import (
	"context"
	"slices"
	"sync"
	"time"

	"orgd/adapters/groupcommit"
	"orgd/domain/activity"
	"orgd/ports"
)

// Bounds of what is read for those who are further behind than the window of the tail.
const (
	maxCatchUps      = 8       // readers at work
	maxRemembered    = 16      // readers, and what some of them have read
	catchUpEvents    = 1000    // that one reads
	catchUpBytes     = 2 << 20 // of them
	catchUpSpan      = 60      // seconds of the log behind whose beginning another may begin
	catchUpRemembers = 30 * time.Second
)

// CatchUps read the log for those who are further behind than the window of the tail. A
// reader goes on beyond the call that it was begun for: the part up to the next event
// may take longer to read than a call should, and the server says only at its end how far
// it has come.
type CatchUps struct {
	Log Log

	mu     sync.Mutex
	all    []*catchUp
	closed bool            // none begins any more
	ended  ports.Broadcast // a reader has ended
}

// catchUp reads one part of the log into its window.
type catchUp struct {
	window
	moved  ports.Broadcast // it has read something, or ended
	cancel context.CancelFunc
	idle   *time.Timer // ends it, and what it has read is forgotten

	// Guarded by mu of catchUps.
	asked time.Time // the last time
	done  bool
	err   error // why it has ended early
}

// After reads behind a position, up to now, until there is a full page or late is
// closed.
func (c *CatchUps) After(ctx context.Context, position, now activity.Seq, limit int, late <-chan struct{}) (ports.LogPage, error) {
	for {
		ended := c.ended.Wait()
		r := c.reader(position, now)
		page := ports.LogPage{Next: position}
		var moved <-chan struct{}
		if r != nil {
			moved = r.moved.Wait()
			done, err := c.state(r)
			if err != nil && position > r.from {
				continue // the log may reach back to this position, if not to that of the reader
			}
			if err != nil {
				return ports.LogPage{}, err
			}
			page, _ = r.After(position, limit)
			page.More = page.More || page.Next < now
			if done || len(page.Events) == limit || page.Next >= now {
				return page, nil
			}
		}
		select {
		case <-moved:
		case <-ended: // there may be room now
		case <-late:
			page.More = true
			return page, nil
		case <-ctx.Done():
			return ports.LogPage{}, groupcommit.Unavailable(ctx.Err())
		}
	}
}

// reader returns the reader for a position: one that has begun not long before it, or
// a new one. It returns nil if too many are at work, or the store closes.
func (c *CatchUps) reader(position, now activity.Seq) *catchUp {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.all {
		if r.serves(position) {
			r.asked = time.Now()
			r.idle.Reset(catchUpRemembers)
			return r
		}
	}
	working := 0
	for _, r := range c.all {
		if !r.done {
			working++
		}
	}
	if c.closed || working >= min(maxCatchUps, c.Log.Readers) {
		return nil
	}
	c.evictOne()
	ctx, cancel := context.WithCancel(c.Log.Open)
	r := &catchUp{cancel: cancel, asked: time.Now()}
	r.begin(position)
	r.idle = time.AfterFunc(catchUpRemembers, func() { c.evict(r) })
	c.all = append(c.all, r)
	c.Log.Go(func() { c.run(ctx, r, now) })
	return r
}

// serves reports whether the reader has read behind a position, or will soon.
func (r *catchUp) serves(position activity.Seq) bool {
	return position >= r.from && (position < r.Reached() || !r.done && TimeOf(position).T-TimeOf(r.from).T <= catchUpSpan)
}

// evictOne makes room for another reader. The caller holds the lock.
func (c *CatchUps) evictOne() {
	if len(c.all) < maxRemembered {
		return
	}
	oldest := -1
	for i, r := range c.all {
		if r.done && (oldest < 0 || r.asked.Before(c.all[oldest].asked)) {
			oldest = i
		}
	}
	c.all[oldest].idle.Stop()
	c.all = slices.Delete(c.all, oldest, oldest+1)
}

// Close lets no reader begin any more. Those at work end with the store.
func (c *CatchUps) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, r := range c.all {
		r.idle.Stop()
	}
}

// evict ends a reader whom nobody asks any more.
func (c *CatchUps) evict(r *catchUp) {
	r.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = slices.DeleteFunc(c.all, func(o *catchUp) bool { return o == r })
}

// Run reads until there is enough or the reader is at the position now.
func (c *CatchUps) run(ctx context.Context, r *catchUp, now activity.Seq) {
	err := r.read(ctx, c.Log, now)
	r.cancel()
	if err != nil {
		r.idle.Stop()
		c.evict(r)
	}
	c.mu.Lock()
	r.done, r.err = true, err
	c.mu.Unlock()
	r.moved.Notify()
	c.ended.Notify()
}

// state reports whether a reader has ended, and why.
func (c *CatchUps) state(r *catchUp) (done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return r.done, r.err
}

func (r *catchUp) read(ctx context.Context, log Log, now activity.Seq) error {
	c, err := log.cursor(ctx, r.from, time.Millisecond)
	if err != nil {
		return err
	}
	defer c.close()
	for events, size := 0, 0; events < catchUpEvents && size < catchUpBytes && r.Reached() < now; {
		e, reached, err := c.next(ctx)
		switch {
		case err != nil:
			return err
		case e != nil:
			events++
			size += len(c.stream.Current)
			r.push(*e)
		default:
			r.reach(reached)
		}
		r.moved.Notify()
	}
	return nil
}
