package redislimit

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
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

// addrVariable names a Redis to use in the place of one that the tests start. What
// the tests do to it is limited to keys with prefixes of their own.
const addrVariable = "ORGD_TEST_REDIS_ADDR"

// serverVariable names the redis-server that the tests start where one Redis is
// not enough for them: to kill, to cut off, to be full.
const serverVariable = "ORGD_TEST_REDIS_SERVER"

// sharedRedis returns the address of a Redis that nobody changes.
func sharedRedis(t testing.TB) string {
	t.Helper()
	if addr := os.Getenv(addrVariable); addr != "" {
		return addr
	}
	return startRedis(t).addr
}

// server is a Redis of one test.
type server struct {
	addr string
	args []string
	cmd  *exec.Cmd
}

// startRedis runs a Redis on a free port until the test ends.
func startRedis(t testing.TB, args ...string) *server {
	t.Helper()
	program := os.Getenv(serverVariable)
	if program == "" {
		t.Skipf("%s does not name a redis-server, and %s is not set or not enough for this test", serverVariable, addrVariable)
	}
	for range 5 { // another test may take the port first
		s := &server{addr: freeAddr(t)}
		_, port, _ := net.SplitHostPort(s.addr)
		s.args = append([]string{program, "--bind", "127.0.0.1", "--port", port, "--dir", t.TempDir(),
			"--save", "", "--appendonly", "no", "--loglevel", "warning"}, args...)
		s.run(t)
		t.Cleanup(s.stop)
		if s.answers(t) {
			return s
		}
	}
	t.Fatal("redis-server does not start")
	return nil
}

// run starts the server, or starts it again.
func (s *server) run(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	if err := s.cmd.Start(); err != nil {
		t.Fatalf("start redis-server: %v", err)
	}
}

func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// answers waits until somebody answers, and reports whether it is this server.
func (s *server) answers(t testing.TB) bool {
	t.Helper()
	c := admin(t, s.addr)
	for range 500 {
		if info, err := c.Info(context.Background(), "server").Result(); err == nil {
			return strings.Contains(info, fmt.Sprintf("process_id:%d\r\n", s.cmd.Process.Pid))
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// admin returns a plain client of the server.
func admin(t testing.TB, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: never, DialerRetries: 1})
	t.Cleanup(func() { c.Close() })
	return c
}

// commander is a client or one connection of it.
type commander interface {
	Do(ctx context.Context, args ...any) *redis.Cmd
}

// do runs a command, written with spaces, as an administrator.
func do(t testing.TB, c commander, command string) any {
	t.Helper()
	var args []any
	for _, word := range strings.Fields(command) {
		if word == `""` {
			word = ""
		}
		args = append(args, word)
	}
	reply, err := c.Do(context.Background(), args...).Result()
	if err != nil && err != redis.Nil {
		t.Fatalf("%s = %v", command, err)
	}
	return reply
}

var prefixes atomic.Int64

// config is that of a limiter that shares keys with nobody. Its timeout leaves
// room for a machine that is busy with other tests.
func config(addr string) Config {
	c := Default()
	c.Addrs = []string{addr}
	c.Prefix = fmt.Sprintf("test-%d-%d", os.Getpid(), prefixes.Add(1))
	c.Timeout = time.Second
	return c
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
