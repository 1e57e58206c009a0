package memlimit

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orgd/domain/fault"
	"orgd/domain/limit"
	"orgd/ports"
	"orgd/ports/portstest"
)

func TestLimiter(t *testing.T) {
	portstest.Limiter(t, func(*testing.T) ports.Limiter { return New(Uptime()) })
}

// clock is a monotonic clock that a test moves.
type clock struct{ at time.Duration }

func (c *clock) now() time.Duration { return c.at }

func admit(t testing.TB, l *Limiter, ask limit.Ask) limit.Grant {
	t.Helper()
	g, err := l.Admit(context.Background(), ask)
	if err != nil {
		t.Fatalf("Admit = %v, want a decision", err)
	}
	return g
}

// model is the definition of a sliding window: it remembers every admission.
type model struct {
	admitted []time.Duration
	cap      int
	length   time.Duration
}

// wait is how long the window is closed: one more request must not be the
// cap+1st in any period, both of whose ends count.
func (m *model) wait(now time.Duration) time.Duration {
	if len(m.admitted) < m.cap {
		return 0
	}
	opens := m.admitted[len(m.admitted)-m.cap] + m.length + 1
	return max(0, opens-now)
}

// Small caps are exact: every decision, wait and usage is the model's, whatever
// the pattern of arrival.
func TestSmallCapsAreExact(t *testing.T) {
	for _, m := range []model{{cap: 10, length: time.Minute}, {cap: 20, length: 5 * time.Second}, {cap: 1, length: time.Second}} {
		t.Run(fmt.Sprintf("%d in %v", m.cap, m.length), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { followsModel(t, m) })
		})
	}
}

func followsModel(t *rapid.T, m model) {
	c := &clock{at: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "start"))}
	l := New(c.now)
	ask := limit.Ask{Subject: "s", SubjectWindows: []limit.Window{{Name: "w", Cap: m.cap, Length: m.length, Code: fault.OperationLimited}}}
	pause := pauses(m.length)
	for range rapid.IntRange(1, 200).Draw(t, "requests") {
		c.at += pause.Draw(t, "pause")
		g, err := l.Admit(context.Background(), ask)
		if err != nil {
			t.Fatalf("Admit = %v, want a decision", err)
		}
		wait := m.wait(c.at)
		if denied := g.Denied != nil; denied != (wait > 0) {
			t.Fatalf("Admit at %v: denied %v, want wait %v", c.at, denied, wait)
		}
		if wait > 0 {
			checkDenial(t, g, wait)
			continue
		}
		m.admitted = append(m.admitted, c.at)
		if got, want := g.Usages[0].Remaining, m.remaining(c.at); got != want {
			t.Fatalf("Remaining at %v = %d, want %d", c.at, got, want)
		}
	}
}

// pauses are long, short or none, and now and then exactly at the edge.
func pauses(length time.Duration) *rapid.Generator[time.Duration] {
	return rapid.OneOf(
		rapid.Just(time.Duration(0)),
		rapid.Just(time.Duration(1)),
		rapid.Just(length-1),
		rapid.Just(length),
		rapid.Just(length+1),
		rapid.Map(rapid.Int64Range(0, int64(length/20)), func(n int64) time.Duration { return time.Duration(n) }),
		rapid.Map(rapid.Int64Range(0, int64(length)), func(n int64) time.Duration { return time.Duration(n) }),
	)
}

func (m *model) remaining(now time.Duration) int {
	n := m.cap
	for _, at := range m.admitted {
		if at+m.length >= now {
			n--
		}
	}
	return n
}

func checkDenial(t *rapid.T, g limit.Grant, wait time.Duration) {
	if reset := g.Usages[0].Reset; reset != wait {
		t.Fatalf("Reset = %v, want %v", reset, wait)
	}
	if after := g.Denied.RetryAfter; after < wait || after >= wait+time.Second || after%time.Second != 0 {
		t.Fatalf("RetryAfter = %v, want %v rounded up", after, wait)
	}
}

// Large caps are kept in steps: never more than the cap in any period, at least
// 99 % of it usable, in little memory.
func TestLargeCapsAreTight(t *testing.T) {
	for _, tc := range []struct {
		cap   int
		pause time.Duration // between attempts
	}{
		{1001, time.Millisecond}, {6000, 2 * time.Millisecond}, {10_000, 5 * time.Millisecond}, {10_000, 500 * time.Microsecond},
	} {
		t.Run(fmt.Sprintf("%d each %v", tc.cap, tc.pause), func(t *testing.T) { largeCap(t, tc.cap, tc.pause) })
	}
}

func largeCap(t *testing.T, cap int, pause time.Duration) {
	const minutes = 3
	c := &clock{at: 12345}
	l := New(c.now)
	ask := limit.Ask{Address: "a", AddressWindows: []limit.Window{{Name: "w", Cap: cap, Length: time.Minute}}}
	var admitted []time.Duration
	for start := c.at; c.at < start+minutes*time.Minute; c.at += pause {
		g := admit(t, l, ask)
		if g.Denied == nil {
			admitted = append(admitted, c.at)
			continue
		}
		if oldest := admitted[len(admitted)-cap]; oldest+time.Minute*1001/1000+1 < c.at {
			t.Fatalf("denied at %v, though %d requests ago was %v", c.at, cap, oldest)
		}
	}
	for i := cap; i < len(admitted); i++ {
		if admitted[i]-admitted[i-cap] <= time.Minute {
			t.Fatalf("%d requests within %v, want at most %d", cap+1, admitted[i]-admitted[i-cap], cap)
		}
	}
	if want := min(minutes*cap, int(minutes*time.Minute/pause)) * 99 / 100; len(admitted) < want {
		t.Errorf("%d requests admitted in %d min, want at least %d", len(admitted), minutes, want)
	}
	h := l.addresses.shard("a").group("a").histories[0]
	if len(h.runs) > 1024 {
		t.Errorf("the history has room for %d runs, want at most 1024", len(h.runs))
	}
}

// What nobody uses any more is forgotten; what is in use is not.
func TestIdleGroupsAreForgotten(t *testing.T) {
	c := &clock{}
	l := New(c.now)
	ask := func(key string) limit.Ask {
		return limit.Ask{Subject: key, SubjectWindows: []limit.Window{{Name: "w", Cap: 5, Length: time.Minute}}}
	}
	held := ask("holder")
	held.Slot = &limit.Slot{Name: "op", Cap: 1}
	holder := admit(t, l, held)
	const keys = 100_000
	for i := range keys {
		admit(t, l, ask(fmt.Sprint("once ", i)))
	}
	if n := groups(l); n != keys+1 {
		t.Fatalf("%d groups are kept, want %d", n, keys+1)
	}
	c.at = time.Minute // the last request still counts
	touch(t, l)
	if n := groups(l); n < keys {
		t.Errorf("%d groups are kept within the period, want %d", n, keys)
	}
	c.at += evictEvery
	touch(t, l)
	if n := groups(l); n > 2*touched {
		t.Errorf("%d groups are kept after the period, want those touched since", n)
	}
	if g := admit(t, l, held); g.Denied == nil {
		t.Error("the slot of the holder was forgotten")
	}
	holder.Release()
	if g := admit(t, l, held); g.Denied != nil {
		t.Errorf("Admit after Release: refused by %s", g.Denied.Name)
	}
}

const touched = 20 * shards // enough keys to visit every shard

// touch sends requests to every shard, under keys of its own.
func touch(t *testing.T, l *Limiter) {
	for i := range touched {
		admit(t, l, limit.Ask{Subject: fmt.Sprint("touch ", i), SubjectWindows: []limit.Window{{Name: "w", Cap: 100, Length: time.Minute}}})
	}
}

func groups(l *Limiter) int {
	n := 0
	for _, t := range []table{l.addresses, l.subjects} {
		for i := range t.shards {
			t.shards[i].mu.Lock()
			n += len(t.shards[i].groups)
			t.shards[i].mu.Unlock()
		}
	}
	return n
}

func TestUptime(t *testing.T) {
	now := Uptime()
	first := now()
	time.Sleep(time.Millisecond)
	if second := now(); first < 0 || second < first+time.Millisecond {
		t.Errorf("Uptime() = %v, a millisecond later %v", first, second)
	}
}
