// Package faultproxy stands between a client and a server and does to their
// connections what networks do: it cuts them, slows them down, forgets them, or
// loses the answers. What it does can be changed at any time.
package faultproxy

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// fault is what happens to connections and to what they carry.
type fault int

const (
	none fault = iota
	cut
	delayed
	forgotten
	unanswered
)

// mode is a fault with its measure. The zero value hands everything on.
type mode struct {
	fault       fault
	there, back time.Duration // by which delayed hands on later
}

// Proxy is the way to one server. It is safe for concurrent use.
type Proxy struct {
	listener net.Listener
	target   string
	life     context.Context // ends when the proxy is closed
	end      context.CancelFunc
	running  sync.WaitGroup

	mu    sync.Mutex
	mode  mode
	links map[*link]struct{} // nil once the proxy is closed
}

// Start opens a way to the server at target, HOST:PORT, until the test ends. The
// server does not have to be there.
func Start(t testing.TB, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("faultproxy: %v", err)
	}
	p := &Proxy{listener: l, target: target, links: map[*link]struct{}{}}
	p.life, p.end = context.WithCancel(context.Background())
	p.running.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// Addr is where clients connect, HOST:PORT.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Pass hands everything on from now on. Connections that were cut or forgotten
// stay so.
func (p *Proxy) Pass() { p.set(mode{}) }

// Cut ends all connections, and new ones as soon as they are made.
func (p *Proxy) Cut() { p.set(mode{fault: cut}) }

// Delay hands everything on later: what clients say by the time there, what the
// server says by the time back. A delay does not add to another one.
func (p *Proxy) Delay(there, back time.Duration) { p.set(mode{delayed, there, back}) }

// HalfOpen forgets all connections, and takes new ones only to forget them:
// whatever is sent on them is lost and neither side is told, for ever.
func (p *Proxy) HalfOpen() { p.set(mode{fault: forgotten}) }

// DropReplies hands on what clients say. When the server answers, its answer is
// lost and the connection ends.
func (p *Proxy) DropReplies() { p.set(mode{fault: unanswered}) }

// Flap sets each of the faults for a while, over and over, until the returned
// function is called. The last one then stays.
func (p *Proxy) Flap(every time.Duration, faults ...func()) (stop func()) {
	ctx, cancel := context.WithCancel(p.life)
	var turns sync.WaitGroup
	turns.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			faults[n%len(faults)]()
			select {
			case <-time.After(every):
			case <-ctx.Done():
			}
		}
	})
	return func() {
		cancel()
		turns.Wait()
	}
}

func (p *Proxy) set(m mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = m
	for k := range p.links {
		p.apply(k)
	}
}

// apply does to a connection at once what the mode asks for.
func (p *Proxy) apply(k *link) {
	switch p.mode.fault {
	case cut:
		k.close()
	case forgotten:
		k.forget()
	}
}

func (p *Proxy) current() mode {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		k := newLink(p, client)
		if p.add(k) {
			p.running.Go(func() {
				defer p.remove(k)
				k.serve()
			})
		}
	}
}

// add takes a connection on, unless the proxy is closed.
func (p *Proxy) add(k *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.links == nil {
		k.close()
		return false
	}
	p.links[k] = struct{}{}
	p.apply(k)
	return true
}

func (p *Proxy) remove(k *link) {
	k.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, k)
}

func (p *Proxy) close() {
	p.end()
	p.listener.Close() // fails only if it is closed already
	p.mu.Lock()
	for k := range p.links {
		k.close()
	}
	p.links = nil
	p.mu.Unlock()
	p.running.Wait()
}
