package agentindex

import (
	"fmt"
	"sync/atomic"
)

// Change is an agent that is not as it was.
type Change struct {
	ID  string
	Was string // its order key before; "" if it is new
	Now *Entry // nil if it is gone
}

// Apply makes a change. It returns an error if the agent is not where it is said to have been.
func (x *Index) Apply(c Change) error {
	var was *Entry
	if c.Was != "" {
		if was = x.Get(c.Was, c.ID); was == nil {
			return fmt.Errorf("agentindex: agent %x is missing", c.ID)
		}
	}
	x.Replace(was, c.Now)
	return nil
}

// Live is the index as the last commit of one writer has left it. What is stored is read after
// the writer has begun; until then there is no index, and what is committed is kept.
//
// The methods behind [Live.Err] are for the writer's goroutine.
type Live struct {
	published atomic.Pointer[Index]
	failed    atomic.Pointer[error]
	ready     chan struct{}

	batch *Index // as the batch has left it so far; nil if none was published when it began
	read  *Index // is to be published
	since []Change
}

// NewLive returns one without an index.
func NewLive() *Live { return &Live{ready: make(chan struct{})} }

// Published returns the index of the last commit, or nil.
func (l *Live) Published() *Index { return l.published.Load() }

// Ready is closed when there is an index.
func (l *Live) Ready() <-chan struct{} { return l.ready }

// Fail says that the index could not be read.
func (l *Live) Fail(err error) { l.failed.Store(&err) }

// Err returns the last error of [Live.Fail] while there is no index.
func (l *Live) Err() error {
	if err := l.failed.Load(); err != nil && l.Published() == nil {
		return *err
	}
	return nil
}

// Collect keeps what is committed from now on, for an index of the state of now.
func (l *Live) Collect() { l.since = nil }

// Publish makes a read index that of the last commit when the next batch begins, if there is none.
func (l *Live) Publish(read *Index) {
	if l.Published() == nil {
		l.read = read
	}
}

// Begin begins a batch, on what the last commit has left.
func (l *Live) Begin() {
	if l.read != nil {
		l.catchUp()
	}
	l.Rollback(copyOf(l.Published()))
}

// catchUp publishes what was read, with what was committed meanwhile.
func (l *Live) catchUp() {
	read := l.read
	l.read = nil
	for _, c := range l.since {
		if err := read.Apply(c); err != nil {
			l.Fail(err)
			return
		}
	}
	l.since = nil
	l.published.Store(read)
	close(l.ready)
}

// Batch returns the index as the batch has left it so far, or nil.
func (l *Live) Batch() *Index { return l.batch }

// Apply makes a change of the batch.
func (l *Live) Apply(c Change) error {
	if l.batch == nil {
		return nil
	}
	return l.batch.Apply(c)
}

// Save returns what [Live.Rollback] goes back to.
func (l *Live) Save() *Index { return copyOf(l.batch) }

// Rollback undoes what the batch has changed since it was saved.
func (l *Live) Rollback(saved *Index) { l.batch = saved }

// Committed follows a commit of the batch.
func (l *Live) Committed(changes []Change) {
	if l.batch != nil {
		l.published.Store(l.batch)
		return
	}
	l.since = append(l.since, changes...)
}

func copyOf(x *Index) *Index {
	if x == nil {
		return nil
	}
	return x.Copy()
}
