package faults

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/process"
	"orgd/test/seed"
)

const (
	// department is where the agents of the workers are.
	department = "the crew"
	workers    = 8
	// Load lasts this long before the process is killed, at random.
	minLoad, maxLoad = 10 * time.Millisecond, 150 * time.Millisecond
	// maxStumble is how long the process lives that is killed again while it
	// starts.
	maxStumble = 60 * time.Millisecond
)

// maxRestart is how long a start after a crash may take.
var maxRestart = size(20*time.Second, 2*time.Second)

// TestKilledServiceKeepsItsPromises kills the service again and again while
// clients change all kinds of things, and compares what is there after each
// restart with what the clients were told.
//
// A killed process loses what it had not handed to the operating system; what a
// power cut would take beyond that cannot be tried this way.
func TestKilledServiceKeepsItsPromises(t *testing.T) {
	t.Parallel() // it waits
	kills := size(10, 200)
	rng := seed.Rand(t)
	s := serve(t)
	crew := s.hireCrew(rng)
	var slowest time.Duration
	for range kills {
		s.load(crew, loadTime(rng))
		if rng.IntN(3) == 0 {
			s.stumble(upTo(rng, maxStumble))
		}
		s.start()
		if slowest = max(slowest, s.ReadyAfter); s.ReadyAfter > maxRestart {
			late(t, nil, s.ReadyAfter, "ready %s after the start, want at most %s", s.ReadyAfter, maxRestart)
		}
		s.wantPromised(crew)
		if t.Failed() {
			return // what follows would only repeat it
		}
	}
	for _, problem := range strangers(t.Context(), s.client(1), crew) {
		t.Error(problem)
	}
	s.terminate()
	wantWhole(t, s.dir)
	t.Logf("%d kills; slowest restart %s; %s", kills, slowest.Round(time.Millisecond), tally(crew))
}

// TestKilledAroundAPublication kills the service at each named point between a commit and the
// answers to it. After a restart the change is there if it was committed.
func TestKilledAroundAPublication(t *testing.T) {
	t.Parallel() // it waits
	program, err := failing()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t)
	crew := s.hireCrew(seed.Rand(t))
	kills := 0
	for range size(2, 20) {
		for point, committed := range map[string]bool{"commit.before": false, "commit.after": true, "published": true} {
			s.dieAt(program, point, crew[kills%len(crew)], committed)
			s.wantPromised(crew)
			if kills++; t.Failed() {
				return
			}
		}
	}
	s.terminate()
	wantWhole(t, s.dir)
	t.Logf("R4: %d kills at named points; %s", kills, tally(crew))
}

// dieAt lets a worker change things until the service dies at a point, and starts it again. The
// change under way is to be there or not.
func (s *service) dieAt(program, point string, w *worker, committed bool) {
	s.t.Helper()
	s.terminate()
	victim, err := process.Serve(s.t.Context(), program, []string{"ORGD_FAILPOINT=" + point}, "--data-dir", s.dir, "--limits", "off")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(victim.Kill)
	c := api.New(victim.URL, s.token, 1)
	defer c.Close()
	if err := w.run(s.t.Context(), c); !errors.Is(err, errNoAnswer) {
		s.t.Fatalf("the change = %v, want the death of the process at %s", err, point)
	}
	<-victim.Ended()
	s.start()
	switch a, err := w.pending.happened(s.t.Context(), s.client(1)); {
	case err != nil:
		s.t.Error(err)
	case (a != nil) != committed:
		s.t.Errorf("%s %s: after a death at %s it is there: %t, want %t", w.pending.request.Method, w.pending.request.Path, point, a != nil, committed)
	}
}

// hireCrew makes the workers and the department of their agents.
func (s *service) hireCrew(rng *rand.Rand) []*worker {
	s.t.Helper()
	return hireCrew(s.t, s.client(1), rng)
}

func hireCrew(t *testing.T, c *api.Client, rng *rand.Rand) []*worker {
	t.Helper()
	must(t, c, api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": department}}, nil)
	crew := make([]*worker, workers)
	for i := range crew {
		crew[i] = newWorker(i, rng.Uint64())
	}
	return crew
}

// loadTime chooses how long load lasts.
func loadTime(rng *rand.Rand) time.Duration {
	return minLoad + time.Duration(rng.Int64N(int64(maxLoad-minLoad)))
}

// load lets the crew work and kills the service after a while.
func (s *service) load(crew []*worker, after time.Duration) {
	s.t.Helper()
	s.killUnder(after, len(crew), func(ctx context.Context, c *api.Client, i int) error { return crew[i].run(ctx, c) })
}

// killUnder lets clients run and kills the service after a while. They are to
// run until they get no answer, and to get one as long as the service lives.
func (s *service) killUnder(after time.Duration, clients int, run func(ctx context.Context, c *api.Client, i int) error) {
	s.t.Helper()
	c := api.New(s.URL, s.token, clients)
	defer c.Close()
	var dying atomic.Bool
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			err := run(context.WithoutCancel(s.t.Context()), c, i)
			if !errors.Is(err, errNoAnswer) || !dying.Load() {
				s.t.Errorf("client %d: %v", i, err)
			}
		})
	}
	time.Sleep(after)
	dying.Store(true)
	s.Kill()
	wg.Wait()
	s.wantCleanLog()
}

// wantPromised finds out what became of the changes under way and compares what
// is there with the ledgers.
func (s *service) wantPromised(crew []*worker) {
	s.t.Helper()
	c := api.New(s.URL, s.token, 1)
	defer c.Close()
	s.settle(c, crew)
	for _, problem := range inspect(s.t.Context(), c, crew) {
		s.t.Error(problem)
	}
}

// settle finds out what became of the changes under way.
func (s *service) settle(c *api.Client, crew []*worker) {
	s.t.Helper()
	for _, w := range crew {
		if err := w.settle(s.t.Context(), c); err != nil {
			s.t.Errorf("worker %d: %v", w.id, err)
		}
	}
}
