package faults

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
)

// largeReorder is how many agents are reordered at once. The interface takes 10 000.
var largeReorder = size(1_600, 10_000)

// TestLargeReorderOnReplicas reorders the agents of a department twice, while others change
// agents, through all replicas. It is done in time, and nobody waits long for it.
func TestLargeReorderOnReplicas(t *testing.T) {
	c := startCluster(t, clusterSize, mongoURI(t), size(nil, impatient)...)
	const titles, visited = "large", 60
	c.hireMany(titles, largeReorder)
	c.hireMany("visited", visited)
	next := func(n int) api.Request {
		return api.Request{
			Method: http.MethodPatch, Path: fmt.Sprintf("/agents/visited-%d", n%visited),
			Body: map[string]any{"description": fmt.Sprint("change ", n)},
		}
	}
	tr := c.startTraffic(size(20, 100), next)
	time.Sleep(time.Duration(size(1, 10)) * time.Second)
	var spans [][2]time.Duration
	for range 2 {
		order, err := orderOf(t.Context(), c.client(0, 1), titles)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(order)
		begun := time.Since(tr.begin)
		a, err := c.client(0, 1).Do(t.Context(), api.Request{
			Method: http.MethodPost, Path: api.Path("departments", titles, "reorder-agents"), Body: map[string]any{"agent_names": order},
		})
		ended := time.Since(tr.begin)
		if err != nil || a.Status != http.StatusCreated {
			t.Fatalf("reorder of %d = %v, %v, want 201", len(order), a.Err(), err)
		}
		spans = append(spans, [2]time.Duration{begun, ended})
		for i := range c.replicas {
			if got, err := orderOf(t.Context(), c.client(i, 1), titles); err != nil || !slices.Equal(got, order) {
				t.Errorf("replica %d does not show the new order, %v", i, err)
			}
		}
	}
	all := tr.end()
	all.want(t, succeeded)
	calm := all.between(0, spans[0][0]).p99()
	for _, s := range spans {
		beside := all.between(s[0], s[1])
		t.Logf("a reorder of %d agents: %s; 99 %% of %d other changes within %s, before it %s", largeReorder,
			(s[1] - s[0]).Round(time.Millisecond), len(beside), beside.p99().Round(time.Millisecond), calm.Round(time.Millisecond))
		if took := s[1] - s[0]; took > size(2*time.Minute, 30*time.Second) {
			c.late(took, "a reorder of %d agents took %s, want 30 s at most", largeReorder, took)
		}
		if p99 := beside.p99(); p99 > size(20*time.Second, time.Second) {
			c.late(p99, "99 %% of other changes took %s, want a second at most", p99)
		}
	}
}

// hireMany makes a department of so many agents. Each has its name and a number.
func (c *cluster) hireMany(department string, n int) {
	c.t.Helper()
	must(c.t, c.client(0, 1), api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": department}}, nil)
	client := c.client(0, workers)
	numbers := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range numbers {
				a, err := client.Do(c.t.Context(), api.Request{Method: http.MethodPost, Path: "/agents", Body: map[string]any{
					"name": fmt.Sprintf("%s-%d", department, i), "role": "worker", "department": department,
				}})
				if err != nil || !a.OK() {
					c.t.Errorf("hire = %v, %v", a.Err(), err)
				}
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	wg.Wait()
}
