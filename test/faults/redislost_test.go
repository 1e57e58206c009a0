package faults

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/faultproxy"
	"orgd/test/redisserver"
)

const (
	// redisRate is how many requests there are each second.
	redisRate = 300
	// takeover and comeback are how long replicas may take to count for
	// themselves when Redis is lost, and together when it is back.
	takeover, comeback = time.Second, 2 * time.Second
	// shared is a cap over all replicas, of which each admits its share without
	// Redis.
	shared = 30
)

// TestRedisLost takes Redis away from replicas under load, in all ways in which
// it goes. No client gets an error.
func TestRedisLost(t *testing.T) {
	lasts := time.Duration(size(10, 600)) * time.Second
	uri := mongoURI(t)
	server := redisserver.Start(t)
	proxy := faultproxy.Start(t, server.Addr)
	c := startCluster(t, clusterSize, uri, "--redis-addr", proxy.Addr(), "--redis-timeout", "50ms", "--limit", fmt.Sprintf("projects.update=%d/60s", shared))
	c.hireVisited()
	c.await("sharing limits", comeback, isShared)
	base := c.startTraffic(redisRate, reading("calm"))
	time.Sleep(lasts / 2)
	calm := base.end()
	c.wantServed(calm)
	t.Logf("R9: %d requests with Redis, 99 %% within %s", len(calm), calm.p99().Round(time.Millisecond/10))

	admin := redisserver.Admin(t, server.Addr).Conn() // which stays logged in
	defer admin.Close()
	commands := func(all ...string) func() {
		return func() {
			for _, command := range all {
				redisserver.Do(t, admin, command)
			}
		}
	}
	for _, f := range []struct {
		name        string
		fault, heal func()
	}{
		{"cut", proxy.Cut, proxy.Pass},
		{"two seconds slow", func() { proxy.Delay(time.Second, time.Second) }, proxy.Pass},
		{"half open", proxy.HalfOpen, proxy.Pass},
		{"READONLY", commands("REPLICAOF 127.0.0.1 1"), commands("REPLICAOF NO ONE")},
		{"OOM", commands("CONFIG SET maxmemory 1"), commands("CONFIG SET maxmemory 0")},
		{"NOAUTH", commands("CONFIG SET requirepass secret", "CLIENT KILL TYPE normal SKIPME yes"), commands(`CONFIG SET requirepass ""`)},
	} {
		t.Run(f.name, func(t *testing.T) {
			c.in(t).redisLost(f.name, calm.p99(), lasts, f.fault, f.heal)
		})
	}
	t.Run("flapping", func(t *testing.T) { c.in(t).redisFlaps(proxy, calm.p99(), lasts) })
	c.wantCleanLogs()
}

// in is the cluster for a part of its test.
func (c *cluster) in(t *testing.T) *cluster {
	part := *c
	part.t = t
	return &part
}

// redisLost lets a fault last for a while under load.
func (c *cluster) redisLost(name string, calm, lasts time.Duration, fault, heal func()) {
	c.t.Helper()
	tr := c.startTraffic(redisRate, reading(name))
	time.Sleep(time.Second)
	broken := time.Since(tr.begin)
	fault()
	lost := c.await("counting for themselves", takeover, isLocal)
	c.wantShare(name)
	time.Sleep(lasts - lost)
	healed := time.Since(tr.begin)
	heal()
	back := c.await("sharing limits", comeback, isShared)
	time.Sleep(time.Second)
	all := tr.end()
	c.wantServed(all)
	c.t.Logf("R9: %s for %s: local after %s, shared after %s; %d requests, %d refused; 99 %% within %s (%s with Redis), at the fault within %s",
		name, (healed - broken).Round(time.Second/10), lost.Round(time.Millisecond), back.Round(time.Millisecond), len(all), all.count(refused),
		all.between(broken, healed).p99().Round(time.Millisecond/10), calm.Round(time.Millisecond/10),
		all.between(broken, broken+takeover).p99().Round(time.Millisecond/10))
}

// wantShare wants each replica to admit its share of a cap without Redis: the
// door is neither open nor closed.
func (c *cluster) wantShare(name string) {
	c.t.Helper()
	token := c.newToken("guest of " + name)
	for i, client := range c.clients(token, 1) {
		admitted := 0
		for range shared {
			a, err := client.Do(c.t.Context(), api.Request{Method: http.MethodPatch, Path: "/projects/proj-000000000000", Body: map[string]any{}})
			switch {
			case err != nil:
				c.t.Fatal(err)
			case a.Status == http.StatusNotFound:
				admitted++
			case a.Status != http.StatusTooManyRequests || a.Code() != 5001:
				c.t.Errorf("replica %d without Redis = %v, want 404 or 429/5001", i, a.Err())
			}
		}
		if want := shared / clusterSize; admitted != want {
			c.t.Errorf("replica %d without Redis admitted %d requests, want its share of %d", i, admitted, want)
		}
	}
}

// redisFlaps cuts Redis off for three seconds, over and over.
func (c *cluster) redisFlaps(proxy *faultproxy.Proxy, calm, lasts time.Duration) {
	c.t.Helper()
	tr := c.startTraffic(redisRate, reading("flapping"))
	stop := proxy.Flap(3*time.Second, proxy.Cut, proxy.Pass)
	time.Sleep(lasts)
	stop()
	proxy.Pass()
	back := c.await("sharing limits", comeback, isShared)
	all := tr.end()
	c.wantServed(all)
	c.t.Logf("R9: cut off every other three seconds for %s: shared after %s; %d requests, %d refused; 99 %% within %s (%s with Redis)",
		lasts, back.Round(time.Millisecond), len(all), all.count(refused), all.p99().Round(time.Millisecond/10), calm.Round(time.Millisecond/10))
}
