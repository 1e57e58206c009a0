package apitest_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/domain/limit"
	"orgd/test/apitest"
)

// What four lists or orders of the largest rows at once hold of the heap is bounded, since
// they end by bytes while rows are read. The figure is of what is live and not yet
// collected, so it is asserted far above what one finds.
func TestPagesAndMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 220 MiB of agents and versions")
	}
	const readers, most = 4, 4 * 32 << 20
	s := embedded(t, limit.Off())
	token, err := s.Mint(apitest.Grant{Subject: "root", Role: "admin", TTL: time.Hour})
	if err != nil {
		t.Fatalf("Mint = %v", err)
	}
	do := func(method, path, body string) (bytes int64) {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URLs[0]+"/api/v1"+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Error(err)
			return 0
		}
		defer res.Body.Close()
		bytes, err = io.Copy(io.Discard, res.Body)
		if err != nil || res.StatusCode >= 300 {
			t.Errorf("%s %s = %d, %v", method, path, res.StatusCode, err)
		}
		return bytes
	}
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	do("POST", "/departments", `{"name":"Ops"}`)
	large := largeMembers()
	for i := range 200 {
		do("POST", "/agents", fmt.Sprintf(`{"name":"Agent %d","role":"r","department":"Ops","level":"mid",%s}`, i, large))
	}
	teams := largeTeams()
	for i := range 30 {
		do("POST", "/departments", fmt.Sprintf(`{"name":"Department %d","teams":%s}`, i, teams))
	}
	for i := range 30 {
		do("PATCH", "/agents/Agent%200", fmt.Sprintf(`{"description":"%d"}`, i))
	}
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf(`"Agent %d"`, 199-i))
	}
	for _, list := range []string{
		"GET /agents?limit=200", "GET /agents?limit=200&view=summary", "GET /agents?limit=200&q=a",
		"GET /agents/Agent%200/versions?limit=200", "GET /departments?limit=200", "GET /company/departments", "GET /company",
		"POST /departments/Ops/reorder-agents",
	} {
		method, path, _ := strings.Cut(list, " ")
		body := ""
		if method == "POST" {
			body = `{"agent_names":[` + strings.Join(names, ",") + `]}`
		}
		base, peak := peakHeap(func() {
			var all sync.WaitGroup
			for range readers {
				all.Go(func() { do(method, path, body) })
			}
			all.Wait()
		})
		t.Logf("%d × %s: %d MiB of the heap before, %d MiB at most", readers, list, base>>20, peak>>20)
		if peak > base+most {
			t.Errorf("%d × %s took %d MiB, want at most %d", readers, list, (peak-base)>>20, most>>20)
		}
	}
}

// largeMembers are members of an agent of about 970 kB.
func largeMembers() string {
	words := make([]string, 240)
	for i := range words {
		words[i] = fmt.Sprintf("%05d%s", i, strings.Repeat("\U0001f600", 250))
	}
	list := `["` + strings.Join(words, `","`) + `"]`
	return fmt.Sprintf(`"personality":{"traits":%s},"tools":{"allowed":%[1]s,"mcp_capabilities":%[1]s},"authority":{"can_approve":%[1]s}`, list)
}

// largeTeams are as many teams as a department has, of all agents.
func largeTeams() string {
	members := make([]string, 200)
	for i := range members {
		members[i] = fmt.Sprintf(`"Agent %d"`, i)
	}
	teams := make([]string, 64)
	for i := range teams {
		teams[i] = fmt.Sprintf(`{"name":"Team %d","members":[%s]}`, i, strings.Join(members, ","))
	}
	return "[" + strings.Join(teams, ",") + "]"
}

// peakHeap returns the heap in use before do and its greatest while it ran, with
// little of what nobody holds: how much of that lies around depends on the machine.
func peakHeap(do func()) (base, peak uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	base, peak = m.HeapAlloc, m.HeapAlloc
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	do()
	close(done)
	<-over
	return base, peak
}
