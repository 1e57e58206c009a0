package mongostore

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// gateTime is how long an operation may take; half of it is longer than the steps
// of a test on a busy machine.
const gateTime = 6 * time.Second

// arrive lets somebody wait at the gate and returns when he does.
func arrive(t *testing.T, ctx context.Context, g *gate) <-chan error {
	t.Helper()
	entered := make(chan error, 1)
	before := g.queue()
	go func() { entered <- g.enter(ctx) }()
	for g.queue() == before {
		time.Sleep(time.Millisecond)
	}
	return entered
}

func (g *gate) queue() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

func wantEntered(t *testing.T, entered <-chan error, want error) {
	t.Helper()
	select {
	case err := <-entered:
		if !errors.Is(err, want) {
			t.Errorf("enter = %v, want %v", err, want)
		}
	case <-time.After(5 * gateTime):
		t.Fatalf("nobody enters, want %v", want)
	}
}

// The newest is next, and nobody waits long.
func TestGate(t *testing.T) {
	g := newGate(1, gateTime)
	if err := g.enter(t.Context()); err != nil {
		t.Fatalf("enter = %v, want nobody in the way", err)
	}
	leaving, leave := context.WithCancel(t.Context())
	first := arrive(t, t.Context(), g)
	second := arrive(t, leaving, g)
	third := arrive(t, t.Context(), g)
	g.leave()
	wantEntered(t, third, nil)
	leave()
	wantEntered(t, second, context.Canceled)
	wantEntered(t, first, errNoConnection) // the third is still there
	g.leave()
	if err := g.enter(t.Context()); err != nil || g.queue() != 0 {
		t.Errorf("enter = %v with %d waiting, want nobody in the way", err, g.queue())
	}
}

// However many come and go, no more are let through than there are connections,
// and no connection is lost.
func TestGateUnderLoad(t *testing.T) {
	const connections = 3
	g := newGate(connections, gateTime)
	var inside atomic.Int32
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for range 200 {
				ctx, cancel := context.WithTimeout(t.Context(), rand.N(2*time.Millisecond))
				if g.enter(ctx) == nil {
					if n := inside.Add(1); n > connections {
						t.Errorf("%d are inside, want at most %d", n, connections)
					}
					time.Sleep(rand.N(20 * time.Microsecond))
					inside.Add(-1)
					g.leave()
				}
				cancel()
			}
		})
	}
	all.Wait()
	if g.free != connections || g.queue() != 0 {
		t.Errorf("%d connections are free and %d wait, want %d and nobody", g.free, g.queue(), connections)
	}
}
