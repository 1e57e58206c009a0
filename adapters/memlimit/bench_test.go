package memlimit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"orgd/domain/limit"
)

// benchCaps are the default caps with room for every request of a benchmark.
func benchCaps(room int) limit.Caps {
	c := limit.Defaults()
	c.Address.Cap *= room
	c.Subject.Cap *= room
	for op, r := range c.Operations {
		r.Cap *= room
		c.Operations[op] = r
	}
	return c
}

// BenchmarkAdmit is what a request with a window for address, subject and
// operation costs, with 10⁵ subjects and as many addresses.
func BenchmarkAdmit(b *testing.B) {
	const keys = 100_000
	for label, caps := range map[string]limit.Caps{"admitted": benchCaps(1000), "defaults": limit.Defaults()} {
		asks := make([]limit.Ask, keys)
		for i := range asks {
			asks[i] = caps.Ask(limit.Request{
				Address: fmt.Sprint("10.0.0.", i), Subject: fmt.Sprint("subject-", i), Operation: "agents.update",
			})
		}
		b.Run(label, func(b *testing.B) {
			l := New(Uptime())
			for _, ask := range asks {
				admit(b, l, ask)
			}
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					g, err := l.Admit(context.Background(), asks[rand.N(keys)])
					if err != nil {
						b.Error(err)
						return
					}
					g.Release()
				}
			})
		})
	}
}

// BenchmarkHot is one subject whose windows are full most of the time.
func BenchmarkHot(b *testing.B) {
	ask := limit.Defaults().Ask(limit.Request{Address: "10.0.0.1", Subject: "s", Operation: "agents.rollback"})
	l := New(Uptime())
	b.ReportAllocs()
	for b.Loop() {
		admit(b, l, ask).Release()
	}
}

// BenchmarkMemory reports the bytes that a new address and subject cost.
func BenchmarkMemory(b *testing.B) {
	const keys = 100_000
	for b.Loop() {
		l := New(Uptime())
		before := heap()
		for i := range keys {
			admit(b, l, limit.Defaults().Ask(limit.Request{
				Address: fmt.Sprint("10.0.0.", i), Subject: fmt.Sprint("subject-", i), Operation: "agents.update",
			}))
		}
		b.ReportMetric(float64(heap()-before)/keys, "B/key")
		runtime.KeepAlive(l)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
