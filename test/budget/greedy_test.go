package budget

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/domain/limit"
)

const (
	greedyClients = 200
	others        = 8
	dueEvery      = time.Second / 20 // a request of each of the others
	alone         = 15 * time.Second
	beside        = time.Minute
	maxSlower     = 3
	maxProcess    = 1 << 30 // bytes
)

// greedyVariable has this program be the greedy clients of another one's test, and says
// what they do.
const greedyVariable = "ORGD_TEST_GREEDY"

// greed is what greedy clients do.
type greed struct {
	URL           string
	Paths, Tokens []string
	For           time.Duration
}

// TestGreedyReaders has many with the lowest role ask for the largest pages without a
// pause, and wants others not to be much slower than without them.
//
// The greedy clients are a process of their own, which has processors only while nobody
// else wants them: what they take to read megabytes would otherwise be missing to the
// others' clients, and count as slowness of the service.
func TestGreedyReaders(t *testing.T) {
	long(t)
	w := fill(embedded(t))
	w.env, w.limits = []string{"GOMEMLIMIT=900MiB"}, farLimits() // nine tenths of what it may have
	w.restart()
	large := url.PathEscape(w.large[0])
	g := greed{URL: w.URL + "/api/v1", For: beside, Paths: []string{ // webhooks are shown to administrators alone
		"/agents?department=large&limit=200", "/company", "/departments?limit=200", "/projects?limit=200",
		"/agents/" + large + "/versions?limit=200", "/activities?limit=200",
	}}
	for i := range greedyClients {
		g.Tokens = append(g.Tokens, w.mint(fmt.Sprintf("greedy%d", i), "viewer"))
	}
	clients := make([]string, others)
	for i := range clients {
		clients[i] = w.mint(fmt.Sprintf("other%d", i), "editor")
	}
	w.resetPeak()
	w.steadily(clients, alone/5) // finds nothing in the caches
	before := w.steadily(clients, alone)
	answers := make(chan map[string]int, 1)
	go func() { answers <- w.greedily(g) }()
	meanwhile := w.steadily(clients, beside)
	got := <-answers
	peak := w.memory("VmHWM")
	var all []string
	for _, what := range slices.Sorted(maps.Keys(got)) {
		all = append(all, fmt.Sprintf("%d × %s", got[what], what))
		if what != "200" && what != "429" {
			t.Errorf("greedy clients got %s, %d times", what, got[what])
		}
	}
	t.Logf("budget: others alone: half within %v, 99 %% within %v; beside %d greedy clients %v and %v",
		part(before, 50), part(before, 99), greedyClients, part(meanwhile, 50), part(meanwhile, 99))
	t.Logf("budget: greedy clients: %s; the service had %d MiB at rest and %d at most", strings.Join(all, ", "), w.base>>20, peak>>20)
	if got, want := part(meanwhile, 99), maxSlower*part(before, 99); got > want {
		t.Errorf("99 %% of the others' requests took up to %v, want at most %v", got, want)
	}
	if peak > maxProcess {
		t.Errorf("the service had %d MiB, want at most %d", peak>>20, maxProcess>>20)
	}
	if got["200"] == 0 {
		t.Error("greedy clients got nothing")
	}
}

// farLimits are flags with which every limit is counted and none is met.
func farLimits() []string {
	rates, slots := []string{"address=1000000/60s", "subject=1000000/60s"}, []string(nil)
	for op := range limit.Defaults().Operations {
		rates = append(rates, op+"=1000000/60s")
	}
	for op := range limit.Defaults().Slots {
		slots = append(slots, op+"=1000000")
	}
	return []string{"--limit", strings.Join(rates, ","), "--limit-at-once", strings.Join(slots, ",")}
}

// part is what n in a hundred are at most.
func part(took []time.Duration, n int) time.Duration {
	return took[len(took)*n/100].Round(100 * time.Microsecond)
}

// steadily has clients send small requests whenever one is due, whether the ones before
// are answered or not. It returns how long after that each was answered, in order.
func (w *world) steadily(tokens []string, d time.Duration) []time.Duration {
	w.Helper()
	var all sync.WaitGroup
	each := int(d / dueEvery)
	took, problems := make([]time.Duration, len(tokens)*each), make([]error, len(tokens)*each)
	begin := time.Now()
	for i, token := range tokens {
		all.Go(func() {
			for k := range each {
				due := begin.Add(time.Duration(k)*dueEvery + time.Duration(i)*dueEvery/time.Duration(len(tokens)))
				time.Sleep(time.Until(due))
				all.Go(func() {
					_, err := w.call(w.small(token, i, k), nil)
					took[i*each+k], problems[i*each+k] = time.Since(due), err
				})
			}
		})
	}
	all.Wait()
	if failed := slices.DeleteFunc(problems, func(err error) bool { return err == nil }); len(failed) > 0 {
		w.Errorf("%d of %d requests of others failed: %v", len(failed), len(took), errors.Join(failed[:min(3, len(failed))]...))
	}
	slices.Sort(took)
	return took
}

// small is request k of client i.
func (w *world) small(token string, i, k int) request {
	agent := "/api/v1/agents/" + w.crowd[i*100+k%100]
	switch k % 4 {
	case 0:
		return request{method: http.MethodGet, path: agent, token: token}
	case 1:
		return request{method: http.MethodGet, path: "/api/v1/agents?limit=50&department=" + crowdName, token: token}
	case 2:
		return request{method: http.MethodPatch, path: agent, token: token, body: fmt.Appendf(nil, `{"role":"role %d"}`, k)}
	}
	return request{method: http.MethodGet, path: "/api/v1/departments/" + crowdName + "/health", token: token}
}

// greedily runs the clients, and returns how often they got what.
func (w *world) greedily(g greed) (answers map[string]int) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), "nice", "-n", "19", os.Args[0])
	cmd.Env = append(os.Environ(), greedyVariable+"="+string(encode(w.T, g)))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &answers)
	}
	if err != nil {
		w.Errorf("greedy clients: %v", err)
	}
	return answers
}

// greedy is the process of the clients. It returns its exit code.
func greedy(text string) int {
	var g greed
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), g.For)
	defer cancel()
	var mu sync.Mutex
	var all sync.WaitGroup
	answers := map[string]int{}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: len(g.Tokens), DisableCompression: true, ReadBufferSize: 64 << 10}}
	for i, token := range g.Tokens {
		all.Go(func() {
			buffer := make([]byte, 64<<10)
			for k := i; ctx.Err() == nil; k++ {
				what, wait := ask(ctx, client, g.URL+g.Paths[k%len(g.Paths)], token, buffer)
				if ctx.Err() != nil {
					return // whatever it was, it was cut
				}
				mu.Lock()
				answers[what]++
				mu.Unlock()
				select {
				case <-time.After(wait):
				case <-ctx.Done():
				}
			}
		})
	}
	all.Wait()
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// ask sends a request and reads its answer. It returns the status, or what was wrong,
// and how long to wait then.
func ask(ctx context.Context, client *http.Client, url, token string, buffer []byte) (what string, wait time.Duration) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err.Error(), 0
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		return err.Error(), 0
	}
	defer resp.Body.Close()
	// Alone, io.Discard reads 8 KiB at a time.
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{resp.Body}, buffer); err != nil {
		return "200, cut: " + err.Error(), 0
	}
	what = strconv.Itoa(resp.StatusCode)
	if resp.StatusCode == http.StatusTooManyRequests {
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			return "429 without Retry-After", time.Second
		}
		wait = time.Duration(seconds) * time.Second
	}
	return what, wait
}
