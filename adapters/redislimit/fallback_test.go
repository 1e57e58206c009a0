package redislimit

import (
	"context"
	"fmt"
	"testing"
	"time"

	"orgd/domain/limit"
	"orgd/test/faultproxy"
	"orgd/test/redisserver"
)

// An ask costs one round trip, whatever is in it, and giving its slot back none.
func TestOneRoundTrip(t *testing.T) {
	t.Parallel()
	const delay = time.Second // in each direction, much longer than a busy machine needs
	p := faultproxy.Start(t, redisserver.Shared(t))
	l := openShared(t, config(p.Addr()), patientTiming())
	ask := limit.Ask{
		Address: "a", AddressWindows: []limit.Window{{Name: "v", Key: "a", Cap: 10, Length: time.Minute}, {Name: "w", Key: "a", Cap: 10, Length: time.Minute}},
		Subject: "s", SubjectWindows: []limit.Window{{Name: "v", Key: "s", Cap: 10, Length: time.Minute}, {Name: "w", Key: "s", Cap: 10, Length: time.Minute}},
		Slot: &limit.Slot{Name: "op", Key: "s", Cap: 10},
	}
	admit(t, l.Limiter, ask).Release() // connects
	p.Delay(delay, delay)
	var held []limit.Grant
	if took := quickest(4*delay, func() { held = append(held, admit(t, l.Limiter, ask)) }); took < 2*delay || took >= 4*delay {
		t.Errorf("Admit took %v, want one round trip of %v", took, 2*delay)
	}
	giveBack := func() {
		held[0].Release()
		held = held[1:]
	}
	if took := quickest(delay, giveBack); took >= delay {
		t.Errorf("Release took %v, want no round trip of %v", took, 2*delay)
	}
	nothing := func() {
		if g := admit(t, l.Limiter, limit.Ask{Address: "a", Subject: "s"}); g.Denied != nil {
			t.Errorf("an ask for nothing is refused by %v", g.Denied)
		}
	}
	if took := quickest(delay, nothing); took >= delay {
		t.Errorf("an ask for nothing took %v, want no round trip of %v", took, 2*delay)
	}
}

// quickest does something, a few times if it takes too long, and returns the
// shortest time that it took: what a busy machine adds says nothing.
func quickest(tooLong time.Duration, do func()) time.Duration {
	shortest := time.Hour
	for n := 0; n < 5 && shortest >= tooLong; n++ {
		start := time.Now()
		do()
		shortest = min(shortest, time.Since(start))
	}
	return shortest
}

// Without Redis each replica admits its part, and says so.
func TestLocalShare(t *testing.T) {
	p := faultproxy.Start(t, redisserver.Start(t).Addr)
	p.Cut()
	cfg := config(p.Addr())
	cfg.Replicas = 3
	l := openLimiter(t, cfg, patientTiming())
	ask := bySubject("s", 10, time.Minute)
	admitted := 0
	for range 20 {
		g := admit(t, l.Limiter, ask)
		if cap := g.Usages[0].Window.Cap; cap != 3 {
			t.Fatalf("the cap is %d, want a third of 10", cap)
		}
		if g.Denied == nil {
			admitted++
		}
	}
	if admitted != 3 {
		t.Errorf("%d requests are admitted, want a third of 10", admitted)
	}
	p.Pass()
	await(t, l.Limiter, true, comeback)
	if g := admit(t, l.Limiter, ask); g.Denied != nil || g.Usages[0].Window.Cap != 10 || g.Usages[0].Remaining != 9 {
		t.Errorf("Admit with Redis = %+v, want 9 of 10 left", g)
	}
	p.Cut()
	await(t, l.Limiter, false, takeover)
	for i, want := range []bool{false, true, false} {
		select {
		case got := <-l.switches:
			if got != want {
				t.Errorf("switch %d is to %v, want %v", i, got, want)
			}
		case <-time.After(takeover):
			t.Fatalf("switch %d to %v was not told", i, want)
		}
	}
}

// A slot that was given without Redis is known to the others when Redis is back.
func TestLocalSlotsAreShared(t *testing.T) {
	s := redisserver.Start(t)
	p := faultproxy.Start(t, s.Addr)
	p.Cut()
	cfg := config(p.Addr())
	cfg.Replicas = 2
	l := openLimiter(t, cfg, patientTiming())
	ask := slotOf("s", 1)
	held := admit(t, l.Limiter, ask)
	p.Pass()
	await(t, l.Limiter, true, comeback)

	cfg.Addrs = []string{s.Addr}
	other := openShared(t, cfg, patientTiming())
	eventually(t, soon, "the other replica knows of the slot", func() bool {
		g := admit(t, other.Limiter, ask)
		defer g.Release()
		return g.Denied != nil
	})
	held.Release()
	held.Release()
	awaitSlot(t, other.Limiter, ask, soon)
	if g := admit(t, l.Limiter, ask); g.Denied == nil {
		t.Error("a second request runs")
	}
}

// A slot that Redis gives when nobody waits for the answer any more does not stay
// taken until its lease ends.
func TestLateSlotsAreGivenBack(t *testing.T) {
	t.Parallel()
	p := faultproxy.Start(t, redisserver.Start(t).Addr)
	timing := usualTiming()
	timing.renew = 300 * time.Millisecond
	l := openLimiter(t, faultConfig(p.Addr()), timing)
	ask := slotOf("s", 1)
	await(t, l.Limiter, true, comeback)
	awaitSlot(t, l.Limiter, ask, soon).Release()
	slow(p)
	admit(t, l.Limiter, ask).Release() // decided locally, by Redis in two seconds
	p.Pass()
	time.Sleep(2*time.Second + timing.renew) // the command has arrived
	await(t, l.Limiter, true, comeback)
	awaitSlot(t, l.Limiter, ask, soon)
}

// A client that leaves while Redis is asked takes no slot with him.
func TestClientsThatLeave(t *testing.T) {
	l := openShared(t, config(redisserver.Shared(t)), patientTiming())
	ask := slotOf("s", 3)
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		g, err := l.Admit(ctx, ask)
		if err != nil && ctx.Err() == nil {
			t.Fatalf("Admit = %v, want a decision", err)
		}
		g.Release()
	}
	for range 3 {
		awaitSlot(t, l.Limiter, ask, soon)
	}
}

// Leases that wait to be given back are bounded, and end by themselves.
func TestReleasedLeasesAreBounded(t *testing.T) {
	ls := newLeases(time.Millisecond)
	for i := range maxReleased + 10 {
		x := ls.fresh(fmt.Sprint("slot ", i))
		release := ls.hold(x, true)
		release()
		release()
	}
	all := ls.takeReleased()
	if len(all) != maxReleased {
		t.Errorf("%d leases wait, want at most %d", len(all), maxReleased)
	}
	time.Sleep(2 * time.Millisecond)
	for _, x := range all {
		ls.tried(x, context.DeadlineExceeded)
	}
	if n := len(ls.takeReleased()); n != 0 {
		t.Errorf("%d leases are tried again after their end", n)
	}
	unknown := ls.hold(ls.fresh("slot"), false)
	unknown()
	if n := len(ls.takeReleased()); n != 0 {
		t.Errorf("%d leases are given back that Redis never had", n)
	}
}
