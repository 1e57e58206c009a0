package portstest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orgd/domain/access"
	"orgd/domain/name"
	"orgd/domain/session"
	"orgd/ports"
)

// linkHash is the hash of the n-th link of a test.
func linkHash(n int) [sha256.Size]byte { return session.Code(fmt.Sprint(n)).Hash() }

// linkOf is a link that is good until then.
func linkOf(maker string, until time.Time) session.Link {
	s := sessionOf("of "+maker, maker, sessionEpoch)
	return session.Link{As: s, By: s.ID, Maker: maker, ExpiresAt: until}
}

// keepLink stores the n-th link of a test as one that was made at a time.
func keepLink(t *testing.T, store ports.SessionStore, n int, l session.Link, at time.Time) {
	t.Helper()
	trail := sessionTrail(n)
	trail.Audit.At = at
	if err := store.KeepLink(t.Context(), linkHash(n), l, trail); err != nil {
		t.Fatalf("KeepLink(%d) = %v", n, err)
	}
}

// wantLink takes the n-th link.
func wantLink(t *testing.T, store ports.SessionStore, n int, now time.Time, want session.Link) {
	t.Helper()
	got, err := store.TakeLink(t.Context(), linkHash(n), now)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("TakeLink(%d) = %v (-want +got):\n%s", n, err, diff)
	}
}

func wantNoLink(t *testing.T, store ports.SessionStore, n int, now time.Time) {
	t.Helper()
	if got, err := store.TakeLink(t.Context(), linkHash(n), now); !errors.Is(err, session.ErrLink) {
		t.Errorf("TakeLink(%d) = %+v, %v, want ErrLink", n, got, err)
	}
}

func linkKeepsEverything(t *testing.T, store ports.SessionStore) {
	whole := session.Link{
		As: session.Session{
			ID: `$ne."';--`, Issuer: "orgd", Subject: "ann $a.b é", Role: access.DepartmentAdmin, Kind: session.BySignIn,
			Departments: []name.Name{{Text: "Désign", Key: "désign"}, {Text: "Sales", Key: "sales"}},
			IssuedAt:    sessionEpoch, ExpiresAt: sessionEpoch.Add(time.Millisecond), EndsBy: sessionEpoch.Add(time.Hour),
			From: []string{"root", "a/b+c=", "~"}, Label: "nightly $reports. 🌙",
		},
		By: "by", ByFrom: []string{"its-root", `$ne."';--`}, Maker: "https://idp|ann", ExpiresAt: sessionEpoch.Add(7 * time.Millisecond),
	}
	agents := linkOf("x", sessionEpoch.Add(time.Hour))
	agents.As.Role, agents.As.Agent = access.Agent, "0190a5c4-0000-7000-8000-000000000001"
	for n, l := range []session.Link{whole, agents} {
		wantNoLink(t, store, n, sessionEpoch)
		keepLink(t, store, n, l, sessionEpoch)
		wantLink(t, store, n, sessionEpoch, l)
		wantNoLink(t, store, n, sessionEpoch)
	}
}

func linkExpires(t *testing.T, store ports.SessionStore) {
	l := linkOf("ann", sessionEpoch.Add(time.Minute))
	keepLink(t, store, 1, l, sessionEpoch)
	wantNoLink(t, store, 1, l.ExpiresAt)
	wantLink(t, store, 1, l.ExpiresAt.Add(-time.Millisecond), l)
}

// linksBounded has a maker who makes too many, of which the second came first by its clock,
// and the last long before.
func linksBounded(t *testing.T, store ports.SessionStore) {
	const last = session.MaxLinks + 2
	l := linkOf("ann", sessionEpoch.Add(time.Hour))
	keepLink(t, store, 0, linkOf("Ann", l.ExpiresAt), sessionEpoch)
	for n := 1; n <= last; n++ {
		at := time.Duration(n)
		switch n {
		case 1, 2:
			at = 3 - at
		case last:
			at = 0
		}
		keepLink(t, store, n, l, sessionEpoch.Add(at*time.Millisecond))
		if n == session.MaxLinks+1 {
			wantNoLink(t, store, 2, sessionEpoch)
		}
	}
	wantNoLink(t, store, 1, sessionEpoch)
	for n := 3; n <= last; n++ {
		wantLink(t, store, n, sessionEpoch, l)
	}
	wantLink(t, store, 0, sessionEpoch, linkOf("Ann", l.ExpiresAt))
}

// linksExpiredDoNotCount has links that outlive those that were made after them.
func linksExpiredDoNotCount(t *testing.T, store ports.SessionStore) {
	soon := sessionEpoch.Add(time.Minute)
	l := linkOf("ann", sessionEpoch.Add(time.Hour))
	keepLink(t, store, 0, l, sessionEpoch)
	for n := 1; n < session.MaxLinks; n++ {
		keepLink(t, store, n, linkOf("ann", soon), sessionEpoch.Add(time.Millisecond))
	}
	keepLink(t, store, session.MaxLinks, l, soon)
	wantNoLink(t, store, 1, sessionEpoch) // it is gone
	wantLink(t, store, 0, soon, l)
	wantLink(t, store, session.MaxLinks, soon, l)
}

func linkTakenOnce(t *testing.T, store ports.SessionStore) {
	l := linkOf("ann", sessionEpoch.Add(time.Hour))
	for n := range 5 {
		keepLink(t, store, n, l, sessionEpoch)
		var won atomic.Int64
		for _, err := range atOnce(20, func(int) error {
			got, err := store.TakeLink(t.Context(), linkHash(n), sessionEpoch)
			if err == nil && cmp.Equal(got, l, cmpopts.EquateEmpty()) {
				won.Add(1)
			}
			return err
		}) {
			if err != nil && !errors.Is(err, session.ErrLink) {
				t.Errorf("TakeLink = %v, want none or ErrLink", err)
			}
		}
		if won.Load() != 1 {
			t.Errorf("%d of 20 got a link, want one", won.Load())
		}
	}
}

// linksParallel lets somebody make links at once, while others sign in by some.
func linksParallel(t *testing.T, store ports.SessionStore) {
	l := linkOf("ann", sessionEpoch.Add(time.Hour))
	const before, links = 8, 24
	for n := range before {
		keepLink(t, store, n, l, sessionEpoch)
	}
	for i, err := range atOnce(links, func(n int) error {
		if n < before {
			_, err := store.TakeLink(t.Context(), linkHash(n), sessionEpoch)
			return err
		}
		return store.KeepLink(t.Context(), linkHash(n), l, sessionTrail(n))
	}) {
		if err != nil {
			t.Errorf("call %d of several at once = %v", i, err)
		}
	}
	for n := range links {
		if n < before {
			wantNoLink(t, store, n, sessionEpoch)
		} else {
			wantLink(t, store, n, sessionEpoch, l)
		}
	}
}
