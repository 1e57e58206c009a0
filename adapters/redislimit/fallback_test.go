package redislimit

import (
	"context"
	"fmt"
	"testing"
	"time"

	"orgd/domain/limit"
)

// An ask costs one round trip, whatever is in it, and giving its slot back none.
func TestOneRoundTrip(t *testing.T) {
	p := startProxy(t, sharedRedis(t))
	p.delay = 60 * time.Millisecond
	l := openShared(t, config(p.addr()), usualTiming())
	ask := limit.Ask{
		Address: "a", AddressWindows: []limit.Window{{Name: "v", Key: "a", Cap: 10, Length: time.Minute}, {Name: "w", Key: "a", Cap: 10, Length: time.Minute}},
		Subject: "s", SubjectWindows: []limit.Window{{Name: "v", Key: "s", Cap: 10, Length: time.Minute}, {Name: "w", Key: "s", Cap: 10, Length: time.Minute}},
		Slot: &limit.Slot{Name: "op", Key: "s", Cap: 1},
	}
	admit(t, l.Limiter, ask).Release() // connects
	p.set(slow)
	start := time.Now()
	g := admit(t, l.Limiter, ask)
	if took := time.Since(start); took < 2*p.delay || took >= 4*p.delay {
		t.Errorf("Admit took %v, want one round trip of %v", took, 2*p.delay)
	}
	start = time.Now()
	g.Release()
	if took := time.Since(start); took >= p.delay {
		t.Errorf("Release took %v, want no round trip of %v", took, 2*p.delay)
	}
	start = time.Now()
	if g := admit(t, l.Limiter, limit.Ask{Address: "a", Subject: "s"}); g.Denied != nil || time.Since(start) >= p.delay {
		t.Errorf("an ask for nothing is refused by %v or took %v", g.Denied, time.Since(start))
	}
}

// Without Redis each replica admits its part, and says so.
func TestLocalShare(t *testing.T) {
	p := startProxy(t, startRedis(t).addr)
	p.set(cut)
	cfg := faultConfig(p.addr())
	cfg.Replicas = 3
	l := openLimiter(t, cfg, usualTiming())
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
	p.set(passing)
	await(t, l.Limiter, true, comeback)
	if g := admit(t, l.Limiter, ask); g.Denied != nil || g.Usages[0].Window.Cap != 10 || g.Usages[0].Remaining != 9 {
		t.Errorf("Admit with Redis = %+v, want 9 of 10 left", g)
	}
	p.set(cut)
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
	s := startRedis(t)
	p := startProxy(t, s.addr)
	p.set(cut)
	cfg := faultConfig(p.addr())
	l := openLimiter(t, cfg, usualTiming())
	ask := slotOf("s", 1)
	held := admit(t, l.Limiter, ask)
	p.set(passing)
	await(t, l.Limiter, true, comeback)

	cfg.Addrs = []string{s.addr}
	other := openShared(t, cfg, usualTiming())
	eventually(t, time.Second, "the other replica knows of the slot", func() bool {
		g := admit(t, other.Limiter, ask)
		defer g.Release()
		return g.Denied != nil
	})
	held.Release()
	held.Release()
	awaitSlot(t, other.Limiter, ask, time.Second)
	if g := admit(t, l.Limiter, ask); g.Denied == nil {
		t.Error("a second request runs")
	}
}

// A slot that Redis gives when nobody waits for the answer any more does not stay
// taken until its lease ends.
func TestLateSlotsAreGivenBack(t *testing.T) {
	p := startProxy(t, startRedis(t).addr)
	timing := usualTiming()
	timing.renew = 300 * time.Millisecond
	l := openShared(t, faultConfig(p.addr()), timing)
	ask := slotOf("s", 1)
	admit(t, l.Limiter, ask).Release() // connects
	awaitSlot(t, l.Limiter, ask, time.Second).Release()
	p.set(slow)
	admit(t, l.Limiter, ask).Release() // decided locally, by Redis in two seconds
	p.set(passing)
	time.Sleep(p.delay + timing.renew) // the command has arrived
	await(t, l.Limiter, true, comeback)
	awaitSlot(t, l.Limiter, ask, 2*time.Second)
}

// A client that leaves while Redis is asked takes no slot with him.
func TestClientsThatLeave(t *testing.T) {
	l := openShared(t, config(sharedRedis(t)), usualTiming())
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
		awaitSlot(t, l.Limiter, ask, time.Second)
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
