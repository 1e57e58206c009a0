package redislimit

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"orgd/adapters/memlimit"
	"orgd/domain/fault"
	"orgd/domain/limit"
	"orgd/test/redisserver"
)

// clockText gives a script the time of the last two arguments for that of the
// server.
const clockText = `
local clock, server = {ARGV[#ARGV - 1], ARGV[#ARGV]}, redis
local redis = {call = function(name, ...)
  if name == 'TIME' then return clock end
  return server.call(name, ...)
end}
`

// scripted decides by the script alone, at a time that the test sets.
type scripted struct {
	l      *Limiter
	client redis.UniversalClient
}

func newScripted(cfg Config, client redis.UniversalClient) scripted {
	return scripted{
		l: &Limiter{
			cfg: cfg, timing: usualTiming(), leases: newLeases(usualTiming().lease),
			admit: newScript(clockText + admitText), life: context.Background(),
		},
		client: client,
	}
}

// test is what helpers need of a test or of a property.
type test interface {
	Helper()
	Fatalf(format string, args ...any)
}

// admitAll sends the ask once for each of the times, in order.
func (s scripted) admitAll(t test, ask limit.Ask, at ...time.Duration) []limit.Grant {
	t.Helper()
	var questions []*question
	var calls []*call
	for _, now := range at {
		q := s.l.question(ask)
		questions = append(questions, q)
		for i := range q.groups {
			c := &q.groups[i].call
			c.add(int64(now/time.Second), int64(now%time.Second/time.Microsecond))
			calls = append(calls, c)
		}
	}
	run(context.Background(), s.client, calls)
	var grants []limit.Grant
	for _, q := range questions {
		g, err := q.read()
		if err != nil {
			t.Fatalf("the script = %v", err)
		}
		grants = append(grants, g)
	}
	return grants
}

// The script decides like the limiter of a process, which is proved against the
// definition of a sliding window: every decision, wait and usage is the same, for
// several windows at once, whatever the pattern of arrival and of caps.
func TestScriptDecidesLikeTheLocalLimiter(t *testing.T) {
	client := redisserver.Admin(t, redisserver.Shared(t))
	cfg := config("unused")
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		now := time.Duration(rapid.Int64Range(0, 2e15).Draw(t, "start")) * time.Microsecond
		start := now
		s := newScripted(cfg, client)
		local := memlimit.New(func() time.Duration { return now - start })
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			now += rapid.OneOf(edges, pauses).Draw(t, "pause")
			ask := limit.Ask{Subject: fmt.Sprint("round ", round), SubjectWindows: windows.Draw(t, "windows")}
			got := s.admitAll(t, ask, now)[0]
			want, err := local.Admit(context.Background(), ask)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(inMicroseconds(want), inMicroseconds(got)); d != "" {
				t.Fatalf("Admit(%+v) at %v differs (-local +script):\n%s", ask, now, d)
			}
		}
	})
}

var (
	edges  = rapid.SampledFrom([]time.Duration{0, time.Microsecond, time.Minute - time.Microsecond, time.Minute, time.Minute + time.Microsecond, 3 * time.Minute})
	pauses = rapid.Map(rapid.Int64Range(0, 24e6), func(n int64) time.Duration { return time.Duration(n) * time.Microsecond })
	// windows are one to three of the same buckets, with caps that change. Their
	// keys outlive the test, whose time passes faster.
	windows = rapid.Custom(func(t *rapid.T) []limit.Window {
		var ws []limit.Window
		for i := range rapid.IntRange(1, 3).Draw(t, "n") {
			cap := rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8}).Draw(t, "cap")
			ws = append(ws, limit.Window{Name: fmt.Sprint("w", i), Key: "k", Cap: cap, Length: time.Duration(i+1) * time.Minute, Code: fault.OperationLimited})
		}
		return ws
	})
)

// inMicroseconds is what can be compared of a grant: the local limiter tells
// nanoseconds, of which the script keeps whole microseconds, rounded up.
func inMicroseconds(g limit.Grant) limit.Grant {
	g.Release = nil
	for i, u := range g.Usages {
		g.Usages[i].Reset = (u.Reset + time.Microsecond - 1).Truncate(time.Microsecond)
	}
	if len(g.Usages) == 0 {
		g.Usages = nil
	}
	return g
}

// Large caps are counted in steps: never more than the cap in any period, at least
// 99 % of it usable, in little memory.
func TestLargeCapsAreTight(t *testing.T) {
	client := redisserver.Admin(t, redisserver.Shared(t))
	for _, tc := range []struct {
		cap   int
		pause time.Duration // between attempts
	}{
		{201, 100 * time.Millisecond}, {1000, 20 * time.Millisecond}, {10_000, 5 * time.Millisecond},
	} {
		t.Run(fmt.Sprintf("%d each %v", tc.cap, tc.pause), func(t *testing.T) { largeCap(t, client, tc.cap, tc.pause) })
	}
}

func largeCap(t *testing.T, client redis.UniversalClient, cap int, pause time.Duration) {
	const minutes = 3
	s := newScripted(config("unused"), client)
	ask := bySubject("s", cap, time.Minute)
	start := 1_700_000_000*time.Second + 123_456*time.Microsecond
	var admitted []time.Duration
	for now := start; now < start+minutes*time.Minute; {
		var at []time.Duration
		for range 500 {
			at = append(at, now)
			now += pause
		}
		for i, g := range s.admitAll(t, ask, at...) {
			if g.Denied == nil {
				admitted = append(admitted, at[i])
			}
		}
	}
	if n, want := len(admitted), minutes*cap*99/100; n < want {
		t.Errorf("%d requests were admitted in %d min, want at least %d", n, minutes, want)
	}
	if n := mostWithin(admitted, time.Minute); n > cap {
		t.Errorf("%d requests were admitted within a minute, want at most %d", n, cap)
	}
	key := memberKey(tag(s.l.cfg.Prefix, ofSubject, "s"), aWindow, "w", "s", "s")
	if bytes := redisserver.Do(t, client, "MEMORY USAGE "+key).(int64); bytes > 8<<10 {
		t.Errorf("a window of %d takes %d bytes, want at most 8 KiB", cap, bytes)
	} else {
		t.Logf("a window of %d takes %d bytes; %d of %d were admitted", cap, bytes, len(admitted), minutes*cap)
	}
	if ttl := redisserver.Do(t, client, "PTTL "+key).(int64); ttl < 58_000 || ttl > 60_400 {
		t.Errorf("a window of a minute is kept for %d ms", ttl)
	}
}

// mostWithin returns the greatest number of times in one period, both of whose ends
// count. The times ascend.
func mostWithin(times []time.Duration, length time.Duration) int {
	most, first := 0, 0
	for last := range times {
		for times[last]-times[first] > length {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}

// A clock that is set back closes a window for one period at most.
func TestClockSetBack(t *testing.T) {
	client := redisserver.Admin(t, redisserver.Shared(t))
	s := newScripted(config("unused"), client)
	const at = 1_700_000_000 * time.Second
	for label, cap := range map[string]int{"exact": 5, "in steps": 300} {
		t.Run(label, func(t *testing.T) {
			ask := bySubject(label, cap, time.Minute)
			fill := make([]time.Duration, cap+1)
			for i := range fill {
				fill[i] = at + time.Duration(i)*time.Millisecond
			}
			last := cap // the first that is refused
			if gs := s.admitAll(t, ask, fill...); gs[last-1].Denied != nil || gs[last].Denied == nil {
				t.Fatalf("the window does not close after %d requests", cap)
			}
			back := at - time.Hour
			for _, tc := range []struct {
				now    time.Duration
				denied bool
			}{
				{back, true}, {back + time.Second, true}, {back + time.Minute - 1, true}, {back + time.Minute + time.Second, false},
			} {
				g := s.admitAll(t, ask, tc.now)[0]
				if denied := g.Denied != nil; denied != tc.denied {
					t.Errorf("denied %v after the clock was set back, want %v: %v", tc.now-back, denied, tc.denied)
				}
				if g.Denied != nil && g.Denied.RetryAfter > 61*time.Second {
					t.Errorf("RetryAfter = %v, want at most a minute and a step", g.Denied.RetryAfter)
				}
			}
		})
	}
	t.Run("slot", func(t *testing.T) {
		ask := slotOf("s", 1)
		for i, want := range []bool{false, true, false, true} {
			now := at - time.Duration(i/2)*time.Hour
			if denied := s.admitAll(t, ask, now)[0].Denied != nil; denied != want {
				t.Errorf("ask %d: denied %v, want %v", i, denied, want)
			}
		}
	})
}

// A lease ends at its time, not earlier.
func TestLeaseEnds(t *testing.T) {
	client := redisserver.Admin(t, redisserver.Shared(t))
	s := newScripted(config("unused"), client)
	const at = 1_700_000_000 * time.Second
	lease := usualTiming().lease
	for i, tc := range []struct {
		now    time.Duration
		denied bool
	}{
		{0, false}, {time.Second, false}, {time.Second, true}, {lease - 1, true},
		{lease, false}, {lease, true}, {lease + time.Second, false}, {lease + time.Second, true},
	} {
		if denied := s.admitAll(t, slotOf("s", 2), at+tc.now)[0].Denied != nil; denied != tc.denied {
			t.Errorf("ask %d after %v: denied %v, want %v", i, tc.now, denied, tc.denied)
		}
	}
	if lease > maxLease {
		t.Errorf("the lease is %v, want at most %v", lease, maxLease)
	}
}
