package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
)

const (
	// retryWait bounds how long a key may stay busy after its request was
	// abandoned.
	retryWait  = 20 * time.Second
	retryEvery = 2 * time.Millisecond
)

// retry repeats a request with its key until the first attempt is over, and while
// the storage has no time for it, which the logs are asked about. The interface
// asks to wait a second; a test has no patience.
func retry(ctx context.Context, c *api.Client, r api.Request) (api.Answer, error) {
	for end := time.Now().Add(retryWait); ; time.Sleep(retryEvery) {
		a, err := c.Do(ctx, r)
		if err != nil || !isRunning(a) && !isBusy(a) {
			return a, err
		}
		if a.RetryAfter() != time.Second {
			return a, fmt.Errorf("Retry-After is %s, want 1s", a.RetryAfter())
		}
		if time.Now().After(end) {
			return a, fmt.Errorf("key still busy after %s: %w", retryWait, a.Err())
		}
	}
}

// isRunning reports the answer to a repetition of a request that still runs.
func isRunning(a api.Answer) bool {
	return a.Status == http.StatusTooManyRequests && a.Code() == 5002
}

// isBusy reports an answer that leaves open whether the request was done.
func isBusy(a api.Answer) bool { return a.Status == http.StatusServiceUnavailable && a.Code() == 8001 }

// sameReply reports how the answer to a repeated request differs from the first
// answer.
func sameReply(first, again api.Answer) error {
	for _, name := range []string{"ETag", "Location", "Content-Type"} {
		if a, b := first.Header.Get(name), again.Header.Get(name); a != b {
			return fmt.Errorf("%s is %q, was %q", name, b, a)
		}
	}
	switch {
	case !again.Replayed():
		return errors.New("the answer does not say that it is a replay")
	case first.Status != again.Status:
		return fmt.Errorf("status is %d, was %d", again.Status, first.Status)
	case !bytes.Equal(first.Body, again.Body):
		return fmt.Errorf("body is %s, was %s", again.Body, first.Body)
	}
	return nil
}

// made counts what there is by name.
func made(t *testing.T, c *api.Client) map[string]int {
	t.Helper()
	n := map[string]int{}
	i := &inspector{ctx: t.Context(), c: c}
	for _, p := range all[thingView](i, "/projects") {
		n[p.Name]++
	}
	for _, a := range all[agentView](i, "/agents") {
		n[a.Name]++
	}
	for _, e := range all[eventView](i, "/activities") {
		if e.Type == "task_started" {
			n[e.Description]++
		}
	}
	for _, problem := range i.problems {
		t.Error(problem)
	}
	return n
}

// TestParallelRepeatsHappenOnce sends the same request with the same key many
// times at once.
func TestParallelRepeatsHappenOnce(t *testing.T) {
	const parallel = 32
	groups := size(50, 1000)
	s := serve(t)
	c := s.client(parallel)
	for g := range groups {
		r := api.Request{Method: http.MethodPost, Path: "/projects", Key: fmt.Sprintf("group-%d", g)}
		r.Body = map[string]any{"name": r.Key}
		if err := sendTogether(t.Context(), []*api.Client{c}, r, parallel); err != nil {
			t.Fatalf("%s: %v", r.Key, err)
		}
	}
	n := made(t, c)
	for g := range groups {
		if key := fmt.Sprintf("group-%d", g); n[key] != 1 {
			t.Errorf("%s: made %d times, want once", key, n[key])
		}
	}
}

// sendTogether sends copies of a request at once, by turns through the clients.
// One of them is done; the others answer the same, or that it is still running.
func sendTogether(ctx context.Context, clients []*api.Client, r api.Request, copies int) error {
	answers := make([]api.Answer, copies)
	errs := make([]error, copies)
	var wg sync.WaitGroup
	for i := range copies {
		wg.Go(func() { answers[i], errs[i] = clients[i%len(clients)].Do(ctx, r) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	var first []api.Answer
	for _, a := range answers {
		if a.Status == http.StatusCreated && !a.Replayed() {
			first = append(first, a)
		}
	}
	last, err := retry(ctx, clients[0], r)
	if err != nil {
		return err
	}
	if !last.Replayed() {
		return fmt.Errorf("the last answer is no replay: %w", last.Err())
	}
	if len(first) > 1 || len(first) == 0 && !slices.ContainsFunc(answers, isBusy) {
		return fmt.Errorf("%d answers say that they are the first, want 1", len(first))
	}
	if len(first) == 0 {
		first = []api.Answer{last}
	}
	for _, a := range append(answers, last) {
		switch {
		case isRunning(a) || isBusy(a):
		case a.Replayed():
			if err := sameReply(first[0], a); err != nil {
				return err
			}
		case a.Status != http.StatusCreated:
			return a.Err()
		}
	}
	return nil
}
