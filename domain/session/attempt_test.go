package session_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/access"
	"orgd/domain/session"
)

var program = session.Loopback{Port: 41234, State: session.Challenge("state"), Challenge: session.Challenge("verifier")}

func TestAttemptComesBack(t *testing.T) {
	for what, to := range map[string]*session.Loopback{"a browser": nil, "a program": &program} {
		a := session.NewAttempt([32]byte{1, 2, 3}, to)
		got, err := session.ParseAttempt(a.String())
		if err != nil || got.State() != a.State() || got.Nonce() != a.Nonce() || got.Verifier() != a.Verifier() || !cmp.Equal(got.To, to) {
			t.Errorf("%s: ParseAttempt(String()) = %+v, %v, want the same", what, got, err)
		}
		if err := got.Check(a.State()); err != nil {
			t.Errorf("%s: Check(its state) = %v, want nil", what, err)
		}
	}
}

func TestAttemptHidesItsSecret(t *testing.T) {
	a, b := session.NewAttempt([32]byte{1}, nil), session.NewAttempt([32]byte{2}, nil)
	seen := map[string]bool{a.String(): true}
	for _, s := range []string{a.State(), a.Nonce(), a.Verifier(), a.Redeemer(), a.Challenge(), b.State(), b.Nonce(), b.Verifier(), b.Redeemer(), b.Challenge()} {
		if len(s) != 43 || seen[s] {
			t.Errorf("%q is not a value of its own", s)
		}
		seen[s] = true
	}
	for _, state := range []string{"", b.State(), a.State()[1:], a.String(), a.Nonce()} {
		if err := a.Check(state); !errors.Is(err, session.ErrAttempt) {
			t.Errorf("Check(%q) = %v, want ErrAttempt", state, err)
		}
	}
}

func TestParseAttemptRefuses(t *testing.T) {
	good := session.NewAttempt([32]byte{1}, &program).String()
	secret, rest, _ := strings.Cut(good, ".")
	for _, s := range []string{
		"", ".", "x", secret + ".", secret + "." + rest + ".", secret[1:], secret + "=", "." + rest, good[1:],
		strings.Replace(good, "41234", "80", 1), strings.Replace(good, "41234", "041234", 1), strings.Replace(good, "41234", "70000", 1),
		strings.Replace(good, "41234", "-1", 1), strings.Replace(good, program.State, "evil", 1), strings.Replace(good, program.Challenge, "", 1),
	} {
		if a, err := session.ParseAttempt(s); !errors.Is(err, session.ErrAttempt) {
			t.Errorf("ParseAttempt(%q) = %v, %v, want ErrAttempt", s, a, err)
		}
	}
	if _, err := session.ParseLoopback("80", program.State, program.Challenge); !errors.Is(err, session.ErrLoopback) {
		t.Errorf("ParseLoopback(80) = %v, want ErrLoopback", err)
	}
}

// A code that is bound counts with the verifier of its challenge only.
func TestBoundCode(t *testing.T) {
	code, plain := session.NewBoundCode([32]byte{7}), session.NewCode([32]byte{7})
	if !code.Bound() || plain.Bound() {
		t.Errorf("Bound(%s) = %t, Bound(%s) = %t, want true, false", code, code.Bound(), plain, plain.Bound())
	}
	kept := code.With(session.Challenge("verifier")).Hash()
	for _, other := range []session.Code{code, plain, code.With(""), code.With("verifier"), code.With(session.Challenge("Verifier"))} {
		if other.Hash() == kept {
			t.Errorf("%s counts as the code with its verifier", other)
		}
	}
}

func TestWelcome(t *testing.T) {
	s := session.Session{
		ID: "x1", Issuer: "https://idp.example", Subject: session.Subject("https://idp.example", "ann"), Role: access.Editor,
		IssuedAt: noon, ExpiresAt: noon.Add(5 * time.Minute), Kind: session.External,
	}
	l := s.Welcome("orgd", "ann@example.com", noon)
	if want := []string{"x1", "x1"}; !cmp.Equal(l.Sessions(), want) || l.Maker != s.Subject || !l.ExpiresAt.Equal(noon.Add(5*time.Minute)) {
		t.Errorf("Welcome = %+v, want a link of x1 for 5 minutes", l)
	}
	got, err := l.SignIn("s2", noon.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	want := session.Session{
		ID: "s2", Issuer: "orgd", Subject: s.Subject, Role: access.Editor, Kind: session.BySignIn, Label: "ann@example.com", From: []string{"x1"},
		IssuedAt: noon.Add(time.Minute), ExpiresAt: noon.Add(12 * time.Hour), EndsBy: noon.Add(12 * time.Hour),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("SignIn (-want +got):\n%s", diff)
	}
	if got.RenewalDue(noon.Add(11 * time.Hour)) {
		t.Error("the session is renewed, and only the provider may do that")
	}
	if !got.IsOf("https://idp.example") || got.IsOf("https://idp") {
		t.Errorf("IsOf mistakes the issuer of %s", got.Subject)
	}
	if l := s.Welcome("orgd", "a\nb", noon); l.As.Label != "" {
		t.Errorf("the label is %q, want none for text of two lines", l.As.Label)
	}
}
