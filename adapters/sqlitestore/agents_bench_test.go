package sqlitestore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/ports/portstest"
)

// Agents have prompts of 200 bytes, or of 10 kB, between which real ones lie.
var promptSizes = []int{200, 10_000}

// cpu returns the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// written returns how many bytes this process has written to files, or 0 where that is not known.
func written() (n float64) {
	counters, _ := os.ReadFile("/proc/self/io")
	_, after, _ := strings.Cut(string(counters), "wchar: ")
	fmt.Sscan(after, &n) // the number is 0 if there is none
	return n
}

// parallel calls do b.N times from a number of goroutines. It reports calls a
// second and, since the machine may be busy with other things, the processor
// time and the bytes written of one.
func parallel(b *testing.B, goroutines int, do func(i int) error) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	used, before := cpu(b), written()
	b.ResetTimer()
	b.ReportAllocs()
	for range goroutines {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				if err := do(int(i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "/s")
	b.ReportMetric(float64((cpu(b)-used).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric((written()-before)/1000/float64(b.N), "written-kB/op")
}

func benchOrg(b *testing.B, prompt int) (*org, []agent.ID) {
	b.Helper()
	o := openOrg(b, b.TempDir())
	for i := range 20 {
		o.createDepartment(fmt.Sprintf("Department %d", i))
	}
	var ids []agent.ID
	for i := range 20 {
		ids = append(ids, o.hireMany(i*500, 500, fmt.Sprintf("Department %d", i), prompt)...)
	}
	return o, ids
}

func BenchmarkAgents(b *testing.B) {
	ctx := context.Background()
	for _, prompt := range promptSizes {
		o, ids := benchOrg(b, prompt)
		some := func() agent.ID { return ids[rand.IntN(len(ids))] }
		run := func(what string, goroutines int, do func(i int) error) {
			b.Run(fmt.Sprintf("prompt=%d/%s/goroutines=%d", prompt, what, goroutines), func(b *testing.B) {
				parallel(b, goroutines, do)
			})
		}
		for _, goroutines := range []int{1, 64} {
			run("Create", goroutines, func(int) error {
				return portstest.Hire(ctx, o.agents, o.hiring("agent "+o.id()[20:], "Department 7", prompt))
			})
			run("Update", goroutines, func(i int) error {
				_, err := o.agents.Update(ctx, byID(some()), o.changing(`{"description":"number %d"}`, i))
				return err
			})
			run("Get", goroutines, func(int) error {
				_, err := o.agents.Agent(ctx, byID(some()))
				return err
			})
		}
		run("List50", 64, func(int) error {
			after := agent.Position{OrderKey: agent.OrderKey(some()), ID: some()}
			_, err := o.agents.Records(ctx, agent.Query{After: &after, Limit: 50})
			return err
		})
		run("ListDepartment50", 64, func(int) error {
			_, err := o.agents.Records(ctx, agent.Query{Department: "department 3", Limit: 50})
			return err
		})
		run("Find100", 64, func(int) error {
			refs := make([]identity.Ref, 100)
			for i := range refs {
				refs[i] = byID(some())
			}
			_, err := o.agents.Find(ctx, refs)
			return err
		})
	}
}
