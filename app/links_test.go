package app

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/domain/access"
	"orgd/domain/idempotency"
	"orgd/domain/session"
	"orgd/ports"
)

// setClock is a clock that a test sets.
type setClock struct{ now time.Time }

func (c *setClock) Now() time.Time { return c.now }

// counted makes ids and keys that differ.
type counted struct {
	mu sync.Mutex
	n  int
}

func (c *counted) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

func (c *counted) NewID() string     { return fmt.Sprint("id-", c.next()) }
func (c *counted) Key() [32]byte     { n := c.next(); return [32]byte{byte(n), byte(n >> 8)} }
func (c *counted) Fraction() float64 { return 0 }

// plainTokens issues tokens that are the session's id.
type plainTokens struct{}

func (plainTokens) Issuer() string                          { return "orgd" }
func (plainTokens) Issue(s session.Session) (string, error) { return "token of " + s.ID, nil }

// issued is a store that keeps what was issued, or fails.
type issued struct {
	ports.SessionStore
	mu     sync.Mutex
	err    error
	trails []ports.Trail
	all    []session.Session
}

func (s *issued) Issue(_ context.Context, made session.Session, n ports.Trail) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.all, s.trails = append(s.all, made), append(s.trails, n)
	}
	return s.err
}

func (s *issued) Revoke(context.Context, session.Revocation, ports.Trail) error { return nil }

// linking are use cases at noon, and a session of kim's.
func linking(t *testing.T) (*Sessions, *setClock, *issued, session.Session) {
	t.Helper()
	clock, store, ids := &setClock{noon}, &issued{}, &counted{}
	s := NewSessions(clock, ids, ids, nil, plainTokens{}, store, nil, nil)
	kim, err := session.Issue(session.Grant{ID: "kims", Issuer: "orgd", Subject: "kim", Role: access.Viewer, At: noon, TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return s, clock, store, kim
}

func (s *Sessions) mustLink(t *testing.T, mine session.Session) session.Code {
	t.Helper()
	code, _, err := s.Link(t.Context(), Call{}, mine)
	if err != nil {
		t.Fatalf("Link = %v", err)
	}
	return code
}

// signIn is what came of a trade.
func (s *Sessions) signIn(t *testing.T, code session.Code) error {
	t.Helper()
	_, _, err := s.SignIn(t.Context(), Call{Route: "POST /links"}, code)
	return err
}

// However many trade at the same time, one of them is signed in.
func TestLinkWorksOnce(t *testing.T) {
	s, _, store, kim := linking(t)
	code := s.mustLink(t, kim)
	errs := make([]error, 16)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = s.signIn(t, code) })
	}
	all.Wait()
	refused := slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(refused) != 15 || slices.ContainsFunc(refused, func(err error) bool { return !errors.Is(err, session.ErrLink) }) {
		t.Errorf("16 trades of one code: %d were refused: %v, want 15 times ErrLink", len(refused), refused)
	}
	if len(store.all) != 1 || store.all[0].Subject != "kim" || store.all[0].Role != access.Viewer || store.all[0].ID == kim.ID {
		t.Fatalf("issued = %+v, want one new session of kim", store.all)
	}
	if e := store.trails[0].Audit; e.Actor != "kim" || e.Route != "POST /links" || store.trails[0].Idempotency != nil {
		t.Errorf("the trail is %+v, want kim's and no record", store.trails[0])
	}
}

func TestLinkEnds(t *testing.T) {
	s, clock, _, kim := linking(t)
	late, soon := s.mustLink(t, kim), s.mustLink(t, kim)
	clock.now = noon.Add(session.LinkTTL - time.Millisecond)
	if err := s.signIn(t, soon); err != nil {
		t.Errorf("SignIn just before five minutes = %v", err)
	}
	clock.now = noon.Add(session.LinkTTL)
	if err := s.signIn(t, late); !errors.Is(err, session.ErrLink) {
		t.Errorf("SignIn after five minutes = %v, want ErrLink", err)
	}
}

// Whoever ends a session also ends the links that were made with it.
func TestLinkOfARevokedSession(t *testing.T) {
	s, _, _, kim := linking(t)
	code := s.mustLink(t, kim)
	if err := s.Logout(t.Context(), Call{Actor: kim.Actor()}, kim); err != nil {
		t.Fatal(err)
	}
	if err := s.signIn(t, code); !errors.Is(err, session.ErrLink) {
		t.Errorf("SignIn after the maker's logout = %v, want ErrLink", err)
	}
}

// So many links of one subject are kept, whichever of its sessions makes them. Its own
// oldest goes first, and nobody else's.
func TestOwnLinksAreBounded(t *testing.T) {
	s, _, _, kim := linking(t)
	lee := kim
	lee.Subject, lee.ID = "lee", "lees"
	others := s.mustLink(t, lee)
	first, second := s.mustLink(t, kim), s.mustLink(t, kim)
	kim.ID = "another of kim's"
	for range maxOwnLinks - 1 {
		s.mustLink(t, kim)
	}
	if err := s.signIn(t, first); !errors.Is(err, session.ErrLink) {
		t.Errorf("SignIn by the oldest of too many = %v, want ErrLink", err)
	}
	for what, code := range map[string]session.Code{"the next": second, "somebody else's": others} {
		if err := s.signIn(t, code); err != nil {
			t.Errorf("SignIn by %s = %v", what, err)
		}
	}
	for range 2 * maxLinks {
		s.mustLink(t, kim)
	}
	if got := len(s.links.list); got != maxOwnLinks {
		t.Errorf("%d links are kept of one subject, want %d", got, maxOwnLinks)
	}
}

// records keeps idempotency records, or fails.
type records struct {
	ports.IdempotencyStore
	err error
	all []idempotency.Record
}

func (r *records) Keep(_ context.Context, one idempotency.Record) error {
	r.all = append(r.all, one)
	return r.err
}

// A link under an idempotency key leaves a record without a reply. There is no link
// without it.
func TestLinkWithAKey(t *testing.T) {
	s, _, _, kim := linking(t)
	kept := &records{}
	s.records = kept
	call := Call{Actor: kim.Actor(), Lock: &idempotency.Lock{Key: "k", Fingerprint: "f", Owner: "o", At: noon}}
	want := idempotency.Record{Key: "k", Fingerprint: "f", At: noon}
	if _, _, err := s.Link(t.Context(), call, kim); err != nil || len(kept.all) != 1 || !reflect.DeepEqual(kept.all[0], want) {
		t.Errorf("Link = %v, records %+v, want one: %+v", err, kept.all, want)
	}
	kept.err = idempotency.ErrRunning
	if code, _, err := s.Link(t.Context(), call, kim); !errors.Is(err, idempotency.ErrRunning) || code != "" || len(s.links.list) != 1 {
		t.Errorf("Link under a used key = %q, %v with %d links, want ErrRunning and one link", code, err, len(s.links.list))
	}
}

// So many links are kept; the oldest goes first, and no code is kept at all.
func TestLinksAreBounded(t *testing.T) {
	s, clock, _, kim := linking(t)
	one := func(i int) session.Code {
		maker := kim
		maker.Subject = fmt.Sprint("subject ", i)
		return s.mustLink(t, maker)
	}
	first, second := one(0), one(1)
	for i := range maxLinks - 1 {
		one(2 + i)
	}
	if err := s.signIn(t, first); !errors.Is(err, session.ErrLink) {
		t.Errorf("SignIn by the oldest of too many = %v, want ErrLink", err)
	}
	if err := s.signIn(t, second); err != nil {
		t.Errorf("SignIn by the next = %v", err)
	}
	if want := maxLinks - 1; len(s.links.list) != want {
		t.Errorf("%d links are kept, want %d", len(s.links.list), want)
	}
	clock.now = noon.Add(session.LinkTTL)
	third := s.mustLink(t, kim)
	if text := fmt.Sprintf("%+v", s.links.list); strings.Contains(text, string(third)) {
		t.Error("a code is kept")
	}
	if len(s.links.list) != 1 {
		t.Errorf("%d links are kept after five minutes, want the new one", len(s.links.list))
	}
}
