package faults

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/seed"
)

const (
	// clusterSize is how many replicas most tests run.
	clusterSize = 3
	// aftermath is how long the other replicas work on after a kill.
	aftermath = 500 * time.Millisecond
	// Load on replicas lasts this long before one of them is killed, at random.
	minClusterLoad, maxClusterLoad = 100 * time.Millisecond, time.Second
)

// TestKilledReplicas kills one of three replicas again and again while clients
// change all kinds of things through all of them. Whoever asked another replica
// must not notice; what was under way in the one that died happened as a whole
// or not at all.
func TestKilledReplicas(t *testing.T) {
	kills := size(5, 100)
	rng := seed.Rand(t)
	c := startCluster(t, clusterSize, mongoURI(t))
	crew := hireCrew(t, c.client(0, 1), rng)
	for round := range kills {
		c.killUnder(rng, len(crew), round, func(ctx context.Context, client *api.Client, i int, stop <-chan struct{}) error {
			return crew[i].runUntil(ctx, client, stop)
		})
		c.wantWhole()
		c.wantPromised(crew, round)
		if t.Failed() {
			return // what follows would only repeat it
		}
	}
	for _, problem := range strangers(t.Context(), c.client(0, 1), crew) {
		t.Error(problem)
	}
	c.wantCleanLogs()
	t.Logf("R5: %d kills of one of %d replicas; %s", kills, clusterSize, tally(crew))
}

// killUnder lets a crew of this size work through all replicas, kills one of
// them, lets the others work on, and starts it again. run is to go on until stop is
// closed, or it gets no answer.
func (c *cluster) killUnder(rng *rand.Rand, crew, round int, run func(ctx context.Context, client *api.Client, i int, stop <-chan struct{}) error) {
	c.t.Helper()
	victim := rng.IntN(len(c.replicas))
	clients := make([]*api.Client, len(c.replicas))
	for i, p := range c.replicas {
		clients[i] = api.New(p.URL, c.token, crew)
		defer clients[i].Close()
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range crew {
		at := (i + round) % len(c.replicas)
		wg.Go(func() {
			err := run(context.WithoutCancel(c.t.Context()), clients[at], i, stop)
			if died := at == victim && errors.Is(err, errNoAnswer); err != nil && !died {
				c.t.Errorf("worker %d at replica %d, %d is killed: %v", i, at, victim, err)
			}
		})
	}
	time.Sleep(minClusterLoad + time.Duration(rng.Int64N(int64(maxClusterLoad-minClusterLoad))))
	c.replicas[victim].Kill()
	if lines := c.replicas[victim].Errors(); len(lines) > 0 {
		c.t.Errorf("replica %d logged errors: %s", victim, lines)
	}
	c.start(victim)
	time.Sleep(aftermath)
	close(stop)
	wg.Wait()
}

// wantPromised finds out what became of the changes under way, and compares what
// every replica shows with the ledgers.
func (c *cluster) wantPromised(crew []*worker, round int) {
	c.t.Helper()
	var wg sync.WaitGroup
	for i, w := range crew {
		at := (i + round) % len(c.replicas)
		wg.Go(func() {
			client := api.New(c.replicas[at].URL, c.token, 1)
			defer client.Close()
			if err := w.settle(c.t.Context(), client); err != nil {
				c.t.Errorf("worker %d: %v", w.id, err)
			}
		})
	}
	wg.Wait()
	for i, w := range crew {
		at := (i + round) % len(c.replicas)
		wg.Go(func() {
			client := api.New(c.replicas[at].URL, c.token, 1)
			defer client.Close()
			in := &inspector{ctx: c.t.Context(), c: client}
			if i < len(c.replicas) {
				in.lists(crew)
			}
			in.records(w)
			for _, problem := range in.problems {
				c.t.Errorf("replica %d: %s", at, problem)
			}
		})
	}
	wg.Wait()
}
