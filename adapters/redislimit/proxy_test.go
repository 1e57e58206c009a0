package redislimit

import (
	"net"
	"sync"
	"testing"
	"time"
)

// How a proxy treats its connections.
const (
	passing = iota
	cut     // closes connections, and new ones at once
	slow    // hands everything on after the delay
	silent  // hands nothing on, and closes nothing
)

// proxy stands between a limiter and its Redis.
type proxy struct {
	listener net.Listener
	target   string
	delay    time.Duration // in each direction
	wg       sync.WaitGroup

	mu     sync.Mutex
	mode   int
	conns  map[net.Conn]bool
	closed bool
}

func startProxy(t testing.TB, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target, delay: 2 * time.Second, conns: map[net.Conn]bool{}}
	p.wg.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

func (p *proxy) close() {
	p.listener.Close()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cutAll()
	p.wg.Wait()
}

// set changes the mode. Connections that were made while the proxy was silent stay
// silent for ever, as they do when a firewall forgets them.
func (p *proxy) set(mode int) {
	p.mu.Lock()
	p.mode = mode
	p.mu.Unlock()
	if mode == cut {
		p.cutAll()
	}
}

func (p *proxy) current() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode
}

func (p *proxy) cutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.wg.Go(func() { p.serve(client) })
	}
}

// keep remembers the connection, or closes it if it may not be.
func (p *proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.mode == cut {
		c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *proxy) drop(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	c.Close()
}

func (p *proxy) serve(client net.Conn) {
	if !p.keep(client) {
		return
	}
	defer p.drop(client)
	server, err := net.Dial("tcp", p.target)
	if err != nil || !p.keep(server) {
		return
	}
	defer p.drop(server)
	p.wg.Go(func() { p.copy(client, server) })
	p.copy(server, client)
}

// copy hands on what it reads. After it has been silent once it stays so.
func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	buf := make([]byte, 16<<10)
	dead := false
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		mode := p.current()
		dead = dead || mode == silent
		if dead {
			continue
		}
		if mode == slow {
			time.Sleep(p.delay)
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
