// Package redisserver runs Redis for tests: servers of their own to kill, to cut
// off and to fill, clusters and sentinels.
package redisserver

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"orgd/test/process"
)

const (
	// addrVariable names a Redis to use in the place of one that the tests start.
	// What the tests do to it is limited to keys with prefixes of their own.
	addrVariable = "ORGD_TEST_REDIS_ADDR"
	// programVariable names the redis-server that the tests start where one Redis
	// is not enough for them.
	programVariable = "ORGD_TEST_REDIS_SERVER"
)

// patience is how long a server may take on a busy machine.
const patience = 30 * time.Second

// Shared returns the address of a Redis that nobody changes.
func Shared(t testing.TB) string {
	t.Helper()
	if addr := os.Getenv(addrVariable); addr != "" {
		return addr
	}
	return Start(t).Addr
}

// Server is a Redis of one test.
type Server struct {
	Addr string
	args []string
	cmd  *exec.Cmd
}

// Start runs a Redis on a free port until the test ends.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	program := os.Getenv(programVariable)
	if program == "" {
		t.Skipf("%s does not name a redis-server, and %s is not set or not enough for this test", programVariable, addrVariable)
	}
	for range 5 { // another test may take the port first
		s := &Server{Addr: process.FreeAddr(t)}
		s.args = append([]string{program, "--bind", "127.0.0.1", "--port", Port(s.Addr), "--dir", t.TempDir(),
			"--save", "", "--appendonly", "no", "--loglevel", "warning"}, args...)
		s.Run(t)
		t.Cleanup(s.Stop)
		if s.answers(t) {
			return s
		}
	}
	t.Fatal("redis-server does not start")
	return nil
}

// StartSentinel runs a sentinel with the configuration in a file.
func StartSentinel(t testing.TB, file string) *Server {
	t.Helper()
	s := Start(t) // for its free port
	s.Stop()
	s.args = []string{s.args[0], file, "--sentinel", "--bind", "127.0.0.1", "--port", Port(s.Addr)}
	s.Run(t)
	if !s.answers(t) {
		t.Fatal("the sentinel does not start")
	}
	return s
}

// Run starts the server again after Stop.
func (s *Server) Run(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	if err := s.cmd.Start(); err != nil {
		t.Fatalf("start redis-server: %v", err)
	}
}

// Stop kills the server.
func (s *Server) Stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// answers waits until somebody answers, and reports whether it is this server.
func (s *Server) answers(t testing.TB) bool {
	t.Helper()
	c := Admin(t, s.Addr)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if info, err := c.Info(context.Background(), "server").Result(); err == nil {
			return strings.Contains(info, fmt.Sprintf("process_id:%d\r\n", s.cmd.Process.Pid))
		}
	}
	return false
}

// Port is the port of an address.
func Port(addr string) string { _, port, _ := net.SplitHostPort(addr); return port }

// Admin returns a plain client of the server, which tries nothing again.
func Admin(t testing.TB, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1, DialTimeout: patience, ReadTimeout: patience})
	t.Cleanup(func() { c.Close() })
	return c
}

// Commander is a client or one connection of it.
type Commander interface {
	Do(ctx context.Context, args ...any) *redis.Cmd
}

// Do runs a command, written with spaces, as an administrator.
func Do(t testing.TB, c Commander, command string) any {
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

// Rights are those that the documents ask for, for a user of its own. It is called
// by tests of adapters.
func Rights(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "~orgd:* ")
	line, _, _ := strings.Cut(after, "\n")
	if !found || !strings.HasPrefix(line, "+") {
		t.Fatal("docs/limits.md does not say which rights the user needs")
	}
	return line
}
