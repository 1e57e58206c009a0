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
)

// sendAndLeave sends a request and closes the connection without reading the
// answer: after its first byte, when the change is committed, or, if after is
// not 0, after a time that may end before, during or after the commit.
func (s *service) sendAndLeave(r api.Request, after time.Duration) error {
	body, err := json.Marshal(r.Body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(r.Method, s.URL+"/api/v1"+r.Path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", r.Key)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
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
	s         *service
	c         *api.Client
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

// maxPatience is as long as a request may take, so that some are left before
// and some after their commit.
const maxPatience = 3 * time.Millisecond

// round asks, leaves, and asks again until there is an answer; then once more.
func (l *leaver) round(ctx context.Context, round int) error {
	r := l.request(round)
	patience := time.Duration(0)
	if l.rng.IntN(2) == 0 {
		patience = 1 + time.Duration(l.rng.Int64N(int64(maxPatience)))
	}
	if err := l.s.sendAndLeave(r, patience); err != nil {
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
	} else if patience == 0 {
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
	rng := random(t)
	s := serve(t)
	c := s.client(leavers)
	s.hireCrew(rng)
	var wg sync.WaitGroup
	crew := make([]*leaver, leavers)
	for id := range crew {
		l := &leaver{s: s, c: c, id: id, rng: rand.New(rand.NewPCG(rng.Uint64(), 0))}
		l.prepare(t)
		crew[id] = l
		wg.Go(func() {
			for round := range rounds {
				if err := l.round(t.Context(), round); err != nil {
					t.Errorf("leaver %d round %d: %v", id, round, err)
					return
				}
			}
		})
	}
	wg.Wait()
	n := made(t, c)
	replayed := 0
	for _, l := range crew {
		l.want(t, n, rounds)
		replayed += l.replayed
	}
	t.Logf("%d of %d requests had been done before they were asked again", replayed, leavers*rounds)
}
