package redislimit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orgd/domain/limit"
	"orgd/test/redisserver"
)

// A hundred clients of eight replicas try all the time. The server's clock
// decides and dates every request; no clock of a replica takes part. In no period
// are more admitted than the cap, and none is refused unless 99 % of it were.
func TestNeverMoreThanTheCap(t *testing.T) {
	const replicas, clients = 8, 100 / 8
	cfg := config(redisserver.Shared(t))
	var all []opened
	for range replicas {
		all = append(all, openShared(t, cfg, patientTiming()))
	}
	for _, w := range []limit.Window{
		{Name: "ten", Cap: 10, Length: 500 * time.Millisecond},
		{Name: "twenty", Cap: 20, Length: time.Second},
		{Name: "steps", Cap: 500, Length: 2 * time.Second},
	} {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			ask := limit.Ask{Subject: w.Name, SubjectWindows: []limit.Window{w}}
			admitted, refused, unknown := decisions(all, clients, ask, 4*time.Second+w.Length/2)
			if n := mostWithin(admitted, w.Length); n > w.Cap {
				t.Errorf("%d requests were admitted within %v, want at most %d", n, w.Length, w.Cap)
			}
			for _, at := range refused {
				if n := between(admitted, at-w.Length-w.Length/100, at) + unknown; n < w.Cap*99/100 {
					t.Fatalf("a request was refused when %d had been admitted within %v, want 99 %% of %d", n, w.Length, w.Cap)
				}
			}
			if len(admitted) <= w.Cap || len(refused) == 0 {
				t.Errorf("%d requests were admitted and %d refused, want more than %d and some", len(admitted), len(refused), w.Cap)
			}
		})
	}
}

// decisions asks from all replicas at once and returns the server's times of what
// was admitted and of what was refused, in order, and how many got no answer,
// because the machine was busy with other things.
func decisions(replicas []opened, clients int, ask limit.Ask, during time.Duration) (admitted, refused []time.Duration, unknown int) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		start = time.Now()
	)
	for i, l := range replicas {
		for j := range clients {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(uint64(i), uint64(j)))
				for time.Since(start) < during {
					at, admits, err := decision(l.Limiter, ask)
					mu.Lock()
					switch {
					case err != nil:
						unknown++
					case admits:
						admitted = append(admitted, at)
					default:
						refused = append(refused, at)
					}
					mu.Unlock()
					time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond)
				}
			})
		}
	}
	wg.Wait()
	slices.Sort(admitted)
	slices.Sort(refused)
	return admitted, refused, unknown
}

// decision asks Redis once and returns when, by its clock, it decided what.
func decision(l *Limiter, ask limit.Ask) (at time.Duration, admits bool, err error) {
	q := l.question(ask)
	if err := l.send(q); err != nil {
		return 0, false, err
	}
	reply, err := q.groups[0].call.reply.Result()
	if err != nil {
		return 0, false, err
	}
	return time.Duration(reply[0]) * time.Microsecond, reply[1] == 1, nil
}

// between returns how many of the times, which are in order, are from one to
// another.
func between(at []time.Duration, from, to time.Duration) int {
	first, _ := slices.BinarySearch(at, from)
	end, _ := slices.BinarySearch(at, to+1)
	return end - first
}

// Slots are held over all replicas, whatever order they are given back in.
func TestSlotsOverReplicas(t *testing.T) {
	const replicas, cap = 4, 3
	cfg := config(redisserver.Shared(t))
	var all []opened
	for range replicas {
		all = append(all, openShared(t, cfg, patientTiming()))
	}
	var running atomic.Int32
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			g := awaitSlot(t, all[i%replicas].Limiter, slotOf("s", cap), generous)
			if n := running.Add(1); n > cap {
				t.Errorf("%d run at once, want at most %d", n, cap)
			}
			time.Sleep(time.Duration(i%5) * time.Millisecond)
			running.Add(-1)
			g.Release()
		})
	}
	wg.Wait()
	for i := range cap {
		awaitSlot(t, all[i].Limiter, slotOf("s", cap), soon)
	}
}

// awaitSlot asks until it gets a slot, which it holds then.
func awaitSlot(t *testing.T, l *Limiter, ask limit.Ask, within time.Duration) limit.Grant {
	t.Helper()
	start := time.Now()
	for {
		g := admit(t, l, ask)
		if g.Denied == nil {
			return g
		}
		if since := time.Since(start); since > within {
			t.Fatalf("no slot is free after %v", since)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A slot is held for as long as its request runs, however much longer than a lease.
func TestLongHoldersKeepTheirSlots(t *testing.T) {
	t.Parallel()
	cfg := config(redisserver.Shared(t))
	a, b := openShared(t, cfg, quickTiming()), openShared(t, cfg, quickTiming())
	ask := slotOf("s", 2)
	first, second := admit(t, a.Limiter, ask), admit(t, b.Limiter, ask)
	for end := time.Now().Add(3 * quickTiming().lease / 2); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if g := admit(t, b.Limiter, ask); g.Denied == nil {
			t.Fatal("a third request runs")
		}
	}
	eventually(t, soon, "a slot that is held is kept for as long as a lease may last", func() bool {
		ttl := redisserver.Do(t, redisserver.Admin(t, cfg.Addrs[0]), "PTTL "+a.slotKey(ask)).(int64)
		kept := time.Duration(ttl) * time.Millisecond
		return kept >= maxLease-2*quickTiming().renew && kept <= maxLease
	})
	first.Release()
	second.Release()
	awaitSlot(t, a.Limiter, ask, soon)
	awaitSlot(t, a.Limiter, ask, soon)
}

// A Redis that has forgotten everything learns of the holders again.
func TestForgottenSlotsAreTakenAgain(t *testing.T) {
	s := redisserver.Start(t)
	l := openShared(t, config(s.Addr), quickTiming())
	ask := slotOf("s", 1)
	held := admit(t, l.Limiter, ask)
	redisserver.Do(t, redisserver.Admin(t, s.Addr), "FLUSHALL")
	redisserver.Do(t, redisserver.Admin(t, s.Addr), "SCRIPT FLUSH")
	eventually(t, soon, "the slot is renewed", func() bool {
		return redisserver.Do(t, redisserver.Admin(t, s.Addr), "EXISTS "+l.slotKey(ask)).(int64) == 1
	})
	if g := admit(t, l.Limiter, ask); g.Denied == nil {
		t.Error("a second request runs")
	}
	held.Release()
	awaitSlot(t, l.Limiter, ask, soon)
	if !l.Shared() || l.failed.Load() != nil {
		t.Errorf("Shared() = %v after a failure %v, want no failure", l.Shared(), l.failed.Load())
	}
}

// Closing gives back what is held.
func TestCloseGivesSlotsBack(t *testing.T) {
	cfg := config(redisserver.Shared(t))
	ask := slotOf("s", 1)
	other := openShared(t, cfg, patientTiming())
	closing := openShared(t, cfg, patientTiming())
	g := admit(t, closing.Limiter, ask)
	g.Release()
	closing.stop()
	if g := admit(t, other.Limiter, ask); g.Denied != nil {
		t.Error("the slot was not given back at the close")
	}
	if g := admit(t, closing.Limiter, ask); g.Denied != nil {
		t.Errorf("Admit after the close is refused by %s, want the local limiter's yes", g.Denied.Name)
	}
}

// Keys are spread over a cluster by address and subject, and by nothing else.
func TestKeys(t *testing.T) {
	long := string(make([]byte, 10_000))
	for _, subject := range []string{"", "anna", "{}", "{x}y", "a}b{c", long} {
		tag := tag("orgd", ofSubject, subject)
		if len(tag) != len("orgd:{s}:")+22 {
			t.Errorf("tag of %.20q = %q", subject, tag)
		}
		if key := memberKey(tag, aWindow, "agents.create", subject, subject); key != tag+"w:agents.create" {
			t.Errorf("memberKey = %q", key)
		}
	}
	seen := map[string]string{}
	for _, kind := range []string{ofAddress, ofSubject} {
		for _, group := range []string{"a", "b"} {
			for _, member := range []string{aWindow, aSlot} {
				for _, name := range []string{"v", "w"} {
					for _, key := range []string{"a", "b"} {
						what := fmt.Sprint(kind, group, member, name, key)
						k := memberKey(tag("orgd", kind, group), member, name, group, key)
						if other, ok := seen[k]; ok {
							t.Errorf("%s and %s have the key %s", what, other, k)
						}
						seen[k] = what
					}
				}
			}
		}
	}
}
