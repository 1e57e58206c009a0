package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"orgd/domain/activity"
	"orgd/domain/session"
	"orgd/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeLog is a log that a test fills, cuts off and breaks.
type fakeLog struct {
	ports.EventStream
	news   ports.Broadcast
	deaf   bool       // nobody is told of growth
	slow   *rand.Rand // what is read is known only a while later, unless nil
	mu     sync.Mutex
	events []activity.Logged
	begin  activity.Seq
	passed activity.Seq // how far the log has moved without events
	read   activity.Seq // how far the process has read it
	err    error
	panics bool
	reads  int
}

// add makes n events of an agent. Places leave numbers out.
func (l *fakeLog) add(agent string, n int) {
	l.mu.Lock()
	for range n {
		seq := activity.Seq(3*len(l.events) + 3)
		l.events = append(l.events, activity.Logged{Seq: seq, Event: activity.Event{
			ID: activity.ID(fmt.Sprint("e", seq)), Type: activity.ToolUsed, AgentID: agent, At: noon,
		}})
	}
	l.mu.Unlock()
	if !l.deaf {
		l.news.Notify()
	}
}

// set changes the log as nobody may beside a test.
func (l *fakeLog) set(change func(*fakeLog)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(l)
}

func (l *fakeLog) head() activity.Seq { return activity.Seq(3*len(l.events)) + l.passed }

func (l *fakeLog) Changed() <-chan struct{} { return l.news.Wait() }

func (l *fakeLog) Head(context.Context) (activity.Seq, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head(), l.err
}

func (l *fakeLog) Progress(context.Context) (read, end activity.Seq, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read, l.head(), l.err
}

func (l *fakeLog) After(ctx context.Context, position activity.Seq, limit int) (ports.LogPage, error) {
	var pause time.Duration
	defer func() { time.Sleep(pause) }()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slow != nil {
		pause = time.Duration(l.slow.IntN(30)) * time.Millisecond
	}
	l.reads++
	switch {
	case l.panics:
		panic("the log is broken")
	case ctx.Err() != nil:
		return ports.LogPage{}, ports.ErrUnavailable.Because(ctx.Err())
	case l.err != nil:
		return ports.LogPage{}, l.err
	case position < l.begin || position > l.head():
		return ports.LogPage{}, activity.ErrTooOld
	}
	page := ports.LogPage{Next: l.head()}
	for _, e := range l.events {
		if e.Seq <= position {
			continue
		}
		if page.Events = append(page.Events, e); len(page.Events) == limit {
			page.Next, page.More = e.Seq, true
			break
		}
	}
	return page, nil
}

// realClock is that of the test's bubble.
type realClock struct{}

func (realClock) Now() time.Time { return time.Now().UTC() }

// unread is a meter that nobody reads.
type unread struct{}

func (unread) LogStalled(time.Duration) {}
func (unread) StreamSubscribers(int)    {}

func newStreams(log ports.EventStream) *Streams {
	return NewStreams(realClock{}, log, nil, NewSessions(realClock{}, nil, nil, nil, nil, nil, nil), unread{})
}

// mine is a session of an hour.
func mine() session.Session {
	return session.Session{ID: "mine", ExpiresAt: time.Now().Add(time.Hour)}
}

// openStream opens a stream that ends with the test.
func openStream(t *testing.T, s *Streams, in Follow) *Stream {
	t.Helper()
	if in.Session.ID == "" {
		in.Session = mine()
	}
	st, err := s.Open(t.Context(), in)
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(func() {
		st.Close()
		synctest.Wait()
	})
	return st
}

// behind is the place of a client that comes back.
func behind(p activity.Seq) *activity.Seq { return &p }

// next returns the next batch, which must have events.
func next(t *testing.T, st *Stream) Batch {
	t.Helper()
	s, err := st.Next(t.Context(), 15*time.Second)
	if err != nil || len(s.Events) == 0 {
		t.Fatalf("Next = %+v, %v, want events", s, err)
	}
	return s
}

// take reads n events.
func take(t *testing.T, st *Stream, n int) (seqs []activity.Seq) {
	t.Helper()
	for len(seqs) < n {
		for _, e := range next(t, st).Events {
			seqs = append(seqs, e.Seq)
		}
	}
	return seqs
}

// wantSilence reports anything that comes within ten seconds.
func wantSilence(t *testing.T, st *Stream) {
	t.Helper()
	if s, err := st.Next(t.Context(), 10*time.Second); err != nil || len(s.Events) > 0 || s.Resync {
		t.Errorf("Next = %+v, %v, want nothing", s, err)
	}
}

func wantSeqs(t *testing.T, got []activity.Seq, first, last activity.Seq) {
	t.Helper()
	var want []activity.Seq
	for p := first; p <= last; p += 3 {
		want = append(want, p)
	}
	if !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestStreamBeginsNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{}
		log.add("a", 5)
		s := newStreams(log)
		st := openStream(t, s, Follow{})
		if st.Position() != 15 {
			t.Errorf("Position = %d, want 15", st.Position())
		}
		wantSilence(t, st)
		log.add("a", 2)
		begun := time.Now()
		wantSeqs(t, take(t, st, 2), 18, 21)
		if d := time.Since(begun); d > 0 {
			t.Errorf("the events came after %v, want at once", d)
		}
		wantSilence(t, st)
	})
}

func TestStreamComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{}
		log.add("a", 2*batchEvents+7)
		s := newStreams(log)
		st := openStream(t, s, Follow{After: behind(9)})
		wantSeqs(t, take(t, st, 2*batchEvents+4), 12, log.head())
		from := log.head()
		log.add("a", 3)
		wantSeqs(t, take(t, st, 3), from+3, log.head())
		wantSilence(t, st)
	})
}

// TestQuietStream: a position moves on with the log when nothing is an event. So
// it does not get too old while its client is connected.
func TestQuietStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{}
		log.add("a", 1)
		st := openStream(t, newStreams(log), Follow{})
		for range 3 {
			log.set(func(l *fakeLog) { l.passed += 1000 })
			got, err := st.Next(t.Context(), 15*time.Second)
			if err != nil || len(got.Events) > 0 || got.Position != log.head() || st.Position() != log.head() {
				t.Fatalf("Next = %+v, %v, want no event and the position %d", got, err, log.head())
			}
			log.set(func(l *fakeLog) { l.begin = l.head() })
		}
		again := openStream(t, newStreams(log), Follow{After: behind(st.Position())})
		if got, err := again.Next(t.Context(), time.Second); err != nil || got.Resync {
			t.Errorf("Next = %+v, %v after a reconnect, want no resync", got, err)
		}
	})
}

// TestStreamFilters: what is not for the client moves its position all the same.
func TestStreamFilters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{}
		log.add("a", 1)
		log.add("b", 2*batchEvents)
		s := newStreams(log)
		st := openStream(t, s, Follow{Type: activity.ToolUsed, Since: noon, After: behind(0)})
		st.filter.agent, st.inbox.filter.agent = "a", "a"
		wantSeqs(t, take(t, st, 1), 3, 3)
		wantSilence(t, st)
		if st.Position() != log.head() {
			t.Errorf("Position = %d behind events of others, want %d", st.Position(), log.head())
		}
		log.add("b", 3)
		wantSilence(t, st)
		log.add("b", 1)
		log.add("a", 1)
		if got := next(t, st); len(got.Events) != 1 || got.Position != log.head() || st.Position() != log.head() {
			t.Errorf("Next = %+v, want one event and the position %d", got, log.head())
		}
		for what, f := range map[string]filter{
			"another type": {typ: activity.Hired}, "later": {since: noon.Add(time.Millisecond)}, "an agent that never was": {nothing: true},
		} {
			if f.selects(log.events[0]) {
				t.Errorf("a filter for %s selects %+v", what, log.events[0])
			}
		}
	})
}

// TestStreamsAtRandom: whoever leaves anywhere and comes back sees every event
// once, beside writers, on a log that sometimes grows without a word.
func TestStreamsAtRandom(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			log := &fakeLog{deaf: seed%4 == 0}
			if seed%2 == 1 {
				log.slow = rand.New(rand.NewPCG(seed, 100))
			}
			s := newStreams(log)
			const total = 400
			var all sync.WaitGroup
			all.Go(func() {
				random := rand.New(rand.NewPCG(seed, 0))
				for n := 0; n < total; {
					some := min(1+random.IntN(40), total-n)
					log.add("a", some)
					n += some
					time.Sleep(time.Duration(random.IntN(3)) * 50 * time.Millisecond)
				}
			})
			for reader := range uint64(5) {
				all.Go(func() {
					random := rand.New(rand.NewPCG(seed, reader+1))
					var seen []activity.Seq
					place := activity.Seq(0)
					for rounds := 0; len(seen) < total && rounds < 10*total; rounds++ {
						st, err := s.Open(t.Context(), Follow{Session: mine(), After: &place})
						if err != nil {
							t.Errorf("Open = %v", err)
							return
						}
						for range 1 + random.IntN(4) {
							batch, err := st.Next(t.Context(), time.Duration(random.IntN(2000))*time.Millisecond)
							if err != nil || batch.Resync {
								t.Errorf("Next = %+v, %v", batch, err)
							}
							for _, e := range batch.Events {
								seen = append(seen, e.Seq)
							}
							place = batch.Position
						}
						st.Close()
					}
					wantSeqs(t, seen, 3, 3*total)
				})
			}
			all.Wait()
			time.Sleep(time.Second) // the last slow read ends
		})
	}
}

// TestLogIsReadOnce: however many listen, the log is read once for all, and not
// at all while nobody listens.
func TestLogIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{}
		s := newStreams(log)
		var streams []*Stream
		for range 50 {
			st := openStream(t, s, Follow{})
			wantSilence(t, st)
			streams = append(streams, st)
		}
		synctest.Wait()
		before := log.reads
		log.add("a", 10)
		for _, st := range streams {
			wantSeqs(t, take(t, st, 10), 3, 30)
		}
		synctest.Wait()
		if n := log.reads - before; n > 3 {
			t.Errorf("%d reads for %d streams, want at most 3", n, len(streams))
		}
		for _, st := range streams {
			st.Close()
		}
		synctest.Wait()
		before = log.reads
		log.add("a", 10)
		time.Sleep(time.Minute)
		if log.reads != before {
			t.Errorf("%d reads while nobody listens", log.reads-before)
		}
		again := openStream(t, s, Follow{After: behind(30)})
		wantSeqs(t, take(t, again, 10), 33, 60)
	})
}

// TestSlowClient: who does not take his events is cut off with a place to come
// back to; others do not notice.
func TestSlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{}
		s := newStreams(log)
		slow, fast := openStream(t, s, Follow{}), openStream(t, s, Follow{})
		wantSilence(t, slow)
		wantSilence(t, fast)
		const rounds, each = 30, batchEvents
		for range rounds {
			log.add("a", each)
			take(t, fast, each)
		}
		var got []activity.Seq
		var err error
		for err == nil {
			var batch Batch
			batch, err = slow.Next(t.Context(), time.Second)
			for _, e := range batch.Events {
				got = append(got, e.Seq)
			}
		}
		if !errors.Is(err, ErrSlow) || len(got) == 0 || len(got) > maxWaiting {
			t.Errorf("the slow client got %d events, then %v, want some and ErrSlow", len(got), err)
		}
		back := openStream(t, s, Follow{After: behind(slow.Position())})
		got = append(got, take(t, back, rounds*each-len(got))...)
		wantSeqs(t, got, 3, log.head())
	})
}

// TestHeavyEvents: the bound of bytes holds too, but one read of the log always
// fits.
func TestHeavyEvents(t *testing.T) {
	in := newInbox(filter{})
	heavy := []activity.Logged{{Seq: 1, Event: activity.Event{Description: strings.Repeat("x", maxWaitingBytes+1)}}}
	in.put(ports.LogPage{Events: heavy, Next: 1})
	if s, err := in.take(); err != nil || len(s.Events) != 1 || s.Position != 1 {
		t.Errorf("take = %d events, %v, want the heavy one", len(s.Events), err)
	}
	light := []activity.Logged{{Seq: 2}}
	heavy[0].Seq = 3
	in.put(ports.LogPage{Events: light, Next: 2})
	in.put(ports.LogPage{Events: heavy, Next: 1})
	if s, err := in.take(); err != nil || len(s.Events) != 1 || s.Position != 2 {
		t.Errorf("take = %+v, %v, want the light one", s, err)
	}
	if _, err := in.take(); !errors.Is(err, ErrSlow) {
		t.Errorf("take = %v, want ErrSlow", err)
	}
}

// TestTooOld: who comes from before the beginning is told once and goes on at
// the end.
func TestTooOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{begin: 6}
		log.add("a", 4)
		s := newStreams(log)
		for _, place := range []activity.Seq{3, 300} {
			st := openStream(t, s, Follow{After: behind(place)})
			got, err := st.Next(t.Context(), time.Second)
			if err != nil || !got.Resync || got.Position != log.head() || len(got.Events) > 0 {
				t.Errorf("Next behind %d = %+v, %v, want one resync at the end", place, got, err)
			}
			wantSilence(t, st)
			from := log.head() + 3
			log.add("a", 1)
			wantSeqs(t, take(t, st, 1), from, from)
		}
	})
}

// TestCutOffWhileFollowing: the same for those who are cut off while they
// follow, all of them.
func TestCutOffWhileFollowing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{}
		s := newStreams(log)
		streams := []*Stream{openStream(t, s, Follow{}), openStream(t, s, Follow{})}
		for _, st := range streams {
			wantSilence(t, st)
		}
		log.set(func(l *fakeLog) { l.err = ports.ErrUnavailable })
		log.add("a", 5)
		time.Sleep(3 * time.Second)
		log.set(func(l *fakeLog) { l.begin, l.err = 15, nil })
		for _, st := range streams {
			if got, err := st.Next(t.Context(), 2*time.Second); err != nil || !got.Resync || got.Position != 15 {
				t.Errorf("Next = %+v, %v, want a resync", got, err)
			}
		}
		log.add("a", 1)
		for _, st := range streams {
			wantSeqs(t, take(t, st, 1), 18, 18)
		}
	})
}

// TestOutage: a short one is only a delay; a long one ends the streams.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{}
		s := newStreams(log)
		st := openStream(t, s, Follow{})
		wantSilence(t, st)
		log.set(func(l *fakeLog) { l.err = ports.ErrUnavailable })
		log.add("a", 1)
		if got, err := st.Next(t.Context(), outageTolerated/2); err != nil || len(got.Events) > 0 {
			t.Errorf("Next in an outage = %+v, %v, want nothing yet", got, err)
		}
		log.set(func(l *fakeLog) { l.err = nil })
		wantSeqs(t, take(t, st, 1), 3, 3)

		log.set(func(l *fakeLog) { l.err = ports.ErrUnavailable })
		begun := time.Now()
		if got, err := st.Next(t.Context(), time.Minute); !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("Next in a long outage = %+v, %v, want ErrUnavailable", got, err)
		}
		if d := time.Since(begun); d < outageTolerated || d > 2*outageTolerated {
			t.Errorf("the stream ended after %v, want %v or a little more", d, outageTolerated)
		}
		if _, err := s.Open(t.Context(), Follow{Session: mine()}); !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("Open in an outage = %v, want ErrUnavailable", err)
		}
		log.set(func(l *fakeLog) { l.err = nil })
		log.add("a", 1)
		back := openStream(t, s, Follow{After: behind(st.Position())})
		wantSeqs(t, take(t, back, 1), 6, 6)
	})
}

// TestPanicEndsStreams, not the process.
func TestPanicEndsStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{}
		s := newStreams(log)
		st := openStream(t, s, Follow{})
		wantSilence(t, st)
		log.set(func(l *fakeLog) { l.panics = true })
		if _, err := st.Next(t.Context(), time.Minute); err == nil || strings.Contains(err.Error(), "broken") {
			t.Errorf("Next = %v, want an error without the panic's value", err)
		}
		log.set(func(l *fakeLog) { l.panics = false })
		log.add("a", 1)
		wantSeqs(t, take(t, openStream(t, s, Follow{After: behind(0)}), 1), 3, 3)
	})
}

// TestSessionEndsStream: at once, whatever it waits for.
func TestSessionEndsStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{}
		log.add("a", 1)
		s := newStreams(log)
		in := Follow{Session: session.Session{ID: "short", ExpiresAt: time.Now().Add(2 * time.Second)}}
		expiring, revoked, other := openStream(t, s, in), openStream(t, s, Follow{}), openStream(t, s, Follow{Session: session.Session{ID: "other", ExpiresAt: time.Now().Add(time.Hour)}})
		begun := time.Now()
		if _, err := expiring.Next(t.Context(), time.Minute); !errors.Is(err, session.ErrUnauthorized) {
			t.Errorf("Next = %v, want ErrUnauthorized", err)
		}
		if d := time.Since(begun); d != 2*time.Second {
			t.Errorf("the stream ended after %v, want 2s", d)
		}
		go func() {
			time.Sleep(time.Second)
			s.sessions.mu.Lock()
			defer s.sessions.mu.Unlock()
			s.sessions.learn(session.Revocation{ID: "mine", Until: time.Now().Add(time.Hour)})
		}()
		begun = time.Now()
		if _, err := revoked.Next(t.Context(), time.Minute); !errors.Is(err, session.ErrRevoked) {
			t.Errorf("Next = %v, want ErrRevoked", err)
		}
		if d := time.Since(begun); d != time.Second {
			t.Errorf("the stream ended after %v, want 1s", d)
		}
		wantSilence(t, other)
		late := openStream(t, s, Follow{After: behind(0)})
		if got, err := late.Next(t.Context(), time.Minute); !errors.Is(err, session.ErrRevoked) {
			t.Errorf("Next of an ended session = %+v, %v, want ErrRevoked before any event", got, err)
		}
	})
}

// TestClientLeaves: the end of the context ends the wait.
func TestClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreams(&fakeLog{})
		st := openStream(t, s, Follow{})
		ctx, leave := context.WithTimeout(t.Context(), 3*time.Second)
		defer leave()
		if _, err := st.Next(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next = %v, want the end of the context", err)
		}
	})
}

// A process follows for so many at once; who ends makes room.
func TestManyStreams(t *testing.T) {
	log := &fakeLog{}
	s := newStreams(log)
	s.open.Store(maxStreams - 1)
	log.err = errors.New("no log")
	if _, err := s.Open(t.Context(), Follow{Session: mine()}); !errors.Is(err, log.err) {
		t.Errorf("Open without a log = %v, want %v", err, log.err)
	}
	log.err = nil
	st, err := s.Open(t.Context(), Follow{Session: mine()})
	if err != nil {
		t.Fatalf("Open of the last one = %v", err)
	}
	if _, err := s.Open(t.Context(), Follow{Session: mine()}); !errors.Is(err, ErrManyStreams) {
		t.Errorf("Open of one more = %v, want ErrManyStreams", err)
	}
	st.Close()
	if st, err = s.Open(t.Context(), Follow{Session: mine()}); err != nil {
		t.Fatalf("Open after another one has ended = %v", err)
	}
	st.Close()
}
