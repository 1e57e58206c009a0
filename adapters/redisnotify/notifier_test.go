package redisnotify

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"orgd/adapters/redisconn"
	"orgd/test/faultproxy"
	"orgd/test/redisserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var prefixes atomic.Int64

// config is that of a group of replicas that nobody else talks to.
func config(addrs ...string) redisconn.Config {
	c := redisconn.Default()
	c.Addrs = addrs
	c.Prefix = fmt.Sprintf("test-%d-%d", os.Getpid(), prefixes.Add(1))
	return c
}

// replica is one of several.
type replica struct {
	*Notifier
	heard chan int64
	logs  *observer.ObservedLogs
}

func open(t *testing.T, cfg redisconn.Config) replica {
	t.Helper()
	core, logs := observer.New(zapcore.InfoLevel)
	r := replica{heard: make(chan int64, 1000), logs: logs}
	n, stop, err := Open(cfg, func(number int64) { r.heard <- number }, zap.New(core))
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(stop)
	r.Notifier = n
	return r
}

// hears waits for a number of at least this, which others say again and again
// from first on.
func (r replica) hears(t *testing.T, from replica, first int64) int64 {
	t.Helper()
	end := time.After(30 * time.Second)
	for number := first; ; number++ {
		from.Say(number)
		again := time.After(100 * time.Millisecond)
		for waiting := true; waiting; {
			select {
			case got := <-r.heard:
				if got >= first {
					return got
				}
			case <-again:
				waiting = false
			case <-end:
				t.Fatalf("nothing was heard: %v", r.logs.All())
			}
		}
	}
}

func (r replica) hearsNothing(t *testing.T) {
	t.Helper()
	select {
	case got := <-r.heard:
		t.Errorf("heard %d, want nothing", got)
	case <-time.After(300 * time.Millisecond):
	}
}

// Everybody hears what anybody says, and nobody what other groups say.
func TestReplicas(t *testing.T) {
	addr := redisserver.Shared(t)
	cfg := config(addr)
	a, b, c := open(t, cfg), open(t, cfg), open(t, cfg)
	other := open(t, config(addr))
	last := int64(1)
	for _, from := range []replica{a, b, c} {
		for _, r := range []replica{a, b, c} {
			last = r.hears(t, from, last+1)
		}
	}
	other.hearsNothing(t)
	redisserver.Do(t, redisserver.Admin(t, addr), "PUBLISH "+cfg.Prefix+":log nonsense")
	a.hears(t, b, last+1)
}

// A number that is no news is not said again.
func TestSayOnlyNews(t *testing.T) {
	cfg := config(redisserver.Shared(t))
	a, b := open(t, cfg), open(t, cfg)
	last := b.hears(t, a, 1)
	time.Sleep(200 * time.Millisecond) // what was said to be heard
	for len(b.heard) > 0 {
		<-b.heard
	}
	for range 100 {
		a.Say(last)
		a.Say(1)
	}
	b.hearsNothing(t)
}

// A Redis that dies and comes back is used again; until then saying costs
// nothing, and each side says once that something is wrong.
func TestRedisDies(t *testing.T) {
	s := redisserver.Start(t)
	cfg := config(s.Addr)
	a, b := open(t, cfg), open(t, cfg)
	last := b.hears(t, a, 1)
	for range 2 {
		s.Stop()
		for n := range int64(20) {
			begun := time.Now()
			a.Say(last + n)
			if d := time.Since(begun); d > time.Second {
				t.Errorf("Say took %v without Redis", d)
			}
			time.Sleep(20 * time.Millisecond)
		}
		s.Run(t)
		last = b.hears(t, a, last+100)
	}
	if n := b.logs.FilterMessageSnippet("not told").Len(); n < 1 || n > 4 {
		t.Errorf("%d lines about two losses, want 1 to 4: %v", n, b.logs.All())
	}
}

// A connection over which nothing comes any more is noticed.
func TestSilentConnection(t *testing.T) {
	s := redisserver.Start(t)
	p := faultproxy.Start(t, s.Addr)
	cfg := config(s.Addr)
	a := open(t, cfg)
	cfg.Addrs = []string{p.Addr()}
	b := open(t, cfg)
	last := b.hears(t, a, 1)
	p.HalfOpen()
	b.hearsNothing(t)
	p.Pass()
	b.hears(t, a, last+1)
}

func TestCluster(t *testing.T) {
	addrs := redisserver.StartCluster(t)
	for range 4 { // names of channels lie on several nodes
		cfg := config(addrs...)
		a, b := open(t, cfg), open(t, cfg)
		b.hears(t, a, 1)
	}
}

// A user who may not use the channel is told of it once, and does no harm. The
// rights in the documents are enough.
func TestNoRight(t *testing.T) {
	s := redisserver.Start(t)
	cfg := config(s.Addr)
	redisserver.Do(t, redisserver.Admin(t, s.Addr), "ACL SETUSER limiter on >secret resetchannels "+redisserver.Rights(t))
	cfg.Username, cfg.Password = "limiter", "secret"
	a := open(t, cfg)
	for n := range int64(10) {
		a.Say(n)
		time.Sleep(50 * time.Millisecond)
	}
	warnings := a.logs.FilterMessageSnippet("not told").All()
	if len(warnings) != 2 { // one for each way
		t.Errorf("the log has %v, want two warnings", a.logs.All())
	}
	for _, w := range warnings {
		if text := fmt.Sprint(w.ContextMap()["error"]); !strings.Contains(text, "NOPERM") || strings.Contains(text, "secret") {
			t.Errorf("the warning says %s", text)
		}
	}
	redisserver.Do(t, redisserver.Admin(t, s.Addr), "ACL SETUSER limiter &"+cfg.Prefix+":log")
	b := open(t, cfg)
	a.hears(t, b, 100)
}

func TestOpenRefuses(t *testing.T) {
	for _, change := range []func(*redisconn.Config){
		func(c *redisconn.Config) { c.Prefix = "" },
		func(c *redisconn.Config) { c.CAFile = "/missing" },
	} {
		cfg := config("rediss://127.0.0.1:1")
		change(&cfg)
		if _, _, err := Open(cfg, nil, zap.NewNop()); err == nil {
			t.Errorf("Open(%+v) = nil, want an error", cfg)
		}
	}
}
