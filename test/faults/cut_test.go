package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/seed"
)

// sendAndLeave sends a request and closes the connection without reading the
// answer: after its first byte, when the change is committed, or, if after is
// not 0, after a time that may end before, during or after the commit.
func sendAndLeave(url, token string, r api.Request, after time.Duration) error {
	body, err := json.Marshal(r.Body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(r.Method, url+"/api/v1"+r.Path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", r.Key)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return err
	}
	if err := req.Write(conn); err != nil {
		return errors.Join(err, conn.Close())
	}
	if after > 0 {
		time.Sleep(after)
	} else if _, err := conn.Read(make([]byte, 1)); err != nil {
		return errors.Join(err, conn.Close())
	}
	return conn.Close()
}

// leaver is a client whose connections break before the answers arrive. It asks
// for all that a POST can make, under names of its own.
type leaver struct {
	// ask sends a request whose answer is lost: one that is given if after is 0,
	// else whatever there is of it after this time.
	ask func(r api.Request, after time.Duration) error
	// hasty is how often, of a hundred times, the client leaves before the answer,
	// after patience at most.
	hasty     int
	patience  time.Duration
	c         *api.Client // for what is asked again
	id        int
	rng       *rand.Rand
	rollbacks int
	replayed  int
}

func (l *leaver) agent() string { return fmt.Sprintf("agent of leaver %d", l.id) }

// prepare makes an agent with two versions to roll back between.
func (l *leaver) prepare(t *testing.T) {
	t.Helper()
	must(t, l.c, api.Request{Method: http.MethodPost, Path: "/agents", Body: map[string]any{
		"name": l.agent(), "role": "pendulum", "department": department,
	}}, nil)
	must(t, l.c, api.Request{Method: http.MethodPatch, Path: api.Path("agents", l.agent()), Body: map[string]any{"description": "other"}}, nil)
}

// request is what to ask for in a round. Things that are made carry the name of
// the round.
func (l *leaver) request(round int) api.Request {
	r := api.Request{Method: http.MethodPost, Key: fmt.Sprintf("leaver-%d-round-%d", l.id, round)}
	switch round % 4 {
	case 0:
		r.Path, r.Body = "/projects", map[string]any{"name": r.Key}
	case 1:
		r.Path, r.Body = "/agents", map[string]any{"name": r.Key, "role": "made", "department": department}
	case 2:
		// Without ids the service cannot tell the events of two requests apart.
		event := map[string]any{"event_type": "task_started", "agent": l.agent(), "description": r.Key, "data": map[string]any{"task_id": "t"}}
		r.Path, r.Body = "/activities", map[string]any{"events": []any{event, event}}
	default:
		r.Path = api.Path("agents", l.agent(), "versions", "rollback")
		r.Body = map[string]any{"target_version": 1 + l.rollbacks%2}
		l.rollbacks++
	}
	return r
}

// round asks, leaves, and asks again until there is an answer; then once more.
func (l *leaver) round(ctx context.Context, round int) error {
	r := l.request(round)
	after := time.Duration(0)
	if l.rng.IntN(100) < l.hasty {
		after = 1 + time.Duration(l.rng.Int64N(int64(l.patience)))
	}
	if err := l.ask(r, after); err != nil {
		return err
	}
	first, err := retry(ctx, l.c, r)
	if err != nil {
		return err
	}
	if !first.OK() {
		return fmt.Errorf("%s: %w", r.Path, first.Err())
	}
	if first.Replayed() {
		l.replayed++
	} else if after == 0 {
		return fmt.Errorf("%s: done again, although the first time had been answered", r.Path)
	}
	again, err := retry(ctx, l.c, r)
	if err != nil {
		return err
	}
	return sameReply(first, again)
}

// want checks that each round has made its things once.
func (l *leaver) want(t *testing.T, n map[string]int, rounds int) {
	t.Helper()
	for round := range rounds {
		key := fmt.Sprintf("leaver-%d-round-%d", l.id, round)
		want := []int{1, 1, 2, 0}[round%4]
		if n[key] != want {
			t.Errorf("%s: made %d times, want %d", key, n[key], want)
		}
	}
	var a agentView
	must(t, l.c, api.Request{Method: http.MethodGet, Path: api.Path("agents", l.agent())}, &a)
	if want := int64(2 + l.rollbacks); a.Version != want {
		t.Errorf("%s: version = %d, want %d: each rollback once", l.agent(), a.Version, want)
	}
}

// TestCutRepliesAreRepeated breaks connections while answers are on their way,
// and wants the request that comes again with the same key to happen once.
func TestCutRepliesAreRepeated(t *testing.T) {
	const leavers = 8
	rounds := size(500, 10_000) / leavers
	rng := seed.Rand(t)
	s := serve(t)
	c := s.client(leavers)
	s.hireCrew(rng)
	crew := make([]*leaver, leavers)
	for id := range crew {
		crew[id] = &leaver{id: id, c: c, rng: rand.New(rand.NewPCG(rng.Uint64(), 0)), hasty: 50, patience: 3 * time.Millisecond}
		crew[id].ask = func(r api.Request, after time.Duration) error { return sendAndLeave(s.URL, s.token, r, after) }
	}
	replayed := leave(t, crew, rounds)
	t.Logf("%d of %d requests had been done before they were asked again", replayed, leavers*rounds)
}

// leave lets clients lose answers, each so many, and wants everything to happen
// once. It returns how many requests had been done before they were repeated.
func leave(t *testing.T, crew []*leaver, rounds int) (replayed int) {
	t.Helper()
	var wg sync.WaitGroup
	for _, l := range crew {
		l.prepare(t)
		wg.Go(func() {
			for round := range rounds {
				if err := l.round(t.Context(), round); err != nil {
					t.Errorf("leaver %d round %d: %v", l.id, round, err)
					return
				}
			}
		})
	}
	wg.Wait()
	n := made(t, crew[0].c)
	for _, l := range crew {
		l.want(t, n, rounds)
		replayed += l.replayed
	}
	return replayed
}
