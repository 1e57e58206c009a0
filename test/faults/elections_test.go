package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/test/api"
	"orgd/test/mongoserver"
)

// hireNote is one line of the ledger.
type hireNote struct {
	name  string
	begun time.Time
	took  time.Duration
	code  int    // of the answer, 0 without one
	text  string // of a refusal
}

// TestElections takes the primary away while clients hire through all replicas,
// follow, and are told by a webhook.
func TestElectionsOnReplicas(t *testing.T) {
	for _, how := range []string{"stepdown", "kill"} {
		t.Run(how, func(t *testing.T) { election(t, how) })
	}
}

// container returns the id of the container of the member at an address.
func containerAt(t *testing.T, addr string) string {
	t.Helper()
	_, port, _ := net.SplitHostPort(addr)
	out, err := exec.Command("docker", "ps", "--no-trunc", "--format", "{{.ID}} {{.Command}}").Output()
	if err != nil {
		t.Skip("SKIPPED: no docker")
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "--port "+port+" ") {
			return strings.Fields(line)[0]
		}
	}
	t.Skip("SKIPPED: no container of the primary")
	return ""
}

func election(t *testing.T, how string) {
	uri := mongoURI(t)
	c := startCluster(t, clusterSize, uri, append(impatient, "--webhook-allow-http", "--webhook-allow-private")...)
	admin := c.client(0, 4)
	must(t, admin, api.Request{Method: http.MethodPost, Path: "/departments", Body: object{"name": department}}, nil)

	var mu sync.Mutex
	hooked := map[string]int{}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var e struct{ ID string }
		_ = json.Unmarshal(body, &e)
		mu.Lock()
		hooked[e.ID]++
		mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(receiver.Close)
	must(t, admin, api.Request{Method: http.MethodPost, Path: "/webhooks", Body: object{"url": receiver.URL, "event_types": []string{"hired"}}}, nil)

	// Followers, one a replica, that take up again where a stream has ended.
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	seen := make([][]string, clusterSize)
	ends := make([]int, clusterSize)
	var lastSeen [clusterSize]time.Time
	var gap [clusterSize]time.Duration
	var following, began sync.WaitGroup
	for i := range seen {
		began.Add(1)
		client := c.client(i, 1)
		following.Go(func() {
			begin := sync.OnceFunc(began.Done)
			for at := ""; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
				events, err := client.Follow(ctx, streamPath, at)
				if err != nil {
					continue
				}
				for {
					e, err := events.Next()
					if err != nil {
						break
					}
					begin()
					if at = e.ID; e.Data == "" {
						continue
					}
					if e.Type == "resync" {
						t.Errorf("resync")
					}
					var v struct {
						ID   string
						Type string `json:"event_type"`
					}
					_ = json.Unmarshal([]byte(e.Data), &v)
					if v.Type != "hired" {
						continue
					}
					mu.Lock()
					seen[i] = append(seen[i], v.ID)
					if now := time.Now(); !lastSeen[i].IsZero() {
						gap[i] = max(gap[i], now.Sub(lastSeen[i]))
						lastSeen[i] = now
					} else {
						lastSeen[i] = now
					}
					mu.Unlock()
				}
				if ctx.Err() == nil {
					ends[i]++
				}
				events.Close()
			}
		})
	}
	began.Wait()
	base := c.goroutines()

	var ledger []hireNote
	begun, over := time.Now(), make(chan struct{})
	var hiring sync.WaitGroup
	for w := range 12 {
		client := c.client(w%clusterSize, 1)
		hiring.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-over:
					return
				default:
				}
				h := hireNote{name: fmt.Sprintf("hire %d of %d", n, w), begun: time.Now()}
				a, err := client.Do(context.WithoutCancel(ctx), api.Request{Method: http.MethodPost, Path: "/agents",
					Body: object{"name": h.name, "role": "worker", "department": department}})
				h.took, h.code = time.Since(h.begun), a.Status
				if err != nil {
					h.text = err.Error()
				} else if !a.OK() {
					h.text = a.Err().Error()
				}
				mu.Lock()
				ledger = append(ledger, h)
				mu.Unlock()
			}
		})
	}
	time.Sleep(4 * time.Second)
	primary := mongoserver.Primary(t, uri)
	victim := containerAt(t, primary)
	fault := time.Now()
	if how == "kill" {
		if out, err := exec.Command("docker", "kill", "-s", "KILL", victim).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	} else {
		err := c.db.Client().Database("admin").RunCommand(t.Context(), bson.D{{Key: "replSetStepDown", Value: 10}}).Err()
		t.Logf("step down: %v", err)
	}
	commanded := time.Since(fault)
	time.Sleep(12 * time.Second)
	close(over)
	hiring.Wait()

	type row struct {
		ID    string
		Name  string
		Type  string `json:"event_type"`
		Agent string `json:"agent_name"`
	}
	agents, err := api.All[row](t.Context(), admin, "/agents", nil)
	if err != nil {
		t.Fatal(err)
	}
	feed, err := api.All[row](t.Context(), admin, "/activities", url.Values{"type": {"hired"}})
	if err != nil {
		t.Logf("feed by type: %v", err)
		if feed, err = api.All[row](t.Context(), admin, "/activities", nil); err != nil {
			t.Fatal(err)
		}
		feed = slices.DeleteFunc(feed, func(r row) bool { return r.Type != "hired" })
	}
	there, hired := map[string]int{}, map[string]int{}
	for _, a := range agents {
		there[a.Name]++
	}
	for _, e := range feed {
		hired[e.Agent]++
	}
	var okay, lost, doubled, lied, unknownYes, unknownNo, notApplied, other, noevent int
	var slowest, slowestOK, firstAgain time.Duration
	var lastBefore time.Time
	texts := map[string]int{}
	for _, h := range ledger {
		n := there[h.name]
		if n > 1 || hired[h.name] > 1 {
			doubled++
		}
		if n != hired[h.name] {
			noevent++
		}
		switch {
		case h.code == http.StatusCreated:
			okay++
			if n != 1 {
				lost++
			}
			slowestOK = max(slowestOK, h.took)
			if end := h.begun.Add(h.took); h.begun.After(fault) && (firstAgain == 0 || end.Sub(fault) < firstAgain) {
				firstAgain = end.Sub(fault)
			} else if end.Before(fault.Add(commanded+300*time.Millisecond)) && end.After(lastBefore) {
				lastBefore = end
			}
		default:
			texts[fmt.Sprint(h.code, " ", h.text)]++
			slowest = max(slowest, h.took)
			switch {
			case strings.Contains(h.text, "may have been applied") && n == 1:
				unknownYes++
			case strings.Contains(h.text, "may have been applied"):
				unknownNo++
			case strings.Contains(h.text, "not applied"):
				notApplied++
				lied += n
			default:
				other++
			}
		}
	}
	// The longest time without a success that any client saw.
	var ends2 []time.Time
	for _, h := range ledger {
		if h.code == http.StatusCreated {
			ends2 = append(ends2, h.begun.Add(h.took))
		}
	}
	slices.SortFunc(ends2, time.Time.Compare)
	var longest time.Duration
	for i := 1; i < len(ends2); i++ {
		longest = max(longest, ends2[i].Sub(ends2[i-1]))
	}
	want := map[string]bool{}
	for _, e := range feed {
		want[e.ID] = true
	}
	deadline := time.Now().Add(20 * time.Second)
	caught := func() bool {
		mu.Lock()
		defer mu.Unlock()
		for _, s := range seen {
			if len(s) < len(want) {
				return false
			}
		}
		return len(hooked) >= len(want)
	}
	for !caught() && time.Now().Before(deadline) {
		time.Sleep(50 * time.Millisecond)
	}
	caughtAfter := time.Since(ends2[len(ends2)-1])
	mu.Lock()
	for i, s := range seen {
		had := map[string]int{}
		for _, id := range s {
			had[id]++
		}
		missing, twice := 0, 0
		for id := range want {
			if had[id] == 0 {
				missing++
			} else if had[id] > 1 {
				twice++
			}
		}
		t.Logf("follower %d: %d events, %d missing, %d twice, %d unknown to the feed, stream ended %d times, longest gap %s, same order as the first: %v",
			i, len(s), missing, twice, len(had)+missing-len(want), ends[i], gap[i].Round(time.Millisecond), slices.Equal(s, seen[0]))
		if missing+twice > 0 {
			t.Error("the stream lost or doubled")
		}
	}
	missing, again := 0, 0
	for id := range want {
		switch n := hooked[id]; {
		case n == 0:
			missing++
		case n > 1:
			again++
		}
	}
	mu.Unlock()
	t.Logf("webhook: %d of %d events, %d missing, %d more than once; all caught up %s after the last answer", len(want)-missing, len(want), missing, again, caughtAfter.Round(time.Millisecond))
	t.Logf("%s: %d hires in %s: %d answered 201, %d lost, %d doubled, %d agents without event or the other way; refused: %d not applied (%d of them there all the same), %d may have been applied (%d there), %d others; slowest refusal %s, slowest success %s; no success for %s; first hire begun after the fault answered after %s",
		how, len(ledger), time.Since(begun).Round(time.Second), okay, lost, doubled, noevent, notApplied, lied, unknownYes+unknownNo, unknownYes, other,
		slowest.Round(time.Millisecond), slowestOK.Round(time.Millisecond), longest.Round(time.Millisecond), firstAgain.Round(time.Millisecond))
	for text, n := range texts {
		t.Logf("%d x %s", n, text)
	}
	if lost+doubled+lied+missing > 0 {
		t.Error("a promise was broken")
	}
	problems, err := unrepaired(t.Context(), c.db)
	t.Logf("invariants: %v %v", problems, err)
	stop()
	following.Wait()
	t.Logf("goroutines before %v, after %v", base, func() []int { time.Sleep(3 * time.Second); return c.goroutines() }())
	for i, p := range c.replicas {
		lines := failures(p)
		t.Logf("replica %d logged %d errors", i, len(lines))
		for _, l := range lines[:min(4, len(lines))] {
			t.Logf("  %.300s", l)
		}
	}
	if how == "kill" {
		if out, err := exec.Command("docker", "start", victim).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	}
}
