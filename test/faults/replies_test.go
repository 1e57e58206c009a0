package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"orgd/test/api"
	"orgd/test/faultproxy"
	"orgd/test/redisserver"
	"orgd/test/seed"
)

// TestReplicasRepeatLostReplies loses answers on the way from one replica and
// asks another one again, with the same key, while Redis forgets everything over
// and over.
func TestReplicasRepeatLostReplies(t *testing.T) {
	const leavers = 8
	rounds := size(500, 10_000) / leavers
	rng := seed.Rand(t)
	server := redisserver.Start(t)
	c := startCluster(t, clusterSize, mongoURI(t), "--redis-addr", server.Addr)
	hireCrew(t, c.client(0, 1), rng)
	stop := flushing(t, server.Addr)
	crew := make([]*leaver, leavers)
	for id := range crew {
		first, second := c.replicas[id%clusterSize], (id+1)%clusterSize
		proxy := faultproxy.Start(t, strings.TrimPrefix(first.URL, "http://"))
		proxy.DropReplies()
		lossy := api.New("http://"+proxy.Addr(), c.token, 0)
		crew[id] = &leaver{
			id: id, c: c.client(second, 1), rng: rand.New(rand.NewPCG(rng.Uint64(), 0)),
			// Who leaves before the answer may have to wait for seconds until the
			// other replica gives up on the first attempt.
			hasty: 5, patience: 30 * time.Millisecond,
			ask: func(r api.Request, after time.Duration) error {
				if after > 0 {
					return sendAndLeave(first.URL, c.token, r, after)
				}
				if a, err := lossy.Do(t.Context(), r); err == nil {
					return fmt.Errorf("the answer came through: %w", a.Err())
				}
				return nil
			},
		}
	}
	replayed := leave(t, crew, rounds)
	flushes := stop()
	c.wantCleanLogs()
	t.Logf("R6: %d of %d requests had been done before another replica was asked; Redis was flushed %d times", replayed, leavers*rounds, flushes)
}

// flushing makes a Redis forget everything again and again, until the returned
// function is called, which tells how often that was.
func flushing(t *testing.T, addr string) (stop func() int) {
	t.Helper()
	admin := redis.NewClient(&redis.Options{Addr: addr})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	go func() {
		n := 0
		for ; ctx.Err() == nil; n++ {
			if err := admin.FlushAll(context.WithoutCancel(ctx)).Err(); err != nil {
				t.Errorf("FLUSHALL = %v", err)
			}
			select {
			case <-time.After(time.Second / 2):
			case <-ctx.Done():
			}
		}
		done <- n
	}()
	return func() int {
		cancel()
		n := <-done
		if err := admin.Close(); err != nil {
			t.Error(err)
		}
		return n
	}
}

// TestReplicasDoParallelRepeatsOnce sends the same request with the same key many
// times at once, to all replicas. When Redis has forgotten everything, the
// answers are still the same.
func TestReplicasDoParallelRepeatsOnce(t *testing.T) {
	const parallel = 32
	groups := size(50, 1000)
	server := redisserver.Start(t)
	c := startCluster(t, clusterSize, mongoURI(t), "--redis-addr", server.Addr)
	clients := c.clients(c.token, parallel)
	request := func(g int) api.Request {
		r := api.Request{Method: http.MethodPost, Path: "/projects", Key: fmt.Sprintf("group-%d", g)}
		r.Body = map[string]any{"name": r.Key}
		return r
	}
	answers := make([]api.Answer, groups)
	for g := range groups {
		if err := sendTogether(t.Context(), clients, request(g), parallel); err != nil {
			t.Fatalf("group %d: %v", g, err)
		}
		answers[g] = c.again(clients[g%clusterSize], request(g))
	}
	redisserver.Do(t, redisserver.Admin(t, server.Addr), "FLUSHALL")
	n := made(t, clients[0])
	for g, first := range answers {
		again := c.again(clients[(g+1)%clusterSize], request(g))
		if err := sameReply(first, again); err != nil {
			t.Errorf("group %d after the flush: %v", g, err)
		}
		if key := request(g).Key; n[key] != 1 {
			t.Errorf("%s: made %d times, want once", key, n[key])
		}
	}
	t.Logf("R6: %d groups of %d parallel requests over %d replicas, each done once", groups, parallel, clusterSize)
}

// again repeats a request that has been done.
func (c *cluster) again(client *api.Client, r api.Request) api.Answer {
	c.t.Helper()
	a, err := retry(c.t.Context(), client, r)
	if err != nil || !a.Replayed() {
		c.t.Fatalf("%s again = %v, %v, want a replay", r.Key, a.Err(), err)
	}
	return a
}
