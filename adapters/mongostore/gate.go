package mongostore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// errNoConnection says that all connections were in use for too long.
var errNoConnection = errors.New("all connections to the server are in use")

// gate lets as many operations to the server as there are connections. When
// there are more, the newest one is next: so a request that has begun its work
// gets on with it, and while the server is too slow for all, some are served in
// time and the others refused. In the order of arrival all of them would wait,
// once for each of their operations, and be refused late.
type gate struct {
	patience time.Duration // how long an operation waits
	mu       sync.Mutex
	free     int
	waiting  []chan struct{} // the newest last; each has room for its one signal
}

// newGate returns a gate to so many connections, where an operation waits for one
// half as long as it may take. With the first operation that gets none a request
// ends.
func newGate(connections int, operation time.Duration) *gate {
	return &gate{free: connections, patience: operation / 2}
}

// enter waits for a connection. Who has entered leaves.
func (g *gate) enter(ctx context.Context) error {
	g.mu.Lock()
	if g.free > 0 {
		g.free--
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{}, 1)
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()
	late := time.NewTimer(g.patience)
	defer late.Stop()
	select {
	case <-turn:
		return nil
	case <-late.C:
		return g.giveUp(turn, errNoConnection)
	case <-ctx.Done():
		return g.giveUp(turn, ctx.Err())
	}
}

// giveUp ends the waiting with the error, unless its turn has come meanwhile.
func (g *gate) giveUp(turn chan struct{}, err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting, turn)
	if i < 0 {
		return nil
	}
	g.waiting = slices.Delete(g.waiting, i, i+1)
	return err
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	last := len(g.waiting) - 1
	if last < 0 {
		g.free++
		return
	}
	g.waiting[last] <- struct{}{}
	g.waiting = g.waiting[:last]
}
