package portstest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orgd/domain/access"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/name"
	"orgd/domain/session"
	"orgd/ports"
)

// SessionStore checks that a store keeps the promises of ports.SessionStore.
// open returns an empty store and closes it with t.Cleanup.
func SessionStore(t *testing.T, open func(t *testing.T) ports.SessionStore) {
	for what, check := range map[string]func(*testing.T, ports.SessionStore){
		"IssueKeepsEverything":        sessionIssueKeepsEverything,
		"SeeKeepsEverything":          sessionSeeKeepsEverything,
		"SeenAgainOnlyLivesLonger":    sessionSeenAgain,
		"IssueContinues":              sessionIssueContinues,
		"IssueRefusesRevoked":         sessionIssueRefusesRevoked,
		"IssueOrRevokeFirst":          sessionIssueOrRevokeFirst,
		"UseOnlyMovesOn":              sessionUsed,
		"ParallelUsesKeepTheLatest":   sessionParallelUses,
		"UnknownIsNotFound":           sessionUnknown,
		"PagesWalkEverySessionOnce":   sessionPages,
		"ListOfOneSubject":            sessionOneSubject,
		"ListLeavesOutExpired":        sessionListExpired,
		"RevokeIsShown":               sessionRevokeIsListed,
		"RevokeBeforeSeen":            sessionRevokeBeforeSeen,
		"RevokeTwiceKeepsTheFirst":    sessionRevokeTwice,
		"RevokedSince":                sessionRevokedSince,
		"RevokedByClocksThatDiffer":   sessionRevokedByClocks,
		"IdsAreBytes":                 sessionIDsAreBytes,
		"ParallelSeesMakeOneSession":  sessionParallelSees,
		"ParallelRevokesMakeOneEntry": sessionParallelRevokes,
		"LinksKeepEverything":         linkKeepsEverything,
		"LinksExpire":                 linkExpires,
		"LinksOfAMakerAreBounded":     linksBounded,
		"LinksThatExpiredDoNotCount":  linksExpiredDoNotCount,
		"LinksAreTakenOnce":           linkTakenOnce,
		"ParallelLinksAreKept":        linksParallel,
	} {
		t.Run(what, func(t *testing.T) { check(t, open(t)) })
	}
}

// sessionEpoch has milliseconds, the finest step that stores keep.
var sessionEpoch = time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC)

func sessionOf(id, subject string, issued time.Time) session.Session {
	return session.Session{
		ID: id, Issuer: "orgd", Subject: subject, Role: access.Editor,
		IssuedAt: issued, ExpiresAt: issued.Add(time.Hour), Kind: session.ByToken,
	}
}

// sessionTrail is the trail of the n-th change of a test.
func sessionTrail(n int) ports.Trail {
	return ports.Trail{
		Audit: audit.Entry{
			ID: fmt.Sprintf("0190a5c4-0000-7000-8000-%012d", n), At: sessionEpoch,
			Actor: "ann", Route: "DELETE /api/v1/auth/sessions/{sid}",
			Resource: audit.Session("s"), RequestID: fmt.Sprintf("request-%d", n),
		},
		Idempotency: &idempotency.Record{
			Key: idempotency.Key(fmt.Sprintf("key-%d", n)), Fingerprint: "f", At: sessionEpoch,
		},
	}
}

func sessionIssue(t *testing.T, store ports.SessionStore, n int, s session.Session) {
	t.Helper()
	if err := store.Issue(t.Context(), s, sessionTrail(n)); err != nil {
		t.Fatalf("Issue(%s) = %v", s.ID, err)
	}
}

func sessionSee(t *testing.T, store ports.SessionStore, s session.Session) {
	t.Helper()
	if err := store.See(t.Context(), s); err != nil {
		t.Fatalf("See(%s) = %v", s.ID, err)
	}
}

func sessionRevoke(t *testing.T, store ports.SessionStore, n int, r session.Revocation) {
	t.Helper()
	if err := store.Revoke(t.Context(), r, sessionTrail(n)); err != nil {
		t.Fatalf("Revoke(%s) = %v", r.ID, err)
	}
}

// sessionWant checks what the store has of one session.
func sessionWant(t *testing.T, store ports.SessionStore, want session.Record) {
	t.Helper()
	got, err := store.Session(t.Context(), want.ID)
	if err != nil {
		t.Fatalf("Session(%s) = %v", want.ID, err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("Session(%s) (-want +got):\n%s", want.ID, diff)
	}
}

// sessionIDs lists ids page by page.
func sessionIDs(t *testing.T, store ports.SessionStore, q session.Query) []string {
	t.Helper()
	var ids []string
	for {
		page, err := store.Sessions(t.Context(), q)
		if err != nil {
			t.Fatalf("Sessions(%+v) = %v", q, err)
		}
		if len(page) > q.Limit {
			t.Fatalf("Sessions(%+v) = %d sessions, want at most %d", q, len(page), q.Limit)
		}
		for _, r := range page {
			ids = append(ids, r.ID)
		}
		if len(page) < q.Limit {
			return ids
		}
		last := page[len(page)-1].Position()
		q.After = &last
	}
}

// sessionRevoked returns the revocations by id.
func sessionRevoked(t *testing.T, store ports.SessionStore, since, now time.Time) []session.Revocation {
	t.Helper()
	got, err := store.Revoked(t.Context(), since, now)
	if err != nil {
		t.Fatalf("Revoked(%v, %v) = %v", since, now, err)
	}
	slices.SortFunc(got, func(a, b session.Revocation) int { return strings.Compare(a.ID, b.ID) })
	return got
}

func sessionIssueKeepsEverything(t *testing.T, store ports.SessionStore) {
	s := sessionOf("s1", "ann", sessionEpoch)
	s.Role = access.DepartmentAdmin
	s.Kind, s.Label = session.BySignIn, "nightly $reports. 🌙"
	s.Departments = []name.Name{{Text: "Désign", Key: "désign"}, {Text: "Sales", Key: "sales"}}
	sessionIssue(t, store, 1, s)
	sessionWant(t, store, session.Record{Session: s})
}

func sessionSeeKeepsEverything(t *testing.T, store ports.SessionStore) {
	s := session.Session{
		ID: `$ne."';--`, Issuer: "https://idp.example", Subject: "https://idp.example|a$b.c|é",
		Role: access.Agent, Agent: "0190a5c4-0000-7000-8000-000000000001", Kind: session.External,
		IssuedAt: sessionEpoch, ExpiresAt: sessionEpoch.Add(time.Millisecond),
	}
	sessionSee(t, store, s)
	sessionWant(t, store, session.Record{Session: s})
}

func sessionSeenAgain(t *testing.T, store ports.SessionStore) {
	first := sessionOf("s1", "ann", sessionEpoch)
	sessionSee(t, store, first)
	later := sessionOf("s1", "bob", sessionEpoch.Add(time.Minute))
	later.Role, later.Kind, later.Label = access.Admin, session.BySignIn, "another"
	sessionSee(t, store, later)
	want := first
	want.ExpiresAt = later.ExpiresAt
	sessionWant(t, store, session.Record{Session: want})
	sessionSee(t, store, first) // an older token never shortens it
	sessionWant(t, store, session.Record{Session: want})
}

func sessionIssueContinues(t *testing.T, store ports.SessionStore) {
	first := sessionOf("s1", "ann", sessionEpoch)
	sessionIssue(t, store, 1, first)
	renewed, err := first.Renew(sessionEpoch.Add(30 * time.Minute))
	if err != nil {
		t.Fatalf("Renew = %v", err)
	}
	sessionIssue(t, store, 2, renewed)
	want := first
	want.ExpiresAt = renewed.ExpiresAt
	sessionWant(t, store, session.Record{Session: want})
}

// sessionUsed stores uses, which nothing else of the session changes, and which change
// nothing else.
func sessionUsed(t *testing.T, store ports.SessionStore) {
	s := sessionOf("s1", "ann", sessionEpoch)
	sessionIssue(t, store, 1, s)
	at := sessionEpoch.Add(time.Minute)
	used := func(after time.Duration, want time.Time) {
		t.Helper()
		uses := []session.Use{{ID: "unknown", At: at}, {ID: "s1", At: at.Add(after)}}
		if err := store.Used(t.Context(), uses); err != nil {
			t.Fatalf("Used(%v) = %v", uses, err)
		}
		sessionWant(t, store, session.Record{Session: s, LastUsedAt: want})
	}
	used(0, at)
	used(-time.Millisecond, at)
	used(0, at)
	used(time.Millisecond, at.Add(time.Millisecond))
	if err := store.Used(t.Context(), nil); err != nil {
		t.Errorf("Used of nothing = %v", err)
	}
	if got, err := store.Session(t.Context(), "unknown"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Session that was used and is not known = %+v, %v, want ErrNotFound", got, err)
	}
	s.ExpiresAt = s.ExpiresAt.Add(time.Hour)
	sessionSee(t, store, s)
	r := s.Revoke("ann", at)
	sessionRevoke(t, store, 2, r)
	want := session.Record{Session: s, LastUsedAt: at.Add(time.Millisecond), Revocation: &r}
	sessionWant(t, store, want)
	listed, err := store.Sessions(t.Context(), session.Query{At: sessionEpoch, Limit: 2})
	if diff := cmp.Diff([]session.Record{want}, listed, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("Sessions = %v (-want +got):\n%s", err, diff)
	}
}

// sessionParallelUses lets replicas store what they know of the same sessions, while
// these are renewed.
func sessionParallelUses(t *testing.T, store ports.SessionStore) {
	const sessions, replicas = 20, 8
	for i := range sessions {
		sessionSee(t, store, sessionOf(fmt.Sprint("s", i), "ann", sessionEpoch))
	}
	var all sync.WaitGroup
	for replica := range replicas {
		all.Go(func() {
			var uses []session.Use
			for i := range sessions {
				uses = append(uses, session.Use{ID: fmt.Sprint("s", i), At: sessionEpoch.Add(time.Duration((replica+i)%replicas) * time.Second)})
			}
			if err := store.Used(t.Context(), uses); err != nil {
				t.Errorf("Used = %v", err)
			}
			s := sessionOf(fmt.Sprint("s", replica), "ann", sessionEpoch)
			s.ExpiresAt = s.ExpiresAt.Add(time.Hour)
			if err := store.See(t.Context(), s); err != nil {
				t.Errorf("See = %v", err)
			}
		})
	}
	all.Wait()
	for i := range sessions {
		want := session.Record{Session: sessionOf(fmt.Sprint("s", i), "ann", sessionEpoch), LastUsedAt: sessionEpoch.Add((replicas - 1) * time.Second)}
		if i < replicas {
			want.ExpiresAt = want.ExpiresAt.Add(time.Hour)
		}
		sessionWant(t, store, want)
	}
}

func sessionUnknown(t *testing.T, store ports.SessionStore) {
	if got, err := store.Session(t.Context(), "s1"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Session(s1) = %+v, %v, want ErrNotFound", got, err)
	}
	if ids := sessionIDs(t, store, session.Query{At: sessionEpoch, Limit: 10}); len(ids) != 0 {
		t.Errorf("Sessions = %v, want none", ids)
	}
	if got := sessionRevoked(t, store, time.Time{}, sessionEpoch); len(got) != 0 {
		t.Errorf("Revoked = %v, want none", got)
	}
}

func sessionPages(t *testing.T, store ports.SessionStore) {
	for i, id := range []string{"b", "a", "B", "z", "y"} {
		sessionSee(t, store, sessionOf(id, fmt.Sprintf("subject-%d", i%2), sessionEpoch))
	}
	sessionSee(t, store, sessionOf("oldest", "ann", sessionEpoch.Add(-time.Millisecond)))
	sessionSee(t, store, sessionOf("latest", "ann", sessionEpoch.Add(time.Millisecond)))
	want := []string{"latest", "B", "a", "b", "y", "z", "oldest"}
	for limit := 1; limit <= len(want)+1; limit++ {
		got := sessionIDs(t, store, session.Query{At: sessionEpoch, Limit: limit})
		if !slices.Equal(got, want) {
			t.Errorf("Sessions in pages of %d = %v, want %v", limit, got, want)
		}
	}
}

func sessionOneSubject(t *testing.T, store ports.SessionStore) {
	for i, subject := range []string{"ann", "Ann", "ann", "bob", "x|ann"} {
		sessionSee(t, store, sessionOf(fmt.Sprint(i), subject, sessionEpoch.Add(time.Duration(i)*time.Second)))
	}
	for subject, want := range map[string][]string{"ann": {"2", "0"}, "Ann": {"1"}, "an": nil, "x|ann": {"4"}} {
		got := sessionIDs(t, store, session.Query{Subject: subject, At: sessionEpoch, Limit: 1})
		if !slices.Equal(got, want) {
			t.Errorf("Sessions of %q = %v, want %v", subject, got, want)
		}
	}
}

func sessionListExpired(t *testing.T, store ports.SessionStore) {
	s := sessionOf("s1", "ann", sessionEpoch)
	sessionSee(t, store, s)
	before := session.Query{At: s.ExpiresAt.Add(-time.Millisecond), Limit: 10}
	if ids := sessionIDs(t, store, before); !slices.Equal(ids, []string{"s1"}) {
		t.Errorf("Sessions before the expiry = %v, want [s1]", ids)
	}
	if ids := sessionIDs(t, store, session.Query{At: s.ExpiresAt, Limit: 10}); len(ids) != 0 {
		t.Errorf("Sessions at the expiry = %v, want none", ids)
	}
	sessionWant(t, store, session.Record{Session: s})
}

func sessionIDsAreBytes(t *testing.T, store ports.SessionStore) {
	for _, id := range []string{"sid", "SID", "sid%", "s_d"} {
		sessionSee(t, store, sessionOf(id, id, sessionEpoch))
	}
	r := session.Revocation{ID: "SID", By: "ann", At: sessionEpoch, Until: sessionEpoch.Add(time.Hour)}
	sessionRevoke(t, store, 1, r)
	sessionWant(t, store, session.Record{Session: sessionOf("sid", "sid", sessionEpoch)})
	sessionWant(t, store, session.Record{Session: sessionOf("SID", "SID", sessionEpoch), Revocation: &r})
}

func sessionParallelSees(t *testing.T, store ports.SessionStore) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			s := sessionOf("s1", "ann", sessionEpoch)
			s.ExpiresAt = s.ExpiresAt.Add(time.Duration(i) * time.Second)
			if err := store.See(t.Context(), s); err != nil {
				t.Errorf("See = %v", err)
			}
		})
	}
	all.Wait()
	want := sessionOf("s1", "ann", sessionEpoch)
	want.ExpiresAt = want.ExpiresAt.Add(7 * time.Second)
	sessionWant(t, store, session.Record{Session: want})
}
