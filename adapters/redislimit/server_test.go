package redislimit

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap/zaptest"

	"orgd/adapters/memlimit"
	"orgd/domain/limit"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(child(role))
	}
	goleak.VerifyTestMain(m)
}

var prefixes atomic.Int64

// generous is the timeout of tests that are about something else: a machine that
// is busy with other tests is no reason to do without Redis.
const generous = 30 * time.Second

// soon bounds what a test waits for. It is shorter than a usual lease.
const soon = 12 * time.Second

// config is that of a limiter that shares keys with nobody.
func config(addr string) Config {
	c := Default()
	c.Addrs = []string{addr}
	c.Prefix = fmt.Sprintf("test-%d-%d", os.Getpid(), prefixes.Add(1))
	c.Timeout = generous
	return c
}

// patientTiming is the usual one, but for a busy machine.
func patientTiming() timing {
	t := usualTiming()
	t.timeout = generous
	return t
}

// quickTiming has leases short enough to wait for their end, and long enough for a
// busy machine to renew them.
func quickTiming() timing {
	return timing{probe: 50 * time.Millisecond, lease: 4 * time.Second, renew: 250 * time.Millisecond, timeout: generous}
}

// opened is a limiter that a test has opened.
type opened struct {
	*Limiter
	switches chan bool // what Switched was told
	stop     func()
}

func openLimiter(t testing.TB, cfg Config, timing timing) opened {
	t.Helper()
	o := opened{switches: make(chan bool, 1000)}
	l, stop, err := open(cfg, timing, memlimit.New(memlimit.Uptime()), func(shared bool) { o.switches <- shared }, zaptest.NewLogger(t))
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	o.Limiter, o.stop = l, sync.OnceFunc(stop)
	t.Cleanup(o.stop)
	return o
}

// openShared opens a limiter and expects that Redis decides.
func openShared(t testing.TB, cfg Config, timing timing) opened {
	t.Helper()
	o := openLimiter(t, cfg, timing)
	if !o.Shared() {
		t.Fatalf("Shared() = false: %v", o.failed.Load().err)
	}
	return o
}

func admit(t testing.TB, l *Limiter, ask limit.Ask) limit.Grant {
	t.Helper()
	g, err := l.Admit(context.Background(), ask)
	if err != nil {
		t.Fatalf("Admit = %v, want a decision", err)
	}
	return g
}

// bySubject is an ask with one window.
func bySubject(subject string, cap int, length time.Duration) limit.Ask {
	return limit.Ask{Subject: subject, SubjectWindows: []limit.Window{{Name: "w", Key: subject, Cap: cap, Length: length}}}
}

// slotOf is an ask for nothing but a slot.
func slotOf(subject string, cap int) limit.Ask {
	return limit.Ask{Subject: subject, Slot: &limit.Slot{Name: "op", Key: subject, Cap: cap}}
}
