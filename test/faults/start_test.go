package faults

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
)

const (
	// maxResident is the memory of a service that does nothing, in KiB.
	maxResident = 60 << 10
	// settleTime is how long the service does nothing before it is measured.
	settleTime = 500 * time.Millisecond
)

// maxStart is how long a start may take, however much is stored.
var maxStart = size(20*time.Second, time.Second)

// TestStartWithMuchStored fills a service with agents and starts it anew: after
// an end in good order, and after a kill.
func TestStartWithMuchStored(t *testing.T) {
	n := size(10_000, 100_000)
	s := serve(t)
	fill(t, s.client(workers*4), n)
	s.terminate()
	s.start()
	if s.ReadyAfter > maxStart {
		late(t, nil, s.ReadyAfter, "ready %s after the start with %d agents, want at most %s", s.ReadyAfter, n, maxStart)
	}
	calm := s.ReadyAfter
	time.Sleep(settleTime)
	memory := resident(t, s.PID())
	if memory > maxResident {
		t.Errorf("%d KiB resident with %d agents and nothing to do, want at most %d", memory, n, maxResident)
	}
	s.Kill()
	s.start()
	if s.ReadyAfter > maxRestart {
		late(t, nil, s.ReadyAfter, "ready %s after a kill with %d agents, want at most %s", s.ReadyAfter, n, maxRestart)
	}
	t.Logf("%d agents: ready after %s, after a kill %s; %d MiB resident", n,
		calm.Round(time.Millisecond), s.ReadyAfter.Round(time.Millisecond), memory>>10)
}

// fill hires n agents with a kilobyte of instructions each.
func fill(t *testing.T, c *api.Client, n int) {
	t.Helper()
	must(t, c, api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": department}}, nil)
	instructions := strings.Repeat("Do what is useful, and say it. ", 33)
	numbers := make(chan int)
	var wg sync.WaitGroup
	for range workers * 4 {
		wg.Go(func() {
			for i := range numbers {
				a, err := c.Do(t.Context(), api.Request{Method: http.MethodPost, Path: "/agents", Body: map[string]any{
					"name": fmt.Sprintf("agent %d", i), "role": "one of many", "department": department,
					"instructions": fmt.Sprintf("You are number %d. %s", i, instructions),
				}})
				if err != nil || a.Status != http.StatusCreated {
					t.Errorf("agent %d: answer %d, %v", i, a.Status, err)
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

// resident is the memory of a process in KiB.
func resident(t *testing.T, pid int) int {
	t.Helper()
	return memory(t, pid, "VmRSS")
}

// memory is a figure of the memory of a process in KiB.
func memory(t *testing.T, pid int, figure string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("SKIPPED: this system does not tell the memory of a process under /proc")
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(status) {
		if value, ok := strings.CutPrefix(string(line), figure+":"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("/proc/%d/status has no %s", pid, figure)
	return 0
}
