package faults

import (
	"bytes"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/faultproxy"
)

const (
	// storeRate is how many requests there are each second.
	storeRate = 100
	// quietTime is how long replicas may take to have nothing to do any more.
	quietTime = 30 * time.Second
)

var (
	// refusalTime is how long a request may take until it is told that the
	// storage is lost.
	refusalTime = size(12*time.Second, 2500*time.Millisecond)
	// noticeTime is how long readiness may take to tell that the storage is lost,
	// or back.
	noticeTime = size(20*time.Second, 5*time.Second)
)

// impatient has the times of a deployment, which the tests of replicas prolong
// where they do not matter.
var impatient = []string{"--mongo-operation-timeout", "2s", "--mongo-connect-timeout", "1s", "--request-timeout", "10s"}

// TestStoreLost takes the storage away from replicas under load, in all ways in
// which it goes. Clients are told so in time, nothing that was acknowledged is
// missing, and nothing of it stays when the storage is back.
func TestStoreLost(t *testing.T) {
	lasts := time.Duration(size(10, 600)) * time.Second
	proxy, uri := through(t, mongoURI(t))
	c := startCluster(t, clusterSize, uri, impatient...)
	c.hireVisited()
	calm := c.storeUnder("calm", lasts/2, func() {}, func() {})
	c.wantServed(calm)
	base := c.goroutines()
	t.Logf("R10: %d requests with the storage, 99 %% within %s; goroutines of the replicas: %v", len(calm), calm.p99().Round(time.Millisecond/10), base)
	for _, f := range []struct {
		name  string
		fault func()
	}{
		{"cut", proxy.Cut},
		{"five seconds slow", func() { proxy.Delay(2500*time.Millisecond, 2500*time.Millisecond) }},
		{"half open", proxy.HalfOpen},
	} {
		t.Run(f.name, func(t *testing.T) { c.in(t).storeLost(f.name, lasts, base, f.fault, proxy.Pass) })
	}
	t.Run("flapping", func(t *testing.T) { c.in(t).storeFlaps(proxy, lasts, base) })
}

// storeUnder lets the fault last for a while under load and returns what came of
// the requests.
func (c *cluster) storeUnder(name string, lasts time.Duration, fault, heal func()) visits {
	c.t.Helper()
	tr := c.startTraffic(storeRate, working(name))
	time.Sleep(time.Second)
	fault()
	time.Sleep(lasts)
	heal()
	time.Sleep(time.Second)
	return tr.end()
}

// storeLost takes the storage away for a while.
func (c *cluster) storeLost(name string, lasts time.Duration, base []int, fault, heal func()) {
	c.t.Helper()
	var lost, back time.Duration
	all := c.storeUnder(name, lasts, func() {
		fault()
		lost = c.await("without storage", noticeTime, isLost)
	}, func() {
		heal()
		back = c.await("ready", noticeTime, isReady)
	})
	c.wantToldInTime(all)
	last := all.between(all[len(all)-1].begun-time.Second/2, math.MaxInt64)
	c.wantServed(last)
	quiet := c.wantQuiet(base)
	n := c.wantAcknowledged(all)
	c.t.Logf("R10: %s for %s: readiness refused after %s, given after %s; of %d requests %d were refused, within %s at most; %d changes acknowledged, none absent; goroutines as before after %s",
		name, lasts, lost.Round(time.Millisecond), back.Round(time.Millisecond), len(all), all.count(refused),
		all.slowest(refused).Round(time.Millisecond), n, quiet.Round(time.Millisecond))
}

// storeFlaps cuts the storage off for three seconds, over and over.
func (c *cluster) storeFlaps(proxy *faultproxy.Proxy, lasts time.Duration, base []int) {
	c.t.Helper()
	var stop func()
	var back time.Duration
	all := c.storeUnder("flapping", lasts, func() {
		stop = proxy.Flap(3*time.Second, proxy.Cut, proxy.Pass)
	}, func() {
		stop()
		proxy.Pass()
		back = c.await("ready", noticeTime, isReady)
	})
	c.wantToldInTime(all)
	quiet := c.wantQuiet(base)
	n := c.wantAcknowledged(all)
	c.t.Logf("R10: cut off every other three seconds for %s: ready after %s; of %d requests %d were refused, within %s at most; %d changes acknowledged, none absent; goroutines as before after %s",
		lasts, back.Round(time.Millisecond), len(all), all.count(refused), all.slowest(refused).Round(time.Millisecond), n, quiet.Round(time.Millisecond))
}

// TestStorePoolExhausted gives the replicas fewer connections than they need for
// a storage that is a little slow.
func TestStorePoolExhausted(t *testing.T) {
	lasts := time.Duration(size(10, 600)) * time.Second
	proxy, uri := through(t, mongoURI(t))
	c := startCluster(t, clusterSize, uri, append([]string{"--mongo-max-pool", "2"}, impatient...)...)
	c.hireVisited()
	c.wantServed(c.storeUnder("calm", lasts/2, func() {}, func() {}))
	base := c.goroutines()
	var back time.Duration
	all := c.storeUnder("exhausted", lasts, func() { proxy.Delay(50*time.Millisecond, 50*time.Millisecond) }, func() {
		proxy.Pass()
		back = c.await("ready", noticeTime, isReady)
	})
	c.wantToldInTime(all)
	if all.count(refused) == 0 {
		t.Error("no request was refused: there were connections enough")
	}
	quiet := c.wantQuiet(base)
	n := c.wantAcknowledged(all)
	t.Logf("R10: two connections for each replica, 100 ms slow, for %s: ready after %s; of %d requests %d were refused, within %s at most; %d changes acknowledged, none absent; goroutines as before after %s",
		lasts, back.Round(time.Millisecond), len(all), all.count(refused), all.slowest(refused).Round(time.Millisecond), n, quiet.Round(time.Millisecond))
}

func (vs visits) count(ok func(visit) bool) (n int) {
	for _, v := range vs {
		if ok(v) {
			n++
		}
	}
	return n
}

// wantToldInTime wants every request to succeed, or to be refused in time.
func (c *cluster) wantToldInTime(all visits) {
	c.t.Helper()
	all.want(c.t, func(v visit) bool { return succeeded(v) || refused(v) && v.answer.RetryAfter() > 0 })
	all.judge(func(format string, args ...any) { c.late(all.lasted(), format, args...) }, func(v visit) bool {
		return succeeded(v) || v.took <= refusalTime
	})
}

// wantAcknowledged is the function of that name for changes through replicas.
func (c *cluster) wantAcknowledged(all visits) (acknowledged int) {
	c.t.Helper()
	acknowledged, _ = wantAcknowledged(c.t, c.client(0, 1), all)
	return acknowledged
}

// wantAcknowledged wants each project whose creation was acknowledged to be there
// once, and none twice. It returns how many changes were acknowledged, and how
// many projects are there all the same.
func wantAcknowledged(t *testing.T, c *api.Client, all visits) (acknowledged, unanswered int) {
	t.Helper()
	n := made(t, c)
	for _, v := range all {
		if v.request.Method == http.MethodGet {
			continue
		}
		if succeeded(v) {
			acknowledged++
		}
		if v.request.Method != http.MethodPost {
			continue
		}
		name := v.request.Body.(map[string]any)["name"].(string)
		switch {
		case n[name] > 1 || succeeded(v) && n[name] != 1:
			t.Errorf("%s: answered with %s, and there %d times", name, v.outcome(), n[name])
		case !succeeded(v):
			unanswered += n[name]
		}
	}
	return acknowledged, unanswered
}

// goroutines returns how many each replica has.
func (c *cluster) goroutines() []int {
	c.t.Helper()
	all := make([]int, len(c.replicas))
	for i, p := range c.replicas {
		client := api.New(p.URL, c.token, 0)
		figures := scrape(c.t, client, "go_goroutines")
		client.Close()
		all[i] = int(figures["go_goroutines"])
	}
	return all
}

// scrape reads metrics that have no labels.
func scrape(t *testing.T, c *api.Client, names ...string) map[string]float64 {
	t.Helper()
	a, err := c.Do(t.Context(), api.Request{Method: http.MethodGet, Path: "/metrics"})
	if err != nil || !a.OK() {
		t.Fatalf("GET /metrics = %v, %v", a.Err(), err)
	}
	figures := map[string]float64{}
	for line := range bytes.Lines(a.Body) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if slices.Contains(names, name) {
			if figures[name], err = strconv.ParseFloat(value, 64); err != nil {
				t.Fatalf("%s is %q: %v", name, value, err)
			}
		}
	}
	if len(figures) != len(names) {
		t.Fatalf("GET /metrics has %v, want %v", figures, names)
	}
	return figures
}

// wantQuiet waits until every replica has as many goroutines as before, and a
// twentieth, and returns how long that took.
func (c *cluster) wantQuiet(base []int) time.Duration {
	c.t.Helper()
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		now, quiet := c.goroutines(), true
		for i, n := range now {
			quiet = quiet && n <= base[i]+(base[i]+19)/20
		}
		switch {
		case quiet:
			return time.Since(begin)
		case time.Since(begin) > quietTime:
			c.late(quietTime, "the replicas have %v goroutines after %s, had %v", now, quietTime, base)
			return quietTime
		}
	}
}
