package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"orgd/domain/activity"
	"orgd/ports"
)

// longLog is a log that takes many calls to read: each goes over stride positions, and
// before that some calls end in the middle of it, after a second.
type longLog struct {
	*fakeLog
	stride activity.Seq
	early  int // of the calls from one position
	at     activity.Seq
	calls  int // from at
}

func (l *longLog) After(ctx context.Context, position activity.Seq, limit int) (ports.LogPage, error) {
	page, err := l.fakeLog.After(ctx, position, limit)
	next := page.Next
	if len(page.Events) > 0 {
		next = page.Events[0].Seq - 1
	}
	if err != nil || next <= position+l.stride {
		return page, err
	}
	if l.at != position {
		l.at, l.calls = position, 0
	}
	if l.calls++; l.calls <= l.early {
		time.Sleep(time.Second)
		return ports.LogPage{Next: position, More: true}, nil
	}
	return ports.LogPage{Next: position + l.stride, More: true}, nil
}

// eventAt puts the only event of a log at a position.
func (l *fakeLog) eventAt(position activity.Seq) {
	l.set(func(l *fakeLog) {
		l.events = []activity.Logged{{Seq: position, Event: activity.Event{ID: "e", Type: activity.ToolUsed, AgentID: "a", At: noon}}}
		l.passed = position - 3
	})
	l.news.Notify()
}

// TestLongQuietLog: a part of the log that many pages without events go over delays a
// stream only by the time that they take, whether it comes back or follows, and its
// position moves on.
func TestLongQuietLog(t *testing.T) {
	const steps = 1000
	for name, from := range map[string]*activity.Seq{"comes back": behind(0), "follows": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &longLog{fakeLog: &fakeLog{}, stride: 10}
				s := newStreams(log)
				st := openStream(t, s, Follow{After: from})
				if from == nil {
					wantSilence(t, st)
				}
				log.eventAt(10 * steps)
				begun := time.Now()
				wantSeqs(t, take(t, st, 1), 10*steps, 10*steps)
				if d := time.Since(begun); d > 2*lookAgain {
					t.Errorf("the event came after %v, want it as soon as the log is read", d)
				}
				if st.Position() != 10*steps {
					t.Errorf("Position = %d, want %d", st.Position(), 10*steps)
				}
			})
		})
	}
}

// TestReadThatTakesLong: a stream whose part of the log takes longer to read than its
// client waits for a sign of life stays, without reading in haste, and goes on.
func TestReadThatTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &longLog{fakeLog: &fakeLog{}, stride: 1000, early: 40}
		log.eventAt(1500)
		st := openStream(t, newStreams(log), Follow{After: behind(0)})
		got, err := st.Next(t.Context(), 15*time.Second)
		if err != nil || len(got.Events) > 0 || got.Resync || got.Position != 0 {
			t.Fatalf("Next = %+v, %v, want nothing yet", got, err)
		}
		if n := log.reads; n > 20 {
			t.Errorf("%d reads in 15 seconds, each of which lasts for one", n)
		}
		for got, err = st.Next(t.Context(), 15*time.Second); err == nil && len(got.Events) == 0; {
			got, err = st.Next(t.Context(), 15*time.Second)
		}
		if err != nil || got.Events[0].Seq != 1500 {
			t.Errorf("Next = %+v, %v, want the event", got, err)
		}
	})
}

// handClock is moved by hand.
type handClock struct{ now time.Time }

func (c *handClock) Now() time.Time { return c.now }

// stalls are what a meter was told.
type stalls struct {
	unread
	all []time.Duration
}

func (s *stalls) LogStalled(d time.Duration) { s.all = append(s.all, d) }

// TestStall: a process that does not get on with the log for half a minute ends its
// streams and opens none until it does.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, clock, told := &fakeLog{}, &handClock{time.Now()}, &stalls{}
		log.add("a", 10)
		s := NewStreams(clock, log, nil, NewSessions(clock, nil, nil, nil, nil, nil, nil), told)
		watch := func(read activity.Seq) error {
			log.set(func(l *fakeLog) { l.read = read })
			defer func() { clock.now = clock.now.Add(WatchEvery) }()
			return s.Watch(t.Context())
		}
		live, back := openStream(t, s, Follow{}), openStream(t, s, Follow{After: behind(0)})
		wantSilence(t, live)
		next(t, back)
		for range 20 { // at the end
			if err := watch(log.head()); err != nil || !s.Working() {
				t.Fatalf("Watch at the end of the log = %v, Working = %t", err, s.Working())
			}
		}
		for read := range activity.Seq(20) { // behind, and gets on
			if err := watch(read); err != nil || !s.Working() {
				t.Fatalf("Watch of a process that gets on = %v, Working = %t", err, s.Working())
			}
		}
		for range stallTolerated/WatchEvery - 1 {
			if err := watch(19); err != nil || !s.Working() {
				t.Fatalf("Watch = %v too early", err)
			}
		}
		if err := watch(19); !errors.Is(err, ErrStalled) || s.Working() || told.all[len(told.all)-1] != stallTolerated {
			t.Errorf("Watch = %v, Working = %t, %v were told, want ErrStalled after %v", err, s.Working(), told.all, stallTolerated)
		}
		for what, st := range map[string]*Stream{"follows": live, "reads": back} {
			if _, err := st.Next(t.Context(), time.Minute); !errors.Is(err, ErrStalled) {
				t.Errorf("Next of a stream that %s = %v, want ErrStalled", what, err)
			}
			st.Close()
		}
		if _, err := s.Open(t.Context(), Follow{Session: mine()}); !errors.Is(err, ErrStalled) {
			t.Errorf("Open = %v, want ErrStalled", err)
		}
		if err := watch(20); err != nil || !s.Working() || told.all[len(told.all)-1] != 0 {
			t.Errorf("Watch = %v, Working = %t, %v were told after it has got on", err, s.Working(), told.all)
		}
		log.add("a", 1)
		wantSeqs(t, take(t, openStream(t, s, Follow{After: behind(30)}), 1), 33, 33)
	})
}

// TestNoStall: neither a storage that does not answer nor a process that was stopped itself
// says that the log does not get on.
func TestNoStall(t *testing.T) {
	log, clock := &fakeLog{}, &handClock{noon}
	log.add("a", 10)
	s := NewStreams(clock, log, nil, nil, unread{})
	for range 3 {
		if err := s.Watch(t.Context()); err != nil {
			t.Fatalf("Watch = %v", err)
		}
		clock.now = clock.now.Add(WatchEvery)
	}
	clock.now = clock.now.Add(time.Hour) // stopped
	if err := s.Watch(t.Context()); err != nil || !s.Working() {
		t.Errorf("Watch = %v, Working = %t after an hour in which the process stood still", err, s.Working())
	}
	log.set(func(l *fakeLog) { l.err = ports.ErrUnavailable })
	for range 20 {
		clock.now = clock.now.Add(WatchEvery)
		if err := s.Watch(t.Context()); !errors.Is(err, ports.ErrUnavailable) || !s.Working() {
			t.Errorf("Watch = %v, Working = %t of a storage that does not answer", err, s.Working())
		}
	}
}
