package app

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
)

// heldUses counts the writes of uses, and fails when a test says.
type heldUses struct {
	ports.SessionStore
	writes, largest int
	fail            func(write int) error
}

func (h *heldUses) Used(ctx context.Context, uses []session.Use) error {
	h.writes++
	h.largest = max(h.largest, len(uses))
	if h.fail != nil {
		if err := h.fail(h.writes); err != nil {
			return err
		}
	}
	return h.SessionStore.Used(ctx, uses)
}

func usedSession(n int) session.Session {
	return session.Session{ID: fmt.Sprint("s", n), Subject: "ann", Kind: session.External, IssuedAt: noon, ExpiresAt: noon.Add(time.Hour)}
}

// replicaOf is one of the replicas that share a store.
func replicaOf(store ports.SessionStore) (*Sessions, *setClock) {
	clock := &setClock{noon}
	return NewSessions(clock, &counted{}, nil, nil, nil, store, nil), clock
}

func (s *Sessions) mustSee(t *testing.T, n int) {
	t.Helper()
	if err := s.See(t.Context(), usedSession(n)); err != nil {
		t.Fatalf("See = %v", err)
	}
}

func (s *Sessions) mustStoreUses(t *testing.T) {
	t.Helper()
	if err := s.StoreUses(t.Context()); err != nil {
		t.Fatalf("StoreUses = %v", err)
	}
}

// wantUsed checks what everybody is shown of a session.
func wantUsed(t *testing.T, s *Sessions, n int, want time.Time) {
	t.Helper()
	if got, err := s.store.Session(t.Context(), usedSession(n).ID); err != nil || !got.LastUsedAt.Equal(want) {
		t.Errorf("session %d = used at %v, %v, want %v", n, got.LastUsedAt, err, want)
	}
}

// A flood of requests is few writes, none of which a request makes, and nothing is
// written if nothing was used.
func TestUsesOfManySessions(t *testing.T) {
	store := &heldUses{SessionStore: portstest.NewMemory().Sessions}
	s, clock := replicaOf(store)
	const sessions, rounds = 10_000, 10
	for range rounds {
		clock.now = clock.now.Add(time.Second)
		for n := range sessions {
			s.mustSee(t, n)
		}
	}
	if store.writes != 0 || len(s.uses.latest) != sessions {
		t.Errorf("%d requests made %d writes and keep %d uses, want none and %d", sessions*rounds, store.writes, len(s.uses.latest), sessions)
	}
	wantUsed(t, s, 1, time.Time{})
	s.mustStoreUses(t)
	if want := sessions / usesAtOnce; store.writes != want || store.largest != usesAtOnce || len(s.uses.latest) != 0 {
		t.Errorf("%d sessions: %d writes, the largest of %d, and %d uses are kept, want %d, %d and none",
			sessions, store.writes, store.largest, len(s.uses.latest), want, usesAtOnce)
	}
	for _, n := range []int{0, sessions - 1} {
		wantUsed(t, s, n, noon.Add(rounds*time.Second))
	}
	store.writes = 0
	if s.mustStoreUses(t); store.writes != 0 {
		t.Errorf("%d writes although nothing was used", store.writes)
	}
}

// What is kept in memory has a bound, and sessions that are kept move on beyond it.
func TestUsesAreBounded(t *testing.T) {
	s, _ := replicaOf(nil)
	for n := range maxUses + 10_000 {
		s.uses.keep(session.Use{ID: fmt.Sprint("s", n), At: noon})
	}
	s.uses.keep(session.Use{ID: "s0", At: noon.Add(time.Second)})
	if n := len(s.uses.latest); n != maxUses || !s.uses.latest["s0"].Equal(noon.Add(time.Second)) {
		t.Errorf("%d uses are kept, the first of %v, want %d", n, s.uses.latest["s0"], maxUses)
	}
}

// An older use never replaces a newer one, whichever replica stores it when, and
// whatever its clock says.
func TestUsesOnTwoReplicas(t *testing.T) {
	store := portstest.NewMemory().Sessions
	one, clockOfOne := replicaOf(store)
	two, clockOfTwo := replicaOf(store)
	at := func(d time.Duration) time.Time { return noon.Add(d) }
	clockOfOne.now, clockOfTwo.now = at(2*time.Minute), at(time.Minute)
	one.mustSee(t, 1)
	two.mustSee(t, 1)
	one.mustStoreUses(t)
	two.mustStoreUses(t)
	wantUsed(t, two, 1, at(2*time.Minute))
	clockOfOne.now = at(-time.Hour) // set back
	one.mustSee(t, 1)
	one.mustStoreUses(t)
	wantUsed(t, one, 1, at(2*time.Minute))
	clockOfTwo.now = at(3 * time.Minute)
	two.mustSee(t, 1)
	clockOfTwo.now = at(time.Minute)
	two.mustSee(t, 1)
	two.mustStoreUses(t)
	wantUsed(t, one, 1, at(3*time.Minute))
}

// What cannot be stored is stored later, unless the session was used again.
func TestUsesWithoutStorage(t *testing.T) {
	down := errors.New("no storage")
	store := &heldUses{SessionStore: portstest.NewMemory().Sessions}
	store.fail = func(write int) error {
		if write == 2 {
			return down
		}
		return nil
	}
	s, clock := replicaOf(store)
	const sessions = 3 * usesAtOnce
	for n := range sessions {
		s.mustSee(t, n)
	}
	if err := s.StoreUses(t.Context()); !errors.Is(err, down) || store.writes != 2 || len(s.uses.latest) != 2*usesAtOnce {
		t.Errorf("StoreUses = %v after %d writes, %d uses are kept, want the error after 2, and %d", err, store.writes, len(s.uses.latest), 2*usesAtOnce)
	}
	clock.now = noon.Add(time.Minute)
	s.mustSee(t, 0)
	s.mustStoreUses(t)
	wantUsed(t, s, 0, noon.Add(time.Minute))
	for n := 1; n < sessions; n++ {
		wantUsed(t, s, n, noon)
	}
}
