package redislimit

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"orgd/domain/limit"
	"orgd/test/faultproxy"
	"orgd/test/redisserver"
)

// What is promised about a fault: nobody gets an error, the local limiter decides
// within a second, Redis again within two. A short run, beside others, asks only
// that it comes to that.
var (
	takeover = size(generous, time.Second)
	comeback = size(generous, 2*time.Second)
)

// size is short, or long if ORGD_LONG=1.
func size(short, long time.Duration) time.Duration {
	if os.Getenv("ORGD_LONG") == "1" {
		return long
	}
	return short
}

// faultConfig gives a busy machine more time than the default, and less than a
// network takes that is slow.
func faultConfig(addr string) Config {
	c := config(addr)
	c.Timeout = size(time.Second, 100*time.Millisecond)
	c.Replicas = 2
	return c
}

// load are requests that are made all the time.
type load struct {
	t    *testing.T
	stop chan struct{}
	wg   sync.WaitGroup

	mu     sync.Mutex
	waited []time.Duration
}

// startLoad makes about three hundred requests each second, some with a slot.
func startLoad(t *testing.T, l *Limiter) *load {
	ld := &load{t: t, stop: make(chan struct{})}
	for i := range 6 {
		ask := limit.Ask{
			Address: "a", AddressWindows: []limit.Window{{Name: "w", Key: "a", Cap: 1_000_000, Length: time.Minute}},
			Subject: "s", SubjectWindows: []limit.Window{{Name: "w", Key: "s", Cap: 1_000_000, Length: time.Minute}},
		}
		if i == 0 {
			ask.Slot = &limit.Slot{Name: "op", Key: "s", Cap: 100}
		}
		ld.wg.Go(func() { ld.work(l, ask) })
	}
	return ld
}

func (ld *load) work(l *Limiter, ask limit.Ask) {
	for {
		select {
		case <-ld.stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
		start := time.Now()
		g, err := l.Admit(context.Background(), ask)
		took := time.Since(start)
		if err != nil || g.Denied != nil {
			ld.t.Errorf("Admit = %v, %v, want admitted", g.Denied, err)
		}
		g.Release()
		ld.mu.Lock()
		ld.waited = append(ld.waited, took)
		ld.mu.Unlock()
	}
}

// end stops the load and returns how many requests there were and how long the
// slowest but a hundredth of them waited.
func (ld *load) end() (requests int, p99 time.Duration) {
	close(ld.stop)
	ld.wg.Wait()
	slices.Sort(ld.waited)
	return len(ld.waited), ld.waited[len(ld.waited)*99/100]
}

// await waits until limits are shared or not, and fails if that takes too long.
func await(t *testing.T, l *Limiter, shared bool, within time.Duration) time.Duration {
	t.Helper()
	start := time.Now()
	for l.Shared() != shared {
		if time.Since(start) > within {
			t.Fatalf("Shared() is not %v after %v: %v", shared, within, l.failed.Load())
		}
		time.Sleep(time.Millisecond)
	}
	return time.Since(start)
}

// withstand lets the fault last for a while under load.
func withstand(t *testing.T, l *Limiter, lasts time.Duration, fault, heal func()) {
	t.Helper()
	await(t, l, true, comeback)
	ld := startLoad(t, l)
	time.Sleep(100 * time.Millisecond)
	fault()
	lost := await(t, l, false, takeover)
	time.Sleep(lasts)
	heal()
	back := await(t, l, true, comeback)
	time.Sleep(100 * time.Millisecond)
	n, p99 := ld.end()
	t.Logf("lost after %v, back after %v; %d requests, 99 %% of them within %v",
		lost.Round(time.Millisecond), back.Round(time.Millisecond), n, p99.Round(100*time.Microsecond))
	if limit := l.cfg.Timeout + takeover; p99 > limit {
		t.Errorf("99 %% of the requests waited up to %v, want less than %v", p99, limit)
	}
}

func TestNetworkFaults(t *testing.T) {
	s := redisserver.Start(t)
	for label, fault := range map[string]func(*faultproxy.Proxy){"cut": (*faultproxy.Proxy).Cut, "two seconds slow": slow, "half open": (*faultproxy.Proxy).HalfOpen} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p := faultproxy.Start(t, s.Addr)
			l := openLimiter(t, faultConfig(p.Addr()), usualTiming())
			withstand(t, l.Limiter, time.Second, func() { fault(p) }, p.Pass)
		})
	}
}

// slow is a network that takes two seconds in each direction.
func slow(p *faultproxy.Proxy) { p.Delay(2*time.Second, 2*time.Second) }

func TestFlapping(t *testing.T) {
	p := faultproxy.Start(t, redisserver.Start(t).Addr)
	l := openLimiter(t, faultConfig(p.Addr()), usualTiming())
	await(t, l.Limiter, true, comeback)
	ld := startLoad(t, l.Limiter)
	for _, fault := range []func(){p.Cut, p.Pass, p.HalfOpen, p.Pass, func() { slow(p) }, p.Pass} {
		fault()
		time.Sleep(600 * time.Millisecond)
	}
	await(t, l.Limiter, true, comeback)
	ld.end()
}

func TestRefusals(t *testing.T) {
	for label, commands := range map[string][2][]string{
		"READONLY": {{"REPLICAOF 127.0.0.1 1"}, {"REPLICAOF NO ONE"}},
		"OOM":      {{"CONFIG SET maxmemory 1"}, {"CONFIG SET maxmemory 0"}},
		"NOAUTH":   {{"CONFIG SET requirepass secret", "CLIENT KILL TYPE normal SKIPME yes"}, {`CONFIG SET requirepass ""`}},
		"NOPERM":   {{"ACL SETUSER default -evalsha"}, {"ACL SETUSER default +evalsha"}},
		"paused":   {{"CLIENT PAUSE 60000 WRITE"}, {"CLIENT UNPAUSE"}},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			s := redisserver.Start(t)
			l := openLimiter(t, faultConfig(s.Addr), usualTiming())
			conn := redisserver.Admin(t, s.Addr).Conn() // which stays logged in
			defer conn.Close()
			all := func(commands []string) func() {
				return func() {
					for _, command := range commands {
						redisserver.Do(t, conn, command)
					}
				}
			}
			withstand(t, l.Limiter, 300*time.Millisecond, all(commands[0]), all(commands[1]))
		})
	}
}

// A Redis that restarts has forgotten everything, the scripts too.
func TestRestart(t *testing.T) {
	s := redisserver.Start(t)
	l := openLimiter(t, faultConfig(s.Addr), usualTiming())
	withstand(t, l.Limiter, 300*time.Millisecond, s.Stop, func() { s.Run(t) })
}
