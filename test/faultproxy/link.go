package faultproxy

import (
	"bytes"
	"context"
	"net"
	"sync/atomic"
	"time"
)

const (
	// maxChunk is how much is read at once, queued how much may be on the way in
	// each direction.
	maxChunk = 16 << 10
	queued   = 256 // chunks
)

// link is one connection of a client, and that to the server which goes with it.
type link struct {
	proxy     *Proxy
	client    net.Conn
	life      context.Context // ends when the link is closed
	end       context.CancelFunc
	forgotten atomic.Bool
}

func newLink(p *Proxy, client net.Conn) *link {
	k := &link{proxy: p, client: client}
	k.life, k.end = context.WithCancel(p.life)
	return k
}

// close may be called more than once. The connection to the server follows.
func (k *link) close() {
	k.end()
	k.client.Close() // fails only if it is closed already
}

func (k *link) forget() { k.forgotten.Store(true) }

// serve carries what both sides say until the link is closed.
func (k *link) serve() {
	if k.forgotten.Load() {
		k.carry(nil, k.client, false)
		return
	}
	var d net.Dialer
	server, err := d.DialContext(k.life, "tcp", k.proxy.target)
	if err != nil {
		return
	}
	defer context.AfterFunc(k.life, func() { server.Close() })()
	defer server.Close()
	k.proxy.running.Go(func() { k.carry(k.client, server, true) })
	k.carry(server, k.client, false)
}

// chunk is something that was said, on its way.
type chunk struct {
	text []byte
	due  time.Time
}

// carry hands on what from says until one side is gone, and closes the link then.
// Of a server that leaves a forgotten connection the client never hears.
func (k *link) carry(to, from net.Conn, isReply bool) {
	chunks := make(chan chunk, queued)
	k.proxy.running.Go(func() {
		defer close(chunks)
		k.read(from, chunks, isReply)
	})
	for c := range chunks {
		if !k.deliver(to, c, isReply) {
			k.close()
		}
	}
	if !isReply || !k.forgotten.Load() {
		k.close()
	}
}

// read queues what from says until it is gone or the link is closed.
func (k *link) read(from net.Conn, chunks chan<- chunk, isReply bool) {
	buf := make([]byte, maxChunk)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		m := k.proxy.current()
		c := chunk{text: bytes.Clone(buf[:n]), due: time.Now().Add(m.there)}
		if isReply {
			c.due = time.Now().Add(m.back)
		}
		select {
		case chunks <- c:
		case <-k.life.Done():
			return
		}
	}
}

// deliver hands a chunk on when its time has come, or loses it. It reports false
// if the link is to be closed.
func (k *link) deliver(to net.Conn, c chunk, isReply bool) bool {
	wait := time.NewTimer(time.Until(c.due))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-k.life.Done():
		return false
	}
	switch {
	case k.forgotten.Load():
		return true
	case isReply && k.proxy.current().fault == unanswered:
		return false
	}
	_, err := to.Write(c.text)
	return err == nil
}
