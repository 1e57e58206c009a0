package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/seed"
)

const (
	streamPath = "/activities/stream"
	// reporters report events while followers stream them and pagers page
	// through the feed.
	reporters, followers, pagers = 20, 6, 2
	// reportSize is how many events are reported at once.
	reportSize = 25
	// maxLag is how long a follower may take to see what was reported last.
	maxLag = time.Minute
)

// TestStreamLosesNothing has many clients report events while others follow
// them, leave at random and come back: each sees every event once, and all see
// them in one order.
func TestStreamLosesNothing(t *testing.T) {
	t.Parallel() // it waits
	s := serve(t)
	r := newFeedRun(t, seed.Rand(t))
	r.serveBy(s.client(64))
	r.run(size(5_000, 1_000_000), nil)
}

// TestStreamSurvivesKills is the same while the service is killed again and
// again: what was answered is never lost, also for those who follow.
func TestStreamSurvivesKills(t *testing.T) {
	t.Parallel() // it waits
	rng := seed.Rand(t)
	s := serve(t)
	r := newFeedRun(t, rng)
	r.serveBy(s.client(64))
	r.run(size(4_000, 200_000), func() {
		for range size(4, 40) {
			time.Sleep(minLoad*10 + time.Duration(rng.Int64N(int64(maxLoad)*3)))
			s.Kill()
			s.start()
			r.serveBy(s.client(64))
		}
	})
}

// TestStreamOnReplicas reports to three replicas and follows on all of them,
// while they are killed one after the other.
func TestStreamOnReplicas(t *testing.T) {
	rng := seed.Rand(t)
	c := startCluster(t, clusterSize, mongoURI(t))
	r := newFeedRun(t, rng)
	serve := func() { r.serveBy(c.clients(c.token, 64)...) }
	serve()
	r.run(size(4_000, 200_000), func() {
		for n := range size(3, 30) {
			time.Sleep(maxClusterLoad)
			i := n % clusterSize
			c.replicas[i].Kill()
			c.start(i)
			serve()
		}
		time.Sleep(underWay)
	})
	c.wantCleanLogs()
}

// feedRun has clients that report and clients that follow.
type feedRun struct {
	ways
	t     *testing.T
	rng   *rand.Rand
	start string // the id that all followers begin behind
	last  string // the event that all followers end with

	mu       sync.Mutex
	answered map[string]bool // events that were taken in
	unsure   map[string]bool // events whose report was not answered
	ended    int             // streams that the service has ended
	broken   int             // streams that could not be had, or broke off

	reading sync.WaitGroup
	seen    [][]string // by each follower, when reading is done
}

func newFeedRun(t *testing.T, rng *rand.Rand) *feedRun {
	return &feedRun{t: t, rng: rng, answered: map[string]bool{}, unsure: map[string]bool{}}
}

// ways are the clients that reach the service at the moment. They change when a
// process is started again.
type ways struct {
	mu  sync.Mutex
	all []*api.Client
}

// serveBy says which ones there are from now on.
func (w *ways) serveBy(clients ...*api.Client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = clients
}

// replica returns one of them.
func (w *ways) replica(rng *rand.Rand) *api.Client {
	w.mu.Lock()
	defer w.mu.Unlock()
	return pick(rng, w.all)
}

// run has about n events reported. disturb, if there is one, runs beside it.
func (r *feedRun) run(n int, disturb func()) {
	r.t.Helper()
	ctx, stop := context.WithCancel(r.t.Context())
	defer stop()
	r.begin(ctx)
	r.followAll(ctx)
	for range pagers {
		rng := rand.New(rand.NewPCG(r.rng.Uint64(), 0))
		r.reading.Go(func() { r.page(ctx, rng) })
	}
	var writing sync.WaitGroup
	begun := time.Now()
	for range reporters {
		rng := rand.New(rand.NewPCG(r.rng.Uint64(), 0))
		writing.Go(func() {
			for range n / reporters / reportSize {
				r.report(ctx, rng, reportSize)
			}
		})
	}
	if disturb != nil {
		disturb()
	}
	writing.Wait()
	took := time.Since(begun)
	r.end(ctx, stop)
	r.t.Logf("R21: %d events by %d reporters in %s, %d followers, %d reports without an answer; the last follower was through %s later",
		len(r.seen[0]), reporters, took.Round(time.Millisecond), followers, len(r.unsure)/reportSize, (time.Since(begun) - took).Round(time.Millisecond))
}

// begin hires the agent that is reported on and finds the id behind that.
func (r *feedRun) begin(ctx context.Context) {
	r.t.Helper()
	events := r.open(ctx)
	defer events.Close()
	hireOne(r.t, r.replica(r.rng), "reported")
	for range 2 {
		for b := (api.Event{}); b.Data == ""; r.start = b.ID {
			var err error
			if b, err = events.Next(); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

// open opens a stream and finds the id with which it begins.
func (r *feedRun) open(ctx context.Context) *api.Events {
	r.t.Helper()
	events, err := r.replica(r.rng).Follow(ctx, streamPath, "")
	if err != nil {
		r.t.Fatal(err)
	}
	first, err := events.Next() // the stream has begun
	if err != nil {
		r.t.Fatal(err)
	}
	r.start = first.ID
	return events
}

// followAll has clients follow until ctx ends, or the last event has come.
func (r *feedRun) followAll(ctx context.Context) {
	r.last = randomID(r.rng)
	r.seen = make([][]string, followers)
	for i := range r.seen {
		rng := rand.New(rand.NewPCG(r.rng.Uint64(), 0))
		r.reading.Go(func() { r.seen[i] = r.follow(ctx, rng) })
	}
}

// report reports n events and writes down what is known of them.
func (r *feedRun) report(ctx context.Context, rng *rand.Rand, n int) {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = randomID(rng)
	}
	r.reportAs(ctx, rng, ids)
}

func (r *feedRun) reportAs(ctx context.Context, rng *rand.Rand, ids []string) bool {
	var events []map[string]any
	for _, id := range ids {
		events = append(events, map[string]any{
			"id": id, "event_type": "tool_used", "agent": "reported", "data": map[string]any{"tool": "hammer", "success": true},
		})
	}
	a, err := r.replica(rng).Do(ctx, api.Request{Method: http.MethodPost, Path: "/activities", Body: map[string]any{"events": events}})
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.answered
	switch {
	case err != nil:
		known = r.unsure
		time.Sleep(time.Millisecond) // the service may be gone
	case a.Status != http.StatusCreated:
		r.t.Errorf("reporting: %v", a.Err())
	}
	for _, id := range ids {
		known[id] = true
	}
	return err == nil
}

// end reports the last event, and compares what the followers have seen when all
// of them have seen that. stop is to end ctx.
func (r *feedRun) end(ctx context.Context, stop func()) {
	r.t.Helper()
	for ctx.Err() == nil && !r.reportAs(ctx, r.rng, []string{r.last}) {
	}
	late := time.AfterFunc(maxLag, stop)
	defer late.Stop()
	r.reading.Wait()
	r.wantSame(r.seen)
}

// follow streams until the last event, and leaves after a few again and again.
func (r *feedRun) follow(ctx context.Context, rng *rand.Rand) (seen []string) {
	for at := r.start; ctx.Err() == nil; {
		events, err := r.replica(rng).Follow(ctx, streamPath, at)
		if err != nil {
			r.note(err)
			time.Sleep(10 * time.Millisecond) // the service may be gone
			continue
		}
		var ids []string
		ids, at = r.some(events, at, 1+rng.IntN(500))
		if err := events.Close(); err != nil {
			r.t.Errorf("leave a stream: %v", err)
		}
		if seen = append(seen, ids...); len(seen) > 0 && seen[len(seen)-1] == r.last {
			return seen
		}
	}
	r.t.Errorf("a follower has seen %d events and not the last one", len(seen))
	return seen
}

// some reads at most n events, and less if the stream ends. It returns the id to
// come back with.
func (r *feedRun) some(events *api.Events, at string, n int) (ids []string, _ string) {
	for len(ids) < n {
		b, err := events.Next()
		if err != nil {
			r.note(err)
			break
		}
		if at = b.ID; b.Data == "" {
			continue
		}
		var e struct{ ID string }
		if err := json.Unmarshal([]byte(b.Data), &e); err != nil || b.Type != "" {
			r.t.Errorf("event %+v: %v", b, err)
		}
		if ids = append(ids, e.ID); e.ID == r.last {
			break
		}
	}
	return ids, at
}

// note counts how a stream has ended that its follower had not left.
func (r *feedRun) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(err, io.EOF) {
		r.ended++
	} else {
		r.broken++
	}
}

// page walks through the feed again and again: each time all events are there
// that had been answered before, and none twice.
func (r *feedRun) page(ctx context.Context, rng *rand.Rand) {
	for last := false; !last && ctx.Err() == nil; {
		r.mu.Lock()
		known := maps.Clone(r.answered)
		r.mu.Unlock()
		last = known[r.last]
		time.Sleep(time.Second) // until replicas have to show what they answered
		type row struct{ ID string }
		rows, err := api.All[row](ctx, r.replica(rng), "/activities", nil)
		if err != nil {
			last = false
			continue // the service may be gone
		}
		shown := map[string]bool{}
		for _, row := range rows {
			if shown[row.ID] {
				r.t.Errorf("event %s stands twice in the feed", row.ID)
			}
			shown[row.ID] = true
			delete(known, row.ID)
		}
		if len(known) > 0 {
			r.t.Errorf("%d of %d events that were answered are not in the feed", len(known), len(known)+len(shown))
		}
	}
}

// wantSame checks that all followers have seen the same: every event that was
// answered, once, and of the others each or not.
func (r *feedRun) wantSame(seen [][]string) {
	r.t.Helper()
	for i, ids := range seen {
		if !slices.Equal(ids, seen[0]) {
			r.t.Errorf("follower %d differs from the first: %s", i, firstDifference(ids, seen[0]))
		}
	}
	missing := maps.Clone(r.answered)
	twice := map[string]bool{}
	for _, id := range seen[0] {
		if twice[id] {
			r.t.Errorf("event %s came twice", id)
		}
		if twice[id] = true; !r.answered[id] && !r.unsure[id] {
			r.t.Errorf("event %s came, which nobody has reported", id)
		}
		delete(missing, id)
	}
	if len(missing) > 0 {
		r.t.Errorf("%d of %d events that were answered never came", len(missing), len(r.answered))
	}
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("event %d is %s and %s", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d and %d events", len(a), len(b))
}
