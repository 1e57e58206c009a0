package faults

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/redisserver"
	"orgd/test/seed"
)

// maxReplicas is how many replicas the limiter is tried with.
const maxReplicas = 8

// window is a limit of one operation.
type window struct {
	operation string
	cap       int
	length    time.Duration
	request   api.Request // which is admitted if it is answered by 404
}

func (w window) flag() string { return fmt.Sprintf("%s=%d/%s", w.operation, w.cap, w.length) }

var (
	tenEachMinute = window{
		"agents.update", 10, time.Minute,
		api.Request{Method: http.MethodPatch, Path: "/agents/nobody", Body: map[string]any{}},
	}
	twentyInFive = window{
		"projects.update", 20, 5 * time.Second,
		api.Request{Method: http.MethodPatch, Path: "/projects/proj-000000000000", Body: map[string]any{}},
	}
)

// admission is when a request was admitted, as far as its client knows: between
// the two.
type admission struct{ asked, answered time.Duration }

// attempts are the requests of one subject in one window, through some of the
// replicas.
type attempts struct {
	window
	replicas int
	clients  []*api.Client

	mu       sync.Mutex
	made     int
	admitted []admission
}

// try makes one attempt through a replica of its choice.
func (a *attempts) try(ctx context.Context, rng *rand.Rand, begin time.Time) error {
	asked := time.Since(begin)
	answer, err := a.clients[rng.IntN(len(a.clients))].Do(ctx, a.request)
	answered := time.Since(begin)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made++
	switch answer.Status {
	case http.StatusNotFound:
		a.admitted = append(a.admitted, admission{asked, answered})
	case http.StatusTooManyRequests:
		if answer.Code() != 5001 {
			return answer.Err()
		}
	default:
		return answer.Err()
	}
	return nil
}

// excess returns the most admissions that certainly lie in one period of the
// window: all of them were asked for and answered in it.
func (a *attempts) excess() (most int) {
	slices.SortFunc(a.admitted, func(x, y admission) int { return cmp.Compare(x.asked, y.asked) })
	for i, first := range a.admitted {
		n := 0
		for _, x := range a.admitted[i:] {
			if x.answered < first.asked+a.length {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// TestExcess makes sure that too many admissions are seen.
func TestExcess(t *testing.T) {
	second := func(asked, answered float64) admission {
		return admission{time.Duration(asked * float64(time.Second)), time.Duration(answered * float64(time.Second))}
	}
	for name, tc := range map[string]struct {
		admitted []admission
		want     int
	}{
		"none":                 {nil, 0},
		"at once":              {[]admission{second(1, 1.1), second(1, 1.2), second(1.1, 1.3)}, 3},
		"one leaves in time":   {[]admission{second(1, 1.1), second(2, 2.1), second(6.1, 6.2)}, 2},
		"one leaves too early": {[]admission{second(1, 1.1), second(2, 2.1), second(5.8, 5.9)}, 3},
		"nobody can tell":      {[]admission{second(1, 1.1), second(5.8, 6.1)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := attempts{window: twentyInFive, admitted: tc.admitted}
			if got := a.excess(); got != tc.want {
				t.Errorf("excess = %d, want %d", got, tc.want)
			}
		})
	}
}

// TestReplicasNeverAdmitMoreThanTheCap lets a hundred clients try all the time,
// as subjects of which each may use the first one, two, ... eight of the
// replicas. Redis decides by its own clock; replicas have no clock in it.
func TestReplicasNeverAdmitMoreThanTheCap(t *testing.T) {
	t.Parallel()
	const clients = 96 // as many for each of the windows and numbers of replicas
	least := size(50_000, 1_000_000)
	seeds := seed.Rand(t)
	during := time.Duration(size(13, 150)) * time.Second
	c := startLimited(t, maxReplicas, redisserver.Shared(t), "--limit", tenEachMinute.flag(), "--limit", twentyInFive.flag())
	var all []*attempts
	for n := 1; n <= maxReplicas; n++ {
		token := c.newToken(fmt.Sprintf("subject of %d replicas", n))
		for _, w := range []window{tenEachMinute, twentyInFive} {
			all = append(all, &attempts{window: w, replicas: n, clients: c.clients(token, clients)[:n]})
		}
	}
	var made atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range clients {
		rng := rand.New(rand.NewPCG(seeds.Uint64(), 0))
		wg.Go(func() {
			for time.Since(begin) < during || made.Load() < int64(least) {
				if err := all[i%len(all)].try(t.Context(), rng, begin); err != nil {
					t.Errorf("client %d: %v", i, err)
					return
				}
				made.Add(1)
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	if !c.wantShared(took) {
		return // what each admitted for itself is not what this test is about
	}
	used, wanted := 0, 0
	for _, a := range all {
		if n := a.excess(); n > a.cap {
			t.Errorf("%s over %d replicas: %d requests were admitted within %s, want at most %d", a.operation, a.replicas, n, a.length, a.cap)
		}
		// The cap fits at once, and then once in each period. The last one may have
		// begun too late for a busy machine.
		want := a.cap * (1 + int((took-time.Second)/a.length)) * 99 / 100
		if len(a.admitted) < want {
			c.late(took, "%s over %d replicas: %d of %d attempts were admitted in %s, want at least %d", a.operation, a.replicas, len(a.admitted), a.made, took, want)
		}
		used, wanted = used+len(a.admitted), wanted+want
	}
	t.Logf("R7: %d attempts in %s over 1 to %d replicas: never more than the cap in a period; %d admitted, at least %d were to be",
		made.Load(), took.Round(time.Millisecond), maxReplicas, used, wanted)
}

// wantShared wants that no replica has counted for itself for some time, and
// reports whether it is so.
func (c *cluster) wantShared(took time.Duration) bool {
	c.t.Helper()
	c.wantCleanLogs()
	shared := true
	for i, p := range c.replicas {
		if lines := p.Warnings(); len(lines) > 0 {
			shared = false
			c.late(took, "replica %d logged warnings:\n%s", i, lines)
		}
	}
	return shared
}

// TestRetryAfterIsRight fills windows through all replicas. Who waits as long as
// one of them says is admitted by another one; who is impatient finds that he was
// not told to wait a second more than needed.
func TestRetryAfterIsRight(t *testing.T) {
	t.Parallel()
	const replicas = 3
	subjects := size(10, 200)
	seeds := seed.Rand(t)
	w := twentyInFive
	c := startLimited(t, replicas, redisserver.Shared(t), "--limit", w.flag())
	begin := time.Now()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var most time.Duration
	for i := range subjects {
		clients := c.clients(c.newToken(fmt.Sprintf("subject %d", i)), 1)
		rng := rand.New(rand.NewPCG(seeds.Uint64(), 0))
		wg.Go(func() {
			time.Sleep(upTo(rng, time.Second))
			told, late, err := w.wait(t.Context(), rng, clients, i%2 == 0)
			if err != nil {
				t.Errorf("subject %d, told to wait %s: %v", i, told, err)
			}
			mu.Lock()
			defer mu.Unlock()
			most = max(most, late)
		})
	}
	wg.Wait()
	c.wantShared(time.Since(begin))
	t.Logf("R7: Retry-After of %d subjects: never early; at most %s more than needed", subjects, most.Round(time.Millisecond))
}

// wait fills the window, is refused, and asks again: patiently as late as told, or
// all the time. It returns what it was told, and how much more that was than
// needed.
func (w window) wait(ctx context.Context, rng *rand.Rand, clients []*api.Client, patient bool) (told, late time.Duration, err error) {
	ask := func() (api.Answer, error) { return clients[rng.IntN(len(clients))].Do(ctx, w.request) }
	for range w.cap {
		if a, err := ask(); err != nil || a.Status != http.StatusNotFound {
			return 0, 0, fmt.Errorf("before the window is full: %w", errors.Join(a.Err(), err))
		}
		time.Sleep(upTo(rng, 50*time.Millisecond))
	}
	asked := time.Now()
	a, err := ask()
	if err != nil || a.Status != http.StatusTooManyRequests || a.RetryAfter() < time.Second || a.RetryAfter() > w.length {
		return 0, 0, fmt.Errorf("when the window is full: %w", errors.Join(a.Err(), err))
	}
	told = a.RetryAfter()
	if patient {
		time.Sleep(told)
		if a, err = ask(); err != nil || a.Status != http.StatusNotFound {
			return told, 0, fmt.Errorf("in time: %w", errors.Join(a.Err(), err))
		}
		return told, 0, nil
	}
	for a.Status == http.StatusTooManyRequests && err == nil {
		time.Sleep(20 * time.Millisecond)
		a, err = ask()
	}
	late = told - time.Since(asked)
	if err != nil || a.Status != http.StatusNotFound || late > time.Second {
		return told, late, fmt.Errorf("admitted %s earlier: %w", late, errors.Join(a.Err(), err))
	}
	return told, late, nil
}
