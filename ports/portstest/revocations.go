package portstest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orgd/domain/session"
	"orgd/ports"
)

func sessionIssueRefusesRevoked(t *testing.T, store ports.SessionStore) {
	s := sessionOf("s1", "ann", sessionEpoch)
	sessionIssue(t, store, 1, s)
	r := s.Revoke("ann", sessionEpoch)
	sessionRevoke(t, store, 2, r)
	longer := s
	longer.ExpiresAt = s.ExpiresAt.Add(time.Hour)
	if err := store.Issue(t.Context(), longer, sessionTrail(3)); !errors.Is(err, session.ErrRevoked) {
		t.Errorf("Issue(revoked) = %v, want ErrRevoked", err)
	}
	sessionWant(t, store, session.Record{Session: s, Revocation: &r})
}

// sessionIssueOrRevokeFirst lets a renewal and a revocation run at once: either
// the renewal came first, or it is refused and nothing of it is stored.
func sessionIssueOrRevokeFirst(t *testing.T, store ports.SessionStore) {
	for i := range 8 {
		s := sessionOf(fmt.Sprintf("s%d", i), "ann", sessionEpoch)
		sessionIssue(t, store, 3*i+1, s)
		renewed := s
		renewed.ExpiresAt = s.ExpiresAt.Add(time.Hour)
		r := s.Revoke("ann", sessionEpoch.Add(time.Duration(i)*time.Second))
		var issueErr, revokeErr error
		var all sync.WaitGroup
		all.Go(func() { issueErr = store.Issue(t.Context(), renewed, sessionTrail(3*i+2)) })
		all.Go(func() { revokeErr = store.Revoke(t.Context(), r, sessionTrail(3*i+3)) })
		all.Wait()
		if revokeErr != nil || issueErr != nil && !errors.Is(issueErr, session.ErrRevoked) {
			t.Fatalf("Issue = %v, Revoke = %v, want nil or ErrRevoked, and nil", issueErr, revokeErr)
		}
		want := session.Record{Session: s, Revocation: &r}
		if issueErr == nil {
			want.Session = renewed
		}
		sessionWant(t, store, want)
	}
}

func sessionRevokeIsListed(t *testing.T, store ports.SessionStore) {
	s := sessionOf("s1", "ann", sessionEpoch)
	sessionIssue(t, store, 1, s)
	r := s.Revoke("root", sessionEpoch.Add(time.Minute))
	sessionRevoke(t, store, 2, r)
	want := session.Record{Session: s, Revocation: &r}
	sessionWant(t, store, want)
	got, err := store.Sessions(t.Context(), session.Query{At: sessionEpoch, Limit: 10})
	if diff := cmp.Diff([]session.Record{want}, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("Sessions = %v (-want +got):\n%s", err, diff)
	}
	sessionSee(t, store, s) // by a replica that has not heard of it
	sessionWant(t, store, want)
}

func sessionRevokeBeforeSeen(t *testing.T, store ports.SessionStore) {
	r := session.RevokeUnseen("s1", "root", sessionEpoch)
	sessionRevoke(t, store, 1, r)
	if got, err := store.Session(t.Context(), "s1"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Session(s1) = %+v, %v, want ErrNotFound", got, err)
	}
	s := sessionOf("s1", "ann", sessionEpoch)
	sessionSee(t, store, s)
	sessionWant(t, store, session.Record{Session: s, Revocation: &r})
}

func sessionRevokeTwice(t *testing.T, store ports.SessionStore) {
	s := sessionOf("s1", "ann", sessionEpoch)
	sessionSee(t, store, s)
	first := s.Revoke("ann", sessionEpoch)
	sessionRevoke(t, store, 1, first)
	second := s.Revoke("root", sessionEpoch.Add(time.Hour))
	sessionRevoke(t, store, 2, second)
	want := first
	want.Until = second.Until
	sessionWant(t, store, session.Record{Session: s, Revocation: &want})
	sessionRevoke(t, store, 3, first) // never shortens it
	if diff := cmp.Diff([]session.Revocation{want}, sessionRevoked(t, store, time.Time{}, sessionEpoch)); diff != "" {
		t.Errorf("Revoked (-want +got):\n%s", diff)
	}
}

func sessionRevokedSince(t *testing.T, store ports.SessionStore) {
	var all []session.Revocation
	for i := range 3 {
		at := sessionEpoch.Add(time.Duration(i) * time.Second)
		r := session.Revocation{ID: fmt.Sprint(i), By: "ann", At: at, Until: at.Add(time.Hour)}
		sessionRevoke(t, store, i, r)
		all = append(all, r)
	}
	tests := map[string]struct {
		since, now time.Time
		want       []session.Revocation
	}{
		"all":               {time.Time{}, sessionEpoch, all},
		"from one on":       {all[1].At, sessionEpoch, all[1:]},
		"after one":         {all[1].At.Add(time.Millisecond), sessionEpoch, all[2:]},
		"after all":         {all[2].At.Add(time.Millisecond), sessionEpoch, nil},
		"without forgotten": {time.Time{}, all[0].Until, all[1:]},
	}
	for what, tt := range tests {
		got := sessionRevoked(t, store, tt.since, tt.now)
		if len(got)+len(tt.want) > 0 && !cmp.Equal(tt.want, got) {
			t.Errorf("%s: Revoked (-want +got):\n%s", what, cmp.Diff(tt.want, got))
		}
	}
}

// sessionRevokedByClocks lets replicas revoke whose clocks differ by hours. Who
// asks from the latest that he has read gets the rest.
func sessionRevokedByClocks(t *testing.T, store ports.SessionStore) {
	const replicas, each = 8, 5
	var all sync.WaitGroup
	for i := range replicas {
		all.Go(func() {
			for n := range each {
				at := sessionEpoch.Add(time.Duration(i-replicas/2)*time.Hour + time.Duration(n)*time.Second)
				r := session.Revocation{ID: fmt.Sprintf("%d-%d", i, n), By: "ann", At: at, Until: at.Add(24 * time.Hour)}
				if err := store.Revoke(t.Context(), r, sessionTrail(i*each+n)); err != nil {
					t.Errorf("Revoke = %v", err)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	seen := map[string]time.Time{}
	var since time.Time
	follow := func() (found int) {
		for _, r := range sessionRevoked(t, store, since, sessionEpoch) {
			if _, again := seen[r.ID]; !again {
				found++
			}
			seen[r.ID] = r.At
		}
		for _, at := range seen {
			if at.After(since) {
				since = at
			}
		}
		return found
	}
	for running := true; running; {
		select {
		case <-ended:
			running = false
		default:
		}
		follow()
	}
	last := session.Revocation{ID: "last", By: "ann", At: sessionEpoch.Add(-time.Hour), Until: sessionEpoch.Add(24 * time.Hour)}
	sessionRevoke(t, store, replicas*each, last)
	if n := follow(); n != 1 || len(seen) != replicas*each+1 {
		t.Fatalf("Revoked = %d new revocations after the last, %d in all, want 1 and %d", n, len(seen), replicas*each+1)
	}
	times := map[time.Time]string{}
	for id, at := range seen {
		if other, taken := times[at]; taken {
			t.Errorf("%s and %s have the time %v", id, other, at)
		}
		times[at] = id
		if id != "last" && !at.Before(seen["last"]) {
			t.Errorf("the time of %s is %v, want one before %v, that of the last", id, at, seen["last"])
		}
	}
}

func sessionParallelRevokes(t *testing.T, store ports.SessionStore) {
	r := session.Revocation{ID: "s1", By: "ann", At: sessionEpoch, Until: sessionEpoch.Add(time.Hour)}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			again := r
			again.Until = r.Until.Add(time.Duration(i) * time.Second)
			if err := store.Revoke(t.Context(), again, sessionTrail(i)); err != nil {
				t.Errorf("Revoke = %v", err)
			}
		})
	}
	all.Wait()
	r.Until = r.Until.Add(7 * time.Second)
	got := sessionRevoked(t, store, time.Time{}, sessionEpoch)
	if diff := cmp.Diff([]session.Revocation{r}, got); diff != "" {
		t.Errorf("Revoked (-want +got):\n%s", diff)
	}
}
