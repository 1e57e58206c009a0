package app

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/session"
	"orgd/ports"
)

// Streams let clients follow the log of events as it grows.
type Streams struct {
	clock    ports.Clock
	log      ports.EventStream
	agents   ports.AgentNames
	sessions *Sessions
	meter    LogMeter
	hub      *hub
	stall    stall
	open     atomic.Int64
}

// maxStreams is how many streams a process has at once, of all subjects together.
const maxStreams = 2048

// ErrManyStreams refuses a stream beyond those that a process has at once. Another process may
// have room.
var ErrManyStreams = fault.New(fault.ConcurrencyLimited, "this process follows the log for as many clients as it may").After(30 * time.Second)

// NewStreams returns streams of the log. Each ends with the session that it was
// opened in.
func NewStreams(clock ports.Clock, log ports.EventStream, agents ports.AgentNames, sessions *Sessions, meter LogMeter) *Streams {
	return &Streams{clock: clock, log: log, agents: agents, sessions: sessions, meter: meter, hub: &hub{log: log}}
}

// Working reports whether this process gets on with the log, as far as Watch knows.
func (s *Streams) Working() bool { return !s.stall.over.Load() }

// Watch looks whether this process gets on with the log. If it has not for half a
// minute, all streams end and Watch returns [ErrStalled]. Call it every [WatchEvery], one
// call after another. A storage that does not answer is its error; it says nothing of
// the log.
func (s *Streams) Watch(ctx context.Context) error {
	read, end, err := s.log.Progress(ctx)
	if err != nil {
		return err
	}
	s.stall.look(s.clock.Now(), read, end)
	s.meter.LogStalled(s.stall.d)
	if s.Working() {
		return nil
	}
	err = ErrStalled.Because(fmt.Errorf("app: no progress for %s: read up to %d, the log ends at %d", s.stall.d, read, end))
	s.hub.endAll(err)
	return err
}

// Follow says who follows the log from where, and which events or changes are wanted.
type Follow struct {
	Session session.Session
	Agent   *identity.Ref // nil means any; one that never existed has neither
	Changes *audit.Query  // which changes are wanted; nil for events
	Type    activity.Type // of events; "" means any
	Since   time.Time     // what happened earlier is left out; zero means nothing is
	After   *activity.Seq // nil means from now on
}

// Open begins a stream. Whoever opens it calls Close, once. It returns [ErrStalled] while this
// process does not get on with the log, and [ErrManyStreams] while it has too many.
func (s *Streams) Open(ctx context.Context, in Follow) (*Stream, error) {
	if !s.Working() {
		return nil, ErrStalled
	}
	if s.count(1) > maxStreams {
		s.count(-1)
		return nil, ErrManyStreams
	}
	st, err := s.begin(ctx, in)
	if err != nil {
		s.count(-1)
	}
	return st, err
}

// count adds delta to the streams that are open, and returns how many are.
func (s *Streams) count(delta int) int64 {
	s.meter.StreamSubscribers(delta)
	return s.open.Add(int64(delta))
}

// begin makes the stream that Open has room for.
func (s *Streams) begin(ctx context.Context, in Follow) (*Stream, error) {
	f := filter{typ: in.Type, since: in.Since, changes: in.Changes}
	if in.Agent != nil {
		id, _, err := s.agents.Resolve(ctx, *in.Agent)
		switch {
		case errors.Is(err, agent.ErrNotFound):
			f.nothing = true
		case err != nil:
			return nil, err
		}
		f.agent = string(id)
		if f.changes != nil {
			f.changes.Resource = audit.Agent(f.agent)
		}
	}
	position, err := s.log.Head(ctx)
	if err != nil {
		return nil, err
	}
	if in.After != nil {
		position = *in.After
	}
	return &Stream{streams: s, session: in.Session, filter: f, position: position, inbox: newInbox(f)}, nil
}

// Stream is one client that follows the log. It is for one goroutine.
type Stream struct {
	streams  *Streams
	session  session.Session
	filter   filter
	position activity.Seq // where the client is
	inbox    *inbox
	live     bool // the hub hands the inbox what comes; else the stream reads the log itself
	waiting  bool // its last read did not get on
}

// Position is where the client is: behind the last batch.
func (st *Stream) Position() activity.Seq { return st.position }

// Close ends the stream.
func (st *Stream) Close() {
	st.leave()
	st.streams.count(-1)
}

// Next returns the next batch that has events, waiting for them; after
// maxWait it returns what there is, mostly one without. It returns session.ErrRevoked or
// session.ErrUnauthorized when the session has ended, [ErrSlow] if the client
// cannot keep up, [ErrStalled] if this process does not get on with the log, and the error
// of ctx when that ends.
func (st *Stream) Next(ctx context.Context, maxWait time.Duration) (Batch, error) {
	enough := time.NewTimer(maxWait)
	defer enough.Stop()
	expiry := time.NewTimer(st.session.ExpiresAt.Sub(st.streams.clock.Now()))
	defer expiry.Stop()
	for waited := false; ; {
		changed := st.streams.sessions.changed.Wait()
		if err := st.streams.sessions.check(st.session); err != nil {
			return Batch{}, err
		}
		if !st.streams.Working() {
			return Batch{}, ErrStalled
		}
		batch, err := st.advance(ctx)
		if err != nil || waited || batch.Resync || len(batch.Events) > 0 {
			return batch, err
		}
		select {
		case <-st.waits():
		case <-changed:
		case <-expiry.C:
		case <-enough.C:
			waited = true
		case <-ctx.Done():
			return Batch{}, ctx.Err()
		}
	}
}

// advance takes what can be had at once. It may be a batch without events.
func (st *Stream) advance(ctx context.Context) (Batch, error) {
	if !st.live {
		return st.read(ctx)
	}
	batch, err := st.inbox.take()
	if len(batch.Events) > 0 || err == nil {
		st.position = batch.Position
		return batch, nil
	}
	st.leave()
	if errors.Is(err, activity.ErrTooOld) {
		return st.resync(ctx)
	}
	return Batch{}, err
}

// read reads the next batch of the log, or goes over to the hub at its end.
func (st *Stream) read(ctx context.Context) (Batch, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	page, err := st.streams.log.After(ctx, st.position, batchEvents)
	if errors.Is(err, activity.ErrTooOld) {
		return st.resync(ctx)
	}
	if err != nil {
		return Batch{}, err
	}
	st.waiting = page.Next == st.position
	st.position = page.Next
	batch := Batch{Position: page.Next}
	if len(page.Events) == 0 && !page.More {
		st.live = st.streams.hub.join(st.inbox, page.Next)
	}
	for _, e := range page.Events {
		if st.filter.selects(e) {
			batch.Events = append(batch.Events, e)
		}
	}
	return batch, nil
}

// resync begins anew at the end of the log.
func (st *Stream) resync(ctx context.Context) (Batch, error) {
	head, err := st.streams.log.Head(ctx)
	if err != nil {
		return Batch{}, err
	}
	st.position = head
	return Batch{Position: head, Resync: true}, nil
}

// waits returns a channel on which the stream may go on.
func (st *Stream) waits() <-chan struct{} {
	switch {
	case st.live:
		return st.inbox.filled
	case st.waiting:
		c := make(chan struct{})
		time.AfterFunc(retryAfter, func() { close(c) })
		return c
	}
	return atOnce
}

// atOnce never blocks: there is more of the log to read.
var atOnce = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func (st *Stream) leave() {
	if st.live {
		st.streams.hub.leave(st.inbox)
		st.live = false
	}
}
