package mcpserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// draining is a transport that ends its input when all that has come is answered. Without it
// the end of the input cancels the calls that are running.
type draining struct{ mcp.Transport }

// Connect implements mcp.Transport.
func (p draining) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	return &drainingConnection{Connection: c, open: map[jsonrpc.ID]bool{}, idle: make(chan struct{}), closed: make(chan struct{})}, err
}

type drainingConnection struct {
	mcp.Connection
	closed chan struct{}
	close  sync.Once

	mu    sync.Mutex
	open  map[jsonrpc.ID]bool // requests that are not answered
	ended bool                // the input has ended
	idle  chan struct{}       // closed when it has, and nothing is open
}

// Read implements mcp.Connection.
func (c *drainingConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	c.update(func() {
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			c.open[r.ID] = true
		}
		c.ended = err != nil
	})
	if err != nil {
		select {
		case <-c.idle:
		case <-c.closed:
		case <-ctx.Done():
		}
	}
	return m, err
}

// Write implements mcp.Connection.
func (c *drainingConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	c.update(func() {
		if r, ok := m.(*jsonrpc.Response); ok {
			delete(c.open, r.ID)
		}
		if err != nil { // nobody reads answers any more
			clear(c.open)
		}
	})
	return err
}

// update changes the state, and closes idle if it is time.
func (c *drainingConnection) update(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.ended && len(c.open) == 0
	do()
	if !was && c.ended && len(c.open) == 0 {
		close(c.idle)
	}
}

// Close implements mcp.Connection.
func (c *drainingConnection) Close() error {
	c.close.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
