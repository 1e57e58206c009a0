package session_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/access"
	"orgd/domain/session"
)

func TestLink(t *testing.T) {
	maker, err := session.Issue(grant(nil))
	if err != nil {
		t.Fatal(err)
	}
	l, err := maker.Link(noon)
	if err != nil || !l.ExpiresAt.Equal(noon.Add(5*time.Minute)) {
		t.Fatalf("Link = %+v, %v, want one that ends after five minutes", l, err)
	}
	at := noon.Add(5*time.Minute - time.Millisecond)
	got, err := l.SignIn("s2", at)
	if err != nil {
		t.Fatalf("SignIn = %v", err)
	}
	want := maker
	want.ID, want.IssuedAt, want.ExpiresAt = "s2", noon.Add(5*time.Minute), maker.ExpiresAt
	want.Kind, want.Label = session.BySignIn, ""
	want.EndsBy, want.From = maker.ExpiresAt, []string{maker.ID}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("SignIn (-want +got):\n%s", diff)
	}
	for _, late := range []time.Duration{5 * time.Minute, time.Hour} {
		if got, err := l.SignIn("s2", noon.Add(late)); !errors.Is(err, session.ErrLink) {
			t.Errorf("SignIn after %v = %+v, %v, want ErrLink", late, got, err)
		}
	}
}

// A link gives no more than its maker has: neither time nor another subject.
func TestLinkIsBoundToItsMaker(t *testing.T) {
	short, err := session.Issue(grant(func(g *session.Grant) { g.TTL = time.Minute }))
	if err != nil {
		t.Fatal(err)
	}
	if l, err := short.Link(noon); err != nil || !l.ExpiresAt.Equal(short.ExpiresAt) {
		t.Errorf("Link of a token of a minute = %+v, %v, want it to end with the token", l, err)
	}
	long, err := session.Issue(grant(func(g *session.Grant) { g.TTL = session.MaxTTL }))
	if err != nil {
		t.Fatal(err)
	}
	l, err := long.Link(noon)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := l.SignIn("s2", noon); err != nil || s.ExpiresAt.Sub(s.IssuedAt) != session.DefaultTTL {
		t.Errorf("SignIn by a token of 30 days = %+v, %v, want 12 hours", s, err)
	}
	foreign := session.Session{ID: "s", Issuer: "https://idp", Subject: "https://idp|kim", Role: access.Admin, IssuedAt: noon, ExpiresAt: noon.Add(time.Hour)}
	if l, err := foreign.Link(noon); !errors.Is(err, session.ErrNoLink) {
		t.Errorf("Link of an external session = %+v, %v, want ErrNoLink", l, err)
	}
}

// A link for somebody else gives what an admin says, for as long as nobody revokes it.
func TestLinkFor(t *testing.T) {
	maker := session.Session{ID: "m", From: []string{"r", "q"}, Issuer: "https://idp", Subject: "https://idp|root", Role: access.Admin, IssuedAt: noon, ExpiresAt: noon.Add(time.Hour)}
	for _, ttl := range []time.Duration{time.Minute, 7 * 24 * time.Hour} {
		l, err := maker.LinkFor(grant(nil), ttl)
		if err != nil || !l.ExpiresAt.Equal(noon.Add(ttl)) || l.Maker != maker.Subject {
			t.Fatalf("LinkFor %v = %+v, %v, want one of the maker's for that long", ttl, l, err)
		}
		if diff := cmp.Diff([]string{"s1", "m", "r", "q"}, l.Sessions()); diff != "" {
			t.Errorf("Sessions (-want +got):\n%s", diff)
		}
		at := l.ExpiresAt.Add(-time.Second)
		got, err := l.SignIn("s2", at)
		g := grant(nil)
		want := session.Session{
			ID: "s2", Issuer: g.Issuer, Subject: g.Subject, Role: g.Role, Departments: g.Departments, Label: g.Label, Kind: session.BySignIn,
			IssuedAt: at, ExpiresAt: at.Add(session.DefaultTTL), EndsBy: noon.Add(session.MaxTTL), From: []string{"s1"},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("SignIn = %v (-want +got):\n%s", err, diff)
		}
		if got, err := l.SignIn("s2", l.ExpiresAt); !errors.Is(err, session.ErrLink) {
			t.Errorf("SignIn at the end = %+v, %v, want ErrLink", got, err)
		}
	}
	for _, ttl := range []time.Duration{0, time.Minute - time.Second, 90*time.Second + time.Millisecond, session.MaxLinkTTL + time.Second} {
		if l, err := maker.LinkFor(grant(nil), ttl); !errors.Is(err, session.ErrLinkTTL) {
			t.Errorf("LinkFor %v = %+v, %v, want ErrLinkTTL", ttl, l, err)
		}
	}
	if l, err := maker.LinkFor(grant(func(g *session.Grant) { g.Subject = "https://idp|kim" }), time.Hour); !errors.Is(err, session.ErrOwnSubject) {
		t.Errorf("LinkFor somebody of another issuer = %+v, %v, want ErrOwnSubject", l, err)
	}
}

// A browser goes on as who gave it his token, whose issuer may be another, until that ends.
func TestSignIn(t *testing.T) {
	theirs := session.Session{
		ID: "x", Issuer: "https://idp", Subject: "https://idp|kim", Role: access.DepartmentAdmin, Departments: grant(nil).Departments,
		IssuedAt: noon, ExpiresAt: noon.Add(20*time.Hour + time.Millisecond), Kind: session.External,
	}
	got, err := theirs.SignIn("s2", "orgd", noon)
	want := theirs
	want.ID, want.Issuer, want.Kind, want.From = "s2", "orgd", session.BySignIn, []string{"x"}
	want.ExpiresAt, want.EndsBy = noon.Add(session.DefaultTTL), noon.Add(20*time.Hour)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("SignIn = %v (-want +got):\n%s", err, diff)
	}
	half := noon.Add(session.DefaultTTL / 2)
	if got.RenewalDue(half.Add(-time.Second)) || !got.RenewalDue(half) {
		t.Error("a renewal is due when half of the time is over, and not before")
	}
	last, err := got.Renew(noon.Add(11 * time.Hour))
	if err != nil || !last.ExpiresAt.Equal(got.EndsBy) || last.RenewalDue(noon.Add(19*time.Hour)) {
		t.Errorf("Renew = %+v, %v, want a session that ends with what it was made from", last, err)
	}
	again, err := last.SignIn("s3", "orgd", noon.Add(12*time.Hour))
	if err != nil || !slices.Equal(again.From, []string{"x", "s2"}) || !again.EndsBy.Equal(got.EndsBy) {
		t.Errorf("SignIn of what was made from a session = %+v, %v, want both before it, and the same end", again, err)
	}
	if got, err := theirs.SignIn("s2", "orgd", noon.Add(20*time.Hour)); !errors.Is(err, session.ErrUnauthorized) {
		t.Errorf("SignIn after the end = %+v, %v, want ErrUnauthorized", got, err)
	}
}

// Each session knows all that it was made from, by links too, so that the end of any ends it;
// so many, that its token stays short.
func TestGenerations(t *testing.T) {
	s, err := session.Issue(grant(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for n := range 8 {
		want = append(want, s.ID)
		l, err := s.Link(noon)
		if err != nil || !slices.Equal(l.Sessions()[:n+1], want) || l.By != s.ID || !slices.Equal(l.ByFrom, want[:n]) {
			t.Fatalf("Link of generation %d = %+v, %v, want it to end with each of %q", n, l, err, want)
		}
		if s, err = l.SignIn(fmt.Sprint("link-", n), noon); err != nil || !slices.Equal(s.From, want) || !slices.Equal(s.Sessions(), append(slices.Clone(want), s.ID)) {
			t.Fatalf("SignIn of generation %d = %+v, %v, want one from %q", n, s, err, want)
		}
	}
	if l, err := s.Link(noon); !errors.Is(err, session.ErrGenerations) || err.Error() != "this session was made from 8 others, each from the one before: sign in anew" {
		t.Errorf("Link of generation 8 = %+v, %v, want ErrGenerations", l, err)
	}
	if next, err := s.SignIn("s9", "orgd", noon); !errors.Is(err, session.ErrGenerations) {
		t.Errorf("SignIn of generation 8 = %+v, %v, want ErrGenerations", next, err)
	}
}

func TestCode(t *testing.T) {
	code := session.NewCode([32]byte{1, 2, 3, 31: 0xff})
	for _, typed := range []string{string(code), " " + string(code) + "\r\n", code.URL("https://orgd.example.com/") + "\n"} {
		if got := session.ReadCode(typed); got != code {
			t.Errorf("ReadCode(%q) = %q, want %q", typed, got, code)
		}
	}
	if b, err := base64.RawURLEncoding.DecodeString(string(code)); err != nil || len(b) != 32 {
		t.Errorf("NewCode = %q, want 32 bytes in base64url", code)
	}
	if code.Hash() == session.NewCode([32]byte{1, 2, 3}).Hash() || code.Hash() != session.Code(code).Hash() {
		t.Error("Hash must tell codes apart")
	}
}
