package faults

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
)

// visit is one request of the traffic and what came of it.
type visit struct {
	request api.Request
	begun   time.Duration // since the traffic began
	took    time.Duration
	answer  api.Answer
	err     error
}

// traffic are requests that come at a steady rate, to all replicas by turns,
// whether or not earlier ones are answered.
type traffic struct {
	begin time.Time
	stop  chan struct{}
	wg    sync.WaitGroup

	mu     sync.Mutex
	visits []visit
}

// trafficConns is how many connections each replica is kept.
const trafficConns = 100

// startTraffic makes so many requests each second until it is ended.
func (c *cluster) startTraffic(each int, next func(n int) api.Request) *traffic {
	clients := make([]*api.Client, len(c.replicas))
	for i, p := range c.replicas {
		clients[i] = api.New(p.URL, c.token, trafficConns)
	}
	return startTraffic(c.t, clients, each, next)
}

// startTraffic is the same by any clients, which it closes in the end.
func startTraffic(t *testing.T, clients []*api.Client, each int, next func(n int) api.Request) *traffic {
	tr := &traffic{begin: time.Now(), stop: make(chan struct{})}
	ctx := context.WithoutCancel(t.Context())
	tr.wg.Go(func() {
		var running sync.WaitGroup
		atRate(each, tr.stop, func(n int) {
			r := next(n)
			running.Go(func() { tr.visit(ctx, clients[n%len(clients)], r) })
		})
		running.Wait()
		for _, client := range clients {
			client.Close()
		}
	})
	return tr
}

// atRate does something so many times each second, until stop is closed. What a
// busy machine is late for is left out.
func atRate(each int, stop <-chan struct{}, do func(n int)) {
	tick := time.NewTicker(time.Second / time.Duration(each))
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
			do(n)
		case <-stop:
			return
		}
	}
}

func (tr *traffic) visit(ctx context.Context, c *api.Client, r api.Request) {
	v := visit{request: r, begun: time.Since(tr.begin)}
	v.answer, v.err = c.Do(ctx, r)
	v.took = time.Since(tr.begin) - v.begun
	if v.answer.OK() {
		v.answer = api.Answer{Status: v.answer.Status} // a long run has many of them
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.visits = append(tr.visits, v)
}

// end stops the traffic and returns all of it when everything is answered.
func (tr *traffic) end() visits {
	close(tr.stop)
	tr.wg.Wait()
	return tr.visits
}

type visits []visit

// between are those that were begun in a part of the time.
func (vs visits) between(from, to time.Duration) visits {
	return slices.DeleteFunc(slices.Clone(vs), func(v visit) bool { return v.begun < from || v.begun >= to })
}

// p99 is the time that all but a hundredth took at most.
func (vs visits) p99() time.Duration {
	if len(vs) == 0 {
		return 0
	}
	took := make([]time.Duration, len(vs))
	for i, v := range vs {
		took[i] = v.took
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

// slowest is the longest time that one took for which ok.
func (vs visits) slowest(ok func(visit) bool) (most time.Duration) {
	for _, v := range vs {
		if ok(v) {
			most = max(most, v.took)
		}
	}
	return most
}

// want checks every visit, and shows the first of those that are wrong.
func (vs visits) want(t *testing.T, ok func(visit) bool) {
	t.Helper()
	vs.judge(t.Errorf, ok)
}

// wantServed wants requests to have succeeded of which the last one has just been
// answered. A storage that stood still meanwhile excuses refusals.
func (c *cluster) wantServed(vs visits) {
	c.t.Helper()
	vs.want(c.t, func(v visit) bool { return succeeded(v) || refused(v) })
	vs.judge(func(format string, args ...any) { c.late(vs.lasted(), format, args...) }, func(v visit) bool { return !refused(v) })
}

// lasted is the time from the first request to the last answer.
func (vs visits) lasted() (all time.Duration) {
	for _, v := range vs {
		all = max(all, v.begun+v.took)
	}
	return all
}

// judge reports the visits that are wrong by fail.
func (vs visits) judge(fail func(format string, args ...any), ok func(visit) bool) {
	const shown = 5
	wrong := 0
	for _, v := range vs {
		if ok(v) {
			continue
		}
		if wrong++; wrong <= shown {
			fail("%s %s after %s, %s later: %s", v.request.Method, v.request.Path, v.begun, v.took, v.outcome())
		}
	}
	if wrong > shown {
		fail("%d of %d requests went wrong", wrong, len(vs))
	}
}

func (v visit) outcome() string {
	if v.err != nil {
		return v.err.Error()
	}
	if v.answer.OK() {
		return fmt.Sprint(v.answer.Status)
	}
	return v.answer.Err().Error()
}

// succeeded reports an answer with a success.
func succeeded(v visit) bool { return v.err == nil && v.answer.OK() }

// refused reports the answer of a service without its storage.
func refused(v visit) bool {
	return v.err == nil && v.answer.Status == http.StatusServiceUnavailable && v.answer.Code() == 8001
}

// visited is how many agents there are for the traffic, so that changes seldom
// meet at one of them.
const visited = 50

func visitedPath(n int) string { return api.Path("agents", fmt.Sprintf("visited %d", n%visited)) }

// hireVisited makes the agents that traffic is about.
func (c *cluster) hireVisited() {
	c.t.Helper()
	hireVisited(c.t, c.client(0, 1))
}

func hireVisited(t *testing.T, client *api.Client) {
	t.Helper()
	must(t, client, api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": "reception"}}, nil)
	for n := range visited {
		must(t, client, api.Request{Method: http.MethodPost, Path: "/agents", Body: map[string]any{
			"name": fmt.Sprintf("visited %d", n), "role": "receptionist", "department": "reception",
		}}, nil)
	}
}

// reading is traffic that asks the storage little: half of it nothing, and one
// request in fifty for a change.
func reading(name string) func(n int) api.Request {
	return func(n int) api.Request {
		switch {
		case n%50 == 7:
			return api.Request{Method: http.MethodPatch, Path: visitedPath(n / 50), Body: map[string]any{"description": fmt.Sprint(name, n)}}
		case n%2 == 0:
			return api.Request{Method: http.MethodGet, Path: "/capabilities"}
		default:
			return api.Request{Method: http.MethodGet, Path: visitedPath(n)}
		}
	}
}

// working is traffic of which every fifth request changes something: an agent, or
// the list of projects, with a key or without. Each project has its own name.
func working(name string) func(n int) api.Request {
	return func(n int) api.Request {
		project := map[string]any{"name": fmt.Sprintf("%s %d", name, n)}
		switch n % 15 {
		case 3:
			return api.Request{Method: http.MethodPatch, Path: visitedPath(n / 15), Body: map[string]any{"description": fmt.Sprint(name, n)}}
		case 8:
			return api.Request{Method: http.MethodPost, Path: "/projects", Body: project}
		case 13:
			return api.Request{Method: http.MethodPost, Path: "/projects", Key: strings.ReplaceAll(fmt.Sprint(project["name"]), " ", "-"), Body: project}
		default:
			return api.Request{Method: http.MethodGet, Path: visitedPath(n)}
		}
	}
}

// readiness is what a replica says of itself.
type readiness struct {
	status int
	shared bool
}

// readinessOf asks the replicas.
func (c *cluster) readinessOf(i int) (readiness, error) {
	client := api.New(c.replicas[i].URL, "", 0)
	defer client.Close()
	a, err := client.Do(context.WithoutCancel(c.t.Context()), api.Request{Method: http.MethodGet, Path: "/readyz"})
	if err != nil {
		return readiness{}, err
	}
	var body struct {
		Shared *bool `json:"shared_limits"`
	}
	r := readiness{status: a.Status}
	if a.OK() {
		if err := a.Data(&body); err != nil {
			return r, err
		}
		r.shared = body.Shared != nil && *body.Shared
	}
	return r, nil
}

// readyPoll is how often a replica is asked for its readiness.
const readyPoll = 50 * time.Millisecond

// patience is how much longer than it may take is waited for something, so that
// it is known how late it came.
const patience = 30 * time.Second

// await waits until every replica says of itself what is wanted, and returns how
// long that took. More than most is an error.
func (c *cluster) await(what string, most time.Duration, ok func(readiness) bool) time.Duration {
	c.t.Helper()
	begin := time.Now()
	took := make([]time.Duration, len(c.replicas))
	var wg sync.WaitGroup
	for i := range c.replicas {
		wg.Go(func() {
			for ; ; time.Sleep(readyPoll) {
				r, err := c.readinessOf(i)
				took[i] = time.Since(begin)
				switch {
				case err != nil:
					c.t.Errorf("readiness of replica %d: %v", i, err)
					return
				case ok(r):
					return
				case took[i] > most+patience:
					c.t.Errorf("replica %d says %+v", i, r)
					return
				}
			}
		})
	}
	wg.Wait()
	slowest := slices.Max(took)
	if slowest > most {
		c.late(slowest, "the replicas were %s after %s, want at most %s", what, slowest, most)
	}
	return slowest
}

func isShared(r readiness) bool { return r.shared }
func isLocal(r readiness) bool  { return r.status == http.StatusOK && !r.shared }
func isReady(r readiness) bool  { return r.status == http.StatusOK }
func isLost(r readiness) bool   { return r.status == http.StatusServiceUnavailable }
