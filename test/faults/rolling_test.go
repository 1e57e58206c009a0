package faults

import (
	"context"
	crypto "crypto/rand"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/redisserver"
	"orgd/test/seed"
)

const (
	// rollingRate is how many requests there are each second while replicas are
	// restarted, and changeRate how many of them change something: as many as the
	// storage of a small machine takes easily, since it is not what is tried.
	rollingRate, changeRate = 300, 20
	// rollingDrain is what deployments/compose sets.
	rollingDrain = "3s"
)

// TestRollingRestart asks one replica after the other to end and starts it again,
// behind a load balancer, while clients read, change, report and follow. No
// request fails or has to be asked twice, and no stream breaks off.
func TestRollingRestart(t *testing.T) {
	program := haproxy(t)
	rounds, pause := size(2, 20), time.Duration(size(0, 20))*time.Second
	c := startCluster(t, clusterSize, mongoURI(t), "--drain-delay", rollingDrain,
		"--redis-addr", redisserver.Shared(t), "--redis-prefix", crypto.Text()[:16])
	b := c.balance(program)
	l := startRolling(t, b, seed.Rand(t))
	for range rounds {
		c.restartAll(b, pause)
	}
	took := time.Since(l.reads.begin)
	reads := l.end()
	fail := func(format string, args ...any) { c.late(took, format, args...) }
	reads.judge(fail, succeeded)
	b.wantSmooth(fail)
	if len(l.failed) > 0 {
		fail("%d workers had to stop: %v", len(l.failed), l.failed)
		return // what they have done last is not known
	}
	c.wantPromised(l.crew, 0)
	l.wantFollowed()
	c.wantCleanLogs()
	all := len(reads) + l.changes
	if all < int(took.Seconds())*rollingRate/3 {
		c.late(took, "there were only %d requests in %s", all, took)
	}
	t.Logf("R11: %d restarts in %s; %.0f requests a second, %d of them changes; %d of the reads failed, the others within %s (99 %%) and %s (all); %s; %d streams ended and were taken up again",
		rounds*clusterSize, took.Round(time.Second), float64(all)/took.Seconds(), l.changes, len(reads)-reads.count(succeeded), reads.p99().Round(time.Millisecond),
		reads.slowest(succeeded).Round(time.Millisecond), tally(l.crew), l.feed.ended)
}

// restartAll asks each replica to end and starts it again. The next one has to
// wait until that is given requests, and for the pause.
func (c *cluster) restartAll(b *balancer, pause time.Duration) {
	c.t.Helper()
	for i, p := range c.replicas {
		time.Sleep(pause)
		if code, err := p.Terminate(); code != 0 || err != nil {
			c.t.Errorf("Terminate = %d, %v, want 0 and no error", code, err)
		}
		c.wantCleanLog(i, p)
		c.start(i)
		b.lead(i, c.replicas[i].URL)
		b.awaitUp()
	}
}

// rolling are the clients of replicas that are restarted.
type rolling struct {
	*testing.T
	b     *balancer
	reads *traffic
	// end stops all clients but those that follow, and returns what was read.
	end func() visits

	crew    []*worker
	changes int // that the crew has made

	mu     sync.Mutex
	failed []error // of the workers, who stop then

	feed      *feedRun
	following context.Context
	leave     func() // ends following
}

// startRolling has clients read, change things and follow the events of that.
func startRolling(t *testing.T, b *balancer, rng *rand.Rand) *rolling {
	t.Helper()
	l := &rolling{T: t, b: b, feed: newFeedRun(t, rng)}
	clients := b.clients()
	l.feed.serveBy(clients...)
	l.following, l.leave = context.WithCancel(t.Context())
	if err := l.feed.open(l.following).Close(); err != nil {
		t.Fatal(err)
	}
	l.feed.followAll(l.following)
	l.crew = hireCrew(t, clients[0], rng)
	look := size(looking, lookingOn)
	for i, w := range l.crew { // what is done for the first time may take the storage long
		must(t, clients[0], look(i), nil)
		if err := w.do(t.Context(), clients[0], w.next()); err != nil {
			t.Fatalf("worker %d: %v", i, err)
		}
	}
	l.reads = startTraffic(t, b.clients(), rollingRate-changeRate, look)
	stop := make(chan struct{})
	var working sync.WaitGroup
	working.Go(func() { l.work(clients, stop) })
	l.end = sync.OnceValue(func() visits {
		close(stop)
		working.Wait()
		return l.reads.end()
	})
	t.Cleanup(func() { // before the replicas go
		l.end()
		l.leave()
		l.feed.reading.Wait()
	})
	return l
}

// work has the crew change things at a steady rate, as long as some of them are
// free, until stop is closed.
func (l *rolling) work(clients []*api.Client, stop <-chan struct{}) {
	turns := make(chan struct{})
	var working sync.WaitGroup
	for i, w := range l.crew {
		working.Go(func() {
			for range turns {
				if err := w.do(context.WithoutCancel(l.Context()), clients[i%len(clients)], w.next()); err != nil {
					l.mu.Lock()
					l.failed = append(l.failed, fmt.Errorf("worker %d: %w", i, err))
					l.mu.Unlock()
					return
				}
			}
		})
	}
	atRate(changeRate, stop, func(int) {
		select {
		case turns <- struct{}{}:
			l.changes++
		default: // all are busy
		}
	})
	close(turns)
	working.Wait()
}

const feedPage = "/activities?limit=5"

// looking is traffic that changes nothing, and of which a third asks the storage.
func looking(n int) api.Request {
	paths := []string{"/capabilities", "/agents?limit=5", "/auth/me", "/capabilities", "/projects?limit=5", "/auth/me", "/capabilities", feedPage, "/auth/me"}
	return api.Request{Method: http.MethodGet, Path: paths[n%len(paths)]}
}

// lookingOn is looking for twenty minutes, in which the storage comes to have
// many times as much: a ninth asks it, and never for a page of all events. The
// server that stands in for MongoDB reads all that such a page may have, and
// shares the processors of one small machine with everything else.
func lookingOn(n int) api.Request {
	r := looking(n)
	switch {
	case n%3 == 1 && n/9%3 > 0:
		r.Path = "/capabilities"
	case r.Path == feedPage:
		r.Path = "/departments?limit=5"
	}
	return r
}

// wantFollowed wants that all who followed have seen what is in the feed, and
// that no stream has ended but for the end of a replica.
func (l *rolling) wantFollowed() {
	l.Helper()
	client := l.b.clients()[0]
	hireOne(l.T, client, "reported")
	time.Sleep(time.Second) // until replicas have to show what they answered
	rows, err := api.All[eventView](l.Context(), client, "/activities", nil)
	if err != nil {
		l.Fatal(err)
	}
	for _, e := range rows {
		l.feed.answered[e.ID] = true
	}
	l.feed.end(l.following, l.leave)
	if l.feed.ended == 0 || l.feed.broken > 0 {
		l.Errorf("%d streams were ended by a replica and %d broke off, want some and none", l.feed.ended, l.feed.broken)
	}
}
