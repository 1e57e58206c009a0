package faults

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/mongoserver"
)

const (
	// hirers are the clients that hire during an election, each one every hirePause.
	hirers    = 32
	hirePause = 50 * time.Millisecond
	// servedAgain is how many hires of each client must succeed after a fault.
	servedAgain = 10
	// electionWait bounds every wait of these tests, on any machine.
	electionWait = 2 * time.Minute
)

// electionTime is how long there may be no success on any replica.
var electionTime = size(time.Minute, 15*time.Second)

// loss is a way of taking the primary, or the majority, away. It lasts for a while if it
// is to be healed before there is service again.
type loss struct {
	line, name string
	times      int
	lasts      time.Duration
	unready    bool // whether replicas must say that they are not ready
	fault      func(t testing.TB, uri string) (heal func())
}

// TestElectionsOnReplicas takes the primary away from replicas while clients hire
// through all of them and read what they have hired through others, some follow the
// events, and webhooks receive them. What the clients were told is compared with what is
// stored.
func TestElectionsOnReplicas(t *testing.T) {
	losses := []loss{
		{"R27", "step-down", size(1, 20), 0, false, func(t testing.TB, uri string) func() {
			mongoserver.StepDown(t, uri)
			return func() { mongoserver.AwaitMembers(t, uri) }
		}},
		{"R26", "kill", size(1, 20), 0, false, mongoserver.KillPrimary},
		{"R28", "freeze", size(0, 10), 15 * time.Second, false, mongoserver.FreezePrimary},
		{"R28", "isolated", size(0, 10), 15 * time.Second, false, mongoserver.IsolatePrimary},
		{"R28", "hidden", size(0, 10), 15 * time.Second, true, mongoserver.HidePrimary},
		{"R29", "lost majority", size(0, 5), 30 * time.Second, true, mongoserver.FreezeOthers},
	}
	for _, l := range losses {
		t.Run(l.name, func(t *testing.T) {
			if l.times == 0 {
				t.Skip("is for the long form alone (ORGD_LONG=1)")
			}
			for round := range l.times {
				t.Run(fmt.Sprint("round ", round+1), func(t *testing.T) { startElection(t).run(l) })
			}
		})
	}
}

// election is a replica set that elects a primary under load.
type election struct {
	*cluster
	uri       string
	followers []*hireFollower
	webhooks  []*hireReceiver
	fault     time.Time
	read      atomic.Int64 // hires that another replica has shown

	mu     sync.Mutex
	ledger []hireEntry
}

// hireEntry is a line of the ledger: a hire, and the last answer to it.
type hireEntry struct {
	visit
	hirer   int
	name    string
	refused int // answers before the last one
}

func startElection(t *testing.T) *election {
	t.Helper()
	uri := mongoURI(t)
	mongoserver.AwaitMembers(t, uri)
	e := &election{uri: uri}
	e.cluster = startCluster(t, clusterSize, uri, append([]string{"--webhook-allow-http", "--webhook-allow-private"}, impatient...)...)
	admin := e.client(0, 1)
	must(t, admin, api.Request{Method: http.MethodPost, Path: "/departments", Body: object{"name": department}}, nil)
	for range size(1, 3) {
		e.webhooks = append(e.webhooks, startHireReceiver(t, admin))
	}
	for i := range size(clusterSize, 20) {
		e.followers = append(e.followers, startHireFollower(t, e.client(i%clusterSize, 1)))
	}
	return e
}

// run lets clients hire before, during and after a fault.
func (e *election) run(l loss) {
	e.t.Helper()
	stop := make(chan struct{})
	var hiring sync.WaitGroup
	for i := range hirers {
		client, other := e.client(i%clusterSize, 1), e.client((i+1)%clusterSize, 1)
		hiring.Go(func() { e.hire(client, other, i, stop) })
	}
	e.awaitHires(time.Now())
	e.fault = time.Now()
	heal := l.fault(e.t, e.uri)
	if l.lasts > 0 {
		if l.unready {
			e.await(l.name, l.lasts, isLost)
		}
		time.Sleep(time.Until(e.fault.Add(l.lasts)))
		heal()
		e.awaitHires(time.Now())
	} else {
		defer heal()
		e.awaitHires(e.fault)
	}
	close(stop)
	hiring.Wait()
	e.judge(l)
}

// hire hires one agent after the other through a replica, and reads it through another
// one. Every other client sends a key, and repeats its request until it succeeds.
func (e *election) hire(client, other *api.Client, hirer int, stop <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(hirePause):
		}
		h := hireEntry{hirer: hirer, name: fmt.Sprintf("agent-%d-%d", hirer, n)}
		h.request = api.Request{Method: http.MethodPost, Path: "/agents", Body: object{"name": h.name, "role": "worker", "department": department}}
		if hirer%2 == 1 {
			h.request.Key = h.name
		}
		if e.ask(client, &h); succeeded(h.visit) {
			e.wantRead(other, h.name)
		}
		e.mu.Lock()
		e.ledger = append(e.ledger, h)
		e.mu.Unlock()
	}
}

// wantRead wants a replica to know an agent, if it answers at all.
func (e *election) wantRead(client *api.Client, name string) {
	a, err := client.Do(context.WithoutCancel(e.t.Context()), api.Request{Method: http.MethodGet, Path: "/agents/" + name})
	switch {
	case err != nil:
		e.t.Errorf("GET of %s = %v", name, err)
	case a.Status == http.StatusOK:
		e.read.Add(1)
	case !isBusy(a):
		e.t.Errorf("%s was hired, and another replica answers %d: a stale read", name, a.Status)
	}
}

// ask sends a request, again and again if it has a key and may not have succeeded.
func (e *election) ask(client *api.Client, h *hireEntry) {
	for h.begun = time.Since(e.begun); ; h.refused++ {
		h.answer, h.err = client.Do(context.WithoutCancel(e.t.Context()), h.request)
		h.took = time.Since(e.begun) - h.begun
		again := h.err == nil && (isBusy(h.answer) || isRunning(h.answer))
		if h.request.Key == "" || !again || h.took > electionWait {
			return
		}
		time.Sleep(hirePause)
	}
}

// awaitHires waits until each client has succeeded after a time.
func (e *election) awaitHires(since time.Time) {
	e.t.Helper()
	e.eventually("every client hires", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		succeeding := make([]int, hirers)
		for _, h := range e.ledger {
			if succeeded(h.visit) && h.begun > since.Sub(e.begun) {
				succeeding[h.hirer]++
			}
		}
		return slices.Min(succeeding) >= servedAgain
	})
}

// eventually waits until something is true.
func (e *election) eventually(what string, ok func() bool) {
	e.t.Helper()
	for end := time.Now().Add(electionWait); !ok(); time.Sleep(readyPoll) {
		if time.Now().After(end) {
			e.t.Errorf("after %s it is not true that %s", electionWait, what)
			return
		}
	}
}

// judge compares the ledger with what is stored and what was received.
func (e *election) judge(l loss) {
	e.t.Helper()
	admin := e.client(0, 1)
	agents, err := api.All[thingView](e.t.Context(), admin, "/agents", nil)
	if err != nil {
		e.t.Fatal(err)
	}
	events, err := api.All[eventView](e.t.Context(), admin, "/activities", url.Values{"type": {"hired"}})
	if err != nil {
		e.t.Fatal(err)
	}
	stored := map[string]int{} // by name
	hired := map[string]int{}  // by id of the agent
	for _, v := range events {
		hired[v.AgentID]++
	}
	for _, a := range agents {
		stored[a.Name]++
		if hired[a.ID] != 1 {
			e.t.Errorf("%q has %d events that it was hired, want 1", a.Name, hired[a.ID])
		}
	}
	if len(events) != len(agents) {
		e.t.Errorf("there are %d events of %d hires", len(events), len(agents))
	}
	e.wantLedger(l, stored)
	e.wantReceived(events)
	e.wantWhole()
	e.wantStorageErrorsOnly()
}

// wantLedger wants every hire to be stored once that succeeded, none twice, and
// none that was called not applied.
func (e *election) wantLedger(l loss, stored map[string]int) {
	e.t.Helper()
	var refusals, unknown int
	var slowest time.Duration
	for _, h := range e.ledger {
		n := stored[h.name]
		switch {
		case succeeded(h.visit):
			if n != 1 {
				e.t.Errorf("%q: answered with success, and there %d times", h.name, n)
			}
		case h.err != nil || !isBusy(h.answer):
			e.t.Errorf("%q: %s, want success or 503/8001", h.name, h.outcome())
		case h.request.Key != "":
			e.t.Errorf("%q with a key: %s after %s", h.name, h.outcome(), h.took)
		case n > 1 || n == 1 && strings.Contains(h.outcome(), "not applied"):
			e.t.Errorf("%q: %s, and there %d times", h.name, h.outcome(), n)
		case n == 1:
			unknown++
		}
		if h.request.Key == "" && !succeeded(h.visit) && h.took > refusalTime {
			e.late(h.took, "%q: %s after %s, want at most %s", h.name, h.outcome(), h.took, refusalTime)
		}
		refusals += h.refused
		if !succeeded(h.visit) {
			refusals++
		}
		slowest = max(slowest, h.took)
	}
	pause := e.longestPause()
	if most := l.lasts + electionTime; pause > most {
		e.late(pause, "no hire succeeded for %s, want at most %s", pause, most)
	}
	e.t.Logf("%s: %s: %d hires, %d answers 503, %d hires stored all the same; no success for %s; the slowest hire took %s; %d read through another replica, none was missing",
		l.line, l.name, len(e.ledger), refusals, unknown, pause.Round(time.Millisecond), slowest.Round(time.Millisecond), e.read.Load())
}

// longestPause is the longest time in which no hire succeeded.
func (e *election) longestPause() (longest time.Duration) {
	var ends []time.Duration
	for _, h := range e.ledger {
		if succeeded(h.visit) {
			ends = append(ends, h.begun+h.took)
		}
	}
	slices.Sort(ends)
	for i := 1; i < len(ends); i++ {
		longest = max(longest, ends[i]-ends[i-1])
	}
	return longest
}

// wantReceived wants all followers to have each event once and in one order, and
// the webhook to have each.
func (e *election) wantReceived(events []eventView) {
	e.t.Helper()
	want := map[string]bool{}
	for _, v := range events {
		want[v.ID] = true
	}
	e.eventually("all events are received", func() bool {
		for _, f := range e.followers {
			if len(f.received()) < len(want) {
				return false
			}
		}
		return !slices.ContainsFunc(e.webhooks, func(r *hireReceiver) bool { return len(r.received()) < len(want) })
	})
	for _, r := range e.webhooks {
		received := r.received()
		for id := range want {
			if !received[id] {
				e.t.Errorf("a webhook has not received %s", id)
			}
		}
	}
	first := e.followers[0].received()
	for i, f := range e.followers {
		got := f.received()
		if !slices.Equal(got, first) {
			e.t.Errorf("followers 0 and %d have different orders", i)
		}
		wantEachOnce(e.t, fmt.Sprintf("follower %d", i), got, want)
	}
	e.t.Logf("R30: %d events, each once and in one order to %d followers, and to %d webhooks", len(events), len(e.followers), len(e.webhooks))
}

// wantEachOnce wants a list of ids to be a set.
func wantEachOnce(t *testing.T, who string, got []string, want map[string]bool) {
	t.Helper()
	n := map[string]int{}
	for _, id := range got {
		n[id]++
	}
	for id := range want {
		if n[id] != 1 {
			t.Errorf("%s has received %s %d times, want once", who, id, n[id])
		}
	}
	if len(n) != len(want) {
		t.Errorf("%s has received %d events, want %d", who, len(n), len(want))
	}
}

// wantStorageErrorsOnly wants the replicas to have logged no error but those of a
// storage that did not answer.
func (e *election) wantStorageErrorsOnly() {
	e.t.Helper()
	for i, p := range e.replicas {
		for _, line := range failures(p) {
			if !strings.Contains(line, "8001") && !strings.Contains(line, "SERVICE_UNAVAILABLE") && !strings.Contains(line, "storage") {
				e.t.Errorf("replica %d logged: %s", i, line)
			}
		}
	}
}
