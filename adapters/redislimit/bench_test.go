package redislimit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"orgd/adapters/redisconn"
	"orgd/domain/limit"
	"orgd/test/redisserver"
)

// BenchmarkRedis compares what a request costs with the least that Redis and the
// library can do. Only the ratios carry over to other machines. redis-µs/op is the
// processor time of the server, which nobody else's load changes much.
func BenchmarkRedis(b *testing.B) {
	addr := redisserver.Shared(b)
	cfg := config(addr)
	l := openShared(b, cfg, usualTiming())
	plain := redis.NewClient(&redis.Options{Addr: addr, Protocol: 2, DisableIdentity: true, PoolSize: 64, PipelinePoolSize: redisconn.Never})
	b.Cleanup(func() { plain.Close() })
	sha, err := plain.ScriptLoad(context.Background(), "return {1, 1, 0}").Result()
	if err != nil {
		b.Fatal(err)
	}
	caps := limit.Defaults()
	reading, changing, holding := asks(caps, "agents.get"), asks(caps, "agents.update"), asks(caps, "agents.rollback")
	ask := func(from []limit.Ask) func(context.Context) error {
		return func(ctx context.Context) error {
			g, err := l.Admit(ctx, from[rand.N(len(from))])
			g.Release()
			return err
		}
	}
	for _, c := range []struct {
		label string
		work  func(context.Context) error
	}{
		{"ping", func(ctx context.Context) error { return plain.Ping(ctx).Err() }},
		{"evalsha", func(ctx context.Context) error { return plain.EvalSha(ctx, sha, []string{"k"}, 1, 2, 3).Err() }},
		{"reading", ask(reading)},
		{"changing", ask(changing)},
		{"holding", ask(holding)},
	} {
		for _, clients := range []int{1, 32, 256} {
			b.Run(fmt.Sprintf("%s/%d", c.label, clients), func(b *testing.B) { benchmark(b, plain, clients, c.work) })
		}
	}
	if n := l.failed.Load(); n != nil {
		b.Logf("a question failed: %v", n.err)
	}
}

// asks are those of a thousand clients for one operation.
func asks(caps limit.Caps, operation string) []limit.Ask {
	all := make([]limit.Ask, 1000)
	for i := range all {
		all[i] = caps.Ask(limit.Request{Address: fmt.Sprint("10.0.0.", i), Subject: fmt.Sprint("subject-", i), Operation: operation})
	}
	return all
}

// benchmark does the work b.N times from so many clients.
func benchmark(b *testing.B, server *redis.Client, clients int, work func(context.Context) error) {
	b.ReportAllocs()
	before := processorTime(b, server)
	next := make(chan struct{}, b.N)
	for range b.N {
		next <- struct{}{}
	}
	close(next)
	done := make(chan error, clients)
	b.ResetTimer()
	for range clients {
		go func() {
			for range next {
				if err := work(context.Background()); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range clients {
		if err := <-done; err != nil {
			b.Error(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64((processorTime(b, server)-before).Microseconds())/float64(b.N), "redis-µs/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "op/s")
}

// processorTime is what the server has used so far.
func processorTime(b *testing.B, server *redis.Client) time.Duration {
	b.Helper()
	info, err := server.Info(context.Background(), "cpu").Result()
	if err != nil {
		b.Fatal(err)
	}
	var sum float64
	for _, line := range strings.Split(info, "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		if name == "used_cpu_user" || name == "used_cpu_sys" {
			var seconds float64
			if _, err := fmt.Sscan(value, &seconds); err != nil {
				b.Fatal(err)
			}
			sum += seconds
		}
	}
	return time.Duration(sum * float64(time.Second))
}
