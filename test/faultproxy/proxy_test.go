package faultproxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	// moment is long enough for what has to come, and to see that nothing comes.
	moment = 300 * time.Millisecond
	// soon bounds what has to come, on a machine that is busy.
	soon = 30 * time.Second
)

// echo is a server that says every line back.
type echo struct {
	addr  string
	heard atomic.Int64 // lines

	mu    sync.Mutex
	conns []net.Conn
}

func startEcho(t *testing.T) *echo {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{addr: l.Addr().String()}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			e.mu.Lock()
			e.conns = append(e.conns, c)
			e.mu.Unlock()
			running.Go(func() { e.answer(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		e.leave()
		running.Wait()
	})
	return e
}

func (e *echo) answer(c net.Conn) {
	defer c.Close()
	for lines := bufio.NewScanner(c); lines.Scan(); {
		e.heard.Add(1)
		if _, err := fmt.Fprintln(c, lines.Text()); err != nil {
			return
		}
	}
}

// leave closes the connections that there are.
func (e *echo) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.conns {
		c.Close()
	}
}

// client is one connection.
type client struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
}

func dial(t *testing.T, addr string) client {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatalf("Dial = %v", err)
	}
	t.Cleanup(func() { c.Close() })
	return client{t, c, bufio.NewReader(c)}
}

func (c client) say(text string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.conn, text); err != nil {
		c.t.Fatalf("say %q: %v", text, err)
	}
}

// hear returns the next line that comes within a time.
func (c client) hear(within time.Duration) (string, error) {
	c.t.Helper()
	if err := c.conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		c.t.Fatal(err)
	}
	line, err := c.r.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}

func (c client) wantEcho(text string) {
	c.t.Helper()
	c.say(text)
	if got, err := c.hear(soon); got != text || err != nil {
		c.t.Errorf("the echo of %q = %q, %v", text, got, err)
	}
}

// wantEnd wants the connection to be closed, with nothing said before.
func (c client) wantEnd() {
	c.t.Helper()
	if got, err := c.hear(soon); got != "" || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Errorf("hear = %q, %v, want the end of the connection", got, err)
	}
}

// wantSilence wants neither a word nor the end of the connection.
func (c client) wantSilence() {
	c.t.Helper()
	if got, err := c.hear(moment); got != "" || !errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Errorf("hear = %q, %v, want silence", got, err)
	}
}

func TestPass(t *testing.T) {
	e := startEcho(t)
	p := Start(t, e.addr)
	c := dial(t, p.Addr())
	c.wantEcho("one")
	c.wantEcho(strings.Repeat("long ", 10_000))
	dial(t, p.Addr()).wantEcho("two")
	e.leave()
	c.wantEnd()
}

func TestServerIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := Start(t, l.Addr().String())
	l.Close()
	dial(t, p.Addr()).wantEnd()
}

func TestCut(t *testing.T) {
	p := Start(t, startEcho(t).addr)
	before := dial(t, p.Addr())
	before.wantEcho("before")
	p.Cut()
	before.wantEnd()
	dial(t, p.Addr()).wantEnd()
	p.Pass()
	dial(t, p.Addr()).wantEcho("after")
}

func TestDelay(t *testing.T) {
	const there, back = 500 * time.Millisecond, time.Second // ten times are more than the bound below
	e := startEcho(t)
	p := Start(t, e.addr)
	c := dial(t, p.Addr())
	c.wantEcho("before")
	p.Delay(there, back)
	begin := time.Now()
	for i := range 10 {
		c.say(fmt.Sprint(i))
		time.Sleep(10 * time.Millisecond)
	}
	if n := e.heard.Load(); n != 1 && time.Since(begin) < there {
		t.Errorf("the server heard %d lines, want only the one before the delay", n)
	}
	for i := range 10 {
		if got, err := c.hear(soon); got != fmt.Sprint(i) || err != nil {
			t.Fatalf("line %d = %q, %v", i, got, err)
		}
		if took := time.Since(begin); i == 0 && took < there+back {
			t.Errorf("the first line took %v, want at least %v", took, there+back)
		}
	}
	if took := time.Since(begin); took > there+back+10*time.Second {
		t.Errorf("ten lines took %v: the delays add up", took)
	}
	c.say("on its way")
	p.Pass()
	if got, err := c.hear(soon); got != "on its way" || err != nil {
		t.Errorf("hear = %q, %v", got, err)
	}
	c.wantEcho("after")
}

func TestHalfOpen(t *testing.T) {
	e := startEcho(t)
	p := Start(t, e.addr)
	before, idle := dial(t, p.Addr()), dial(t, p.Addr())
	before.wantEcho("before")
	p.HalfOpen()
	before.say("lost")
	before.wantSilence()
	during := dial(t, p.Addr())
	during.say("lost")
	during.wantSilence()
	e.leave() // of which nobody is told
	p.Pass()
	dial(t, p.Addr()).wantEcho("after")
	for _, c := range []client{before, during, idle} {
		c.say("lost for ever")
		c.wantSilence()
	}
	if n := e.heard.Load(); n != 2 {
		t.Errorf("the server heard %d lines, want those before and after", n)
	}
}

func TestDropReplies(t *testing.T) {
	e := startEcho(t)
	p := Start(t, e.addr)
	idle := dial(t, p.Addr())
	p.DropReplies()
	for range 2 {
		c := dial(t, p.Addr())
		c.say("done, but not answered")
		c.wantEnd()
	}
	if n := e.heard.Load(); n != 2 {
		t.Errorf("the server heard %d lines, want both", n)
	}
	p.Pass()
	idle.wantEcho("never asked meanwhile")
}

func TestFlap(t *testing.T) {
	p := Start(t, startEcho(t).addr)
	stop := p.Flap(50*time.Millisecond, p.Cut, p.Pass)
	answered, ended := 0, 0
	for begin := time.Now(); (answered < 3 || ended < 3) && time.Since(begin) < soon; {
		c := dial(t, p.Addr())
		if _, err := fmt.Fprintln(c.conn, "now"); err != nil {
			ended++
			continue
		}
		switch got, err := c.hear(soon); {
		case got == "now" && err == nil:
			answered++
		case err == nil || errors.Is(err, os.ErrDeadlineExceeded):
			t.Fatalf("hear = %q, %v", got, err)
		default:
			ended++
		}
	}
	stop()
	if answered < 3 || ended < 3 {
		t.Errorf("%d connections passed and %d were cut, want some of each", answered, ended)
	}
	p.Pass()
	dial(t, p.Addr()).wantEcho("after")
}

// Whatever happens at the same time, what is answered is right, and nothing is
// left at the end.
func TestManyAtOnce(t *testing.T) {
	e := startEcho(t)
	p := Start(t, e.addr)
	stop := p.Flap(5*time.Millisecond, p.Pass, p.Cut, p.Pass, p.HalfOpen, p.Pass, p.DropReplies,
		func() { p.Delay(time.Millisecond, time.Millisecond) })
	var clients sync.WaitGroup
	var answered atomic.Int64
	for i := range 16 {
		clients.Go(func() {
			for n := range 30 {
				text := fmt.Sprintf("%d of %d", n, i)
				got, err := ask(p.Addr(), text)
				if err == nil && got != text {
					t.Errorf("the echo of %q = %q", text, got)
				}
				if err == nil {
					answered.Add(1)
				}
			}
		})
	}
	clients.Wait()
	stop()
	if answered.Load() == 0 {
		t.Error("no line was answered")
	}
}

// ask says one line on a connection of its own.
func ask(addr, text string) (string, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(c, text+"\n"); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}
