package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/faultproxy"
	"orgd/test/redisserver"
	"orgd/test/seed"
)

const (
	// mixedRate is how many requests there are each second, beside mixedFollowers
	// of the stream. Replicas, whose servers share the machine with them, get fewer.
	mixedRate, replicasRate, mixedFollowers = 100, 40, 4
	// stillTime is how long a service without requests is looked at, at least and
	// at most, until it is known what it keeps.
	stillTime, maxStillTime = 2 * time.Second, 20 * time.Second
)

// growth is by how much a figure may grow while one process serves, as the
// straight line through its values has it: by a share of what it was, and more.
type growth struct {
	metric      string
	share, more float64
	unit        float64
}

// maxGrowth are the bounds of the mixed load. Resident memory has the pages of the
// database that SQLite keeps, up to 32 MiB, and more of them as the database grows.
// Replicas keep connections to their servers, in pools that fill for a while.
var maxGrowth = []growth{
	{"go_goroutines", 0.05, float64(size(50, 10)), 1},
	{descriptors, 0.05, float64(size(50, 10)), 1},
	{"go_memstats_heap_alloc_bytes", 0.1, 6 << 20, 1 << 20},
	{"process_resident_memory_bytes", 0.1, (32 + 16) << 20, 1 << 20},
}

const (
	descriptors = "process_open_fds"
	// mongoPool is how many connections to MongoDB a replica may have, and
	// redisPool how many to Redis, which nobody can set.
	mongoPool = 20
)

var redisPool = 10 * runtime.GOMAXPROCS(0)

// collections is how often the memory of a process has been collected.
const collections = "go_gc_duration_seconds_count"

// TestMixedLoad has clients do all kinds of things for half an hour, with a fault
// every minute: clients that leave, connections that are cut, answers that are
// lost, one stop and one kill. When each is over, nothing of it is left: the
// heap, the goroutines and the open files stay what they were.
func TestMixedLoad(t *testing.T) {
	t.Parallel() // it waits
	minutes := size(4, 30)
	if testing.Short() {
		minutes = 2
	}
	s := serve(t)
	hireVisited(t, s.client(1))
	l := newMixedLoad(t, seed.Rand(t), mixedRate)
	lives := 0 // of processes
	for n := range minutes {
		proxy := faultproxy.Start(t, strings.TrimPrefix(s.URL, "http://"))
		l.clients = []*api.Client{s.client(trafficConns), api.New("http://"+proxy.Addr(), s.token, trafficConns)}
		fault := []struct {
			name        string
			fault, heal func()
		}{
			{"clients leave", func() { l.leave(s.URL, s.token) }, func() {}},
			{"connections are cut", proxy.Cut, proxy.Pass},
			{"answers are lost", proxy.DropReplies, proxy.Pass},
		}[n%3]
		switch n {
		case minutes / 6:
			fault.name, fault.fault, fault.heal = "stop", s.terminate, func() { s.start() }
		case minutes / 3:
			fault.name, fault.fault, fault.heal = "kill", s.Kill, func() { s.start() }
		}
		before := s.Process
		l.disturb(fault.name, fault.fault, fault.heal)
		if s.Process != before {
			lives++
			l.clients = []*api.Client{s.client(trafficConns)}
		}
		l.calm()
		l.still(fmt.Sprint("life ", lives), s.URL, s.token)
	}
	l.wantFlat()
}

// TestMixedLoadOnReplicas is the same on three replicas, of which the first is
// killed, and which lose their Redis and their storage.
func TestMixedLoadOnReplicas(t *testing.T) {
	minutes := size(3, 30)
	store, uri := through(t, mongoURI(t))
	redis := faultproxy.Start(t, redisserver.Start(t).Addr)
	c := startCluster(t, clusterSize, uri, "--redis-addr", redis.Addr(), "--mongo-max-pool", fmt.Sprint(mongoPool))
	c.hireVisited()
	l := newMixedLoad(t, seed.Rand(t), replicasRate)
	l.pools = mongoPool + redisPool
	for n := range minutes {
		l.clients = c.clients(c.token, trafficConns)
		switch n % 3 {
		case 0:
			l.disturb("kill", c.replicas[0].Kill, func() { c.start(0) })
		case 1:
			l.disturb("Redis is cut off", redis.Cut, redis.Pass)
		case 2:
			l.disturb("MongoDB is cut off", store.Cut, store.Pass)
		}
		c.await("ready", historyReady, isReady)
		l.clients = c.clients(c.token, trafficConns)
		l.calm()
		for i, p := range c.replicas {
			who := fmt.Sprint("replica ", i)
			if i == 0 {
				who = fmt.Sprint("replica 0, life ", n/3)
			}
			l.still(who, p.URL, c.token)
		}
	}
	l.wantFlat()
}

// mixedLoad is a load and what the processes keep of it.
type mixedLoad struct {
	t       *testing.T
	rng     *rand.Rand // of the requests
	leaving *rand.Rand // of those whose clients leave
	rate    int
	part    time.Duration // of a minute: a fault begins after the first one
	clients []*api.Client
	pools   int // connections to servers that a process may keep

	requests, refused, unanswered, streams int
	n                                      int // numbers the requests
	lives                                  []string
	kept                                   map[string][]map[string]float64 // by each life, in the order of time
}

func newMixedLoad(t *testing.T, rng *rand.Rand, rate int) *mixedLoad {
	return &mixedLoad{
		t: t, rng: rng, rate: rate, leaving: rand.New(rand.NewPCG(rng.Uint64(), 0)),
		part: time.Duration(size(1, 20)) * time.Second, kept: map[string][]map[string]float64{},
	}
}

// next is the mix: of twenty requests eleven read an agent or lists, figures and
// histories, one reports events, one changes an agent, one hires one and one
// dismisses it, two are about the document of the organization.
func (l *mixedLoad) next(int) api.Request {
	l.n++
	n := l.n
	get := func(path string) api.Request { return api.Request{Method: http.MethodGet, Path: path} }
	passing := fmt.Sprintf("passing %d", n/20)
	document := object{"format": 1, "departments": []object{{"name": "reception"}}, "agents": []object{
		{"name": "documented", "role": "receptionist", "department": "reception", "instructions": fmt.Sprintf("Say %d.\n", n/60)},
	}}
	switch n % 20 {
	case 1:
		return api.Request{Method: http.MethodPatch, Path: visitedPath(n / 20), Body: object{"description": fmt.Sprint("change ", n)}}
	case 3:
		return api.Request{Method: http.MethodPost, Path: "/activities", Body: object{"events": events(l.rng, 5)}}
	case 5:
		return api.Request{Method: http.MethodPost, Path: "/agents", Body: object{"name": passing, "role": "temp", "department": "reception"}}
	case 15:
		return api.Request{Method: http.MethodDelete, Path: api.Path("agents", passing)}
	case 7:
		return get("/agents?limit=50")
	case 8:
		return get("/activities?limit=50")
	case 9:
		return get("/departments/reception/health")
	case 11:
		return get(visitedPath(n/20) + "/performance")
	case 12:
		return get(visitedPath(n/20) + "/history")
	case 13:
		return get("/audit?limit=50")
	case 17:
		return get("/organization")
	case 18:
		to := "plan"
		if n/20%3 == 0 {
			to = "apply"
		}
		return api.Request{Method: http.MethodPost, Path: "/organization/" + to, Body: document}
	default:
		return get(visitedPath(l.rng.IntN(visited)))
	}
}

func events(rng *rand.Rand, n int) []object {
	all := make([]object, n)
	for i := range all {
		id := randomID(rng)
		all[i] = object{
			"id": id, "event_type": "task_completed", "agent": fmt.Sprintf("visited %d", rng.IntN(visited)),
			"data": object{"task_id": id, "success": true, "cost": 0.25},
		}
	}
	return all
}

// start starts requests and followers, until the returned function is called.
func (l *mixedLoad) start() (end func() visits) {
	ctx, stop := context.WithCancel(context.WithoutCancel(l.t.Context()))
	var following sync.WaitGroup
	streams := make([]int, mixedFollowers)
	for i := range streams {
		rng := rand.New(rand.NewPCG(l.rng.Uint64(), 0))
		following.Go(func() { streams[i] = follow(ctx, pick(rng, l.clients), rng) })
	}
	tr := startTraffic(l.t, l.clients, l.rate, l.next)
	return func() visits {
		all := tr.end()
		stop()
		following.Wait()
		for _, n := range streams {
			l.streams += n
		}
		for _, c := range l.clients {
			c.Close()
		}
		l.requests += len(all)
		l.refused += all.count(func(v visit) bool { return v.err == nil && v.answer.Status == http.StatusServiceUnavailable })
		l.unanswered += all.count(func(v visit) bool { return v.err != nil })
		return all
	}
}

// follow follows the stream and leaves it after some seconds at most, over and
// over. It returns how often it was let in.
func follow(ctx context.Context, c *api.Client, rng *rand.Rand) (n int) {
	for ctx.Err() == nil {
		stay, leave := context.WithTimeout(ctx, time.Duration(1+rng.IntN(4000))*time.Millisecond)
		if events, err := c.Follow(stay, streamPath, ""); err == nil {
			for n++; err == nil; {
				_, err = events.Next()
			}
			_ = events.Close() // the connection is gone, one way or the other
		} else {
			time.Sleep(historyRest)
		}
		leave()
	}
	return n
}

// disturb puts a fault under load. Until it begins every request is answered; it
// never makes the service fail otherwise than by saying that it is unavailable.
func (l *mixedLoad) disturb(name string, fault, heal func()) {
	l.t.Helper()
	end := l.start()
	time.Sleep(l.part)
	fault()
	time.Sleep(l.part / 2)
	heal()
	all := end()
	all.want(l.t, func(v visit) bool { return sound(v) || v.err != nil && v.begun+v.took >= l.part })
	l.t.Logf("mixed load: %s: %d requests, %d without an answer", name, len(all), all.count(func(v visit) bool { return v.err != nil }))
}

// calm puts the service under load without a fault.
func (l *mixedLoad) calm() {
	l.t.Helper()
	end := l.start()
	time.Sleep(l.part)
	all := end()
	all.want(l.t, sound)
	if n := all.count(succeeded); n == 0 || size(0, 1) == 1 && n < len(all)/2 {
		l.t.Errorf("%d of %d requests succeeded when the fault was over", n, len(all))
	}
}

// sound reports an answer that the load may get: of the name that somebody has
// not created while the service was away, for example. A document that cannot be
// read to its end is cut, as 503 cannot be said any more.
func sound(v visit) bool {
	cut := v.request.Path == "/organization" && errors.Is(v.err, io.ErrUnexpectedEOF)
	return cut || v.err == nil && (v.answer.Status < http.StatusInternalServerError || v.answer.Status == http.StatusServiceUnavailable)
}

// leave sends requests without waiting for their answers.
func (l *mixedLoad) leave(url, token string) {
	l.t.Helper()
	for n := range int(l.part.Seconds() * 20) {
		r := api.Request{Method: http.MethodPost, Path: "/activities", Key: randomID(l.leaving), Body: object{"events": events(l.leaving, 1)}}
		if err := sendAndLeave(url, token, r, time.Duration(1+n%10)*time.Millisecond); err != nil {
			l.t.Errorf("client that leaves: %v", err)
		}
	}
}

// still notes what a process without requests keeps: the least of each figure
// until its memory has been collected twice.
func (l *mixedLoad) still(life, url, token string) {
	l.t.Helper()
	c := api.New(url, token, 1)
	defer c.Close()
	names := []string{collections}
	for _, g := range maxGrowth {
		names = append(names, g.metric)
	}
	least := scrape(l.t, c, names...)
	first := least[collections]
	for begin := time.Now(); ; {
		now := scrape(l.t, c, names...)
		for name, value := range now {
			least[name] = min(least[name], value)
		}
		still := time.Since(begin)
		if still > maxStillTime || still > stillTime && now[collections] >= first+2 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if l.kept[life] == nil {
		l.lives = append(l.lives, life)
	}
	l.kept[life] = append(l.kept[life], least)
}

// wantFlat wants the figures of every process to stay within their bounds.
func (l *mixedLoad) wantFlat() {
	l.t.Helper()
	for _, life := range l.lives {
		for _, g := range maxGrowth {
			values := make([]float64, len(l.kept[life]))
			for i, kept := range l.kept[life] {
				values[i] = kept[g.metric] / g.unit
			}
			from, to := trend(values)
			most := from*g.share + g.more/g.unit
			if g.metric == descriptors {
				most += float64(l.pools)
			}
			if to-from > most {
				l.t.Errorf("mixed load: %s: %s goes from %.1f to %.1f, want %.1f more at most: %.1f", life, g.metric, from, to, most, values)
			}
			l.t.Logf("mixed load: %s: %s %.1f to %.1f in %d samples, trend %.1f to %.1f", life, g.metric, values[0], values[len(values)-1], len(values), from, to)
		}
	}
	l.t.Logf("mixed load: %d requests, %d refused, %d without an answer; %d streams", l.requests, l.refused, l.unanswered, l.streams)
}

// trend is where the straight line through values begins and ends.
func trend(values []float64) (from, to float64) {
	n := float64(len(values))
	var sx, sy, sxx, sxy float64
	for i, y := range values {
		x := float64(i)
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if len(values) < 2 {
		return sy / max(n, 1), sy / max(n, 1)
	}
	slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	from = (sy - slope*sx) / n
	return from, from + slope*(n-1)
}

func TestTrend(t *testing.T) {
	for _, test := range []struct {
		values   []float64
		from, to float64
	}{
		{[]float64{5}, 5, 5},
		{[]float64{1, 2, 3, 4}, 1, 4},
		{[]float64{4, 4, 4}, 4, 4},
		{[]float64{0, 6, 0, 6}, 1.2, 4.8},
	} {
		if from, to := trend(test.values); math.Abs(from-test.from)+math.Abs(to-test.to) > 1e-9 {
			t.Errorf("trend(%v) = %v, %v, want %v, %v", test.values, from, to, test.from, test.to)
		}
	}
}
