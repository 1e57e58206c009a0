package session_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/access"
	"orgd/domain/name"
	"orgd/domain/session"
)

const (
	agentID      = "0190a5c4-0000-7000-8000-000000000001"
	otherAgentID = "0190a5c4-0000-7000-8000-00000000abcd"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func grant(change func(*session.Grant)) session.Grant {
	g := session.Grant{
		ID: "s1", Issuer: "orgd", Subject: "ann", Role: access.DepartmentAdmin,
		Departments: []name.Name{{Text: "Design", Key: "design"}},
		Label:       "nightly reports", At: noon, TTL: time.Hour,
	}
	if change != nil {
		change(&g)
	}
	return g
}

func TestIssue(t *testing.T) {
	got, err := session.Issue(grant(nil))
	if err != nil {
		t.Fatalf("Issue = %v", err)
	}
	want := session.Session{
		ID: "s1", Issuer: "orgd", Subject: "ann", Role: access.DepartmentAdmin,
		Departments: []name.Name{{Text: "Design", Key: "design"}},
		IssuedAt:    noon, ExpiresAt: noon.Add(time.Hour), Kind: session.ByToken, Label: "nightly reports",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Issue (-want +got):\n%s", diff)
	}
	actor := access.Actor{Subject: "ann", Role: access.DepartmentAdmin, Departments: []name.Key{"design"}, Session: "s1"}
	if diff := cmp.Diff(actor, got.Actor()); diff != "" {
		t.Errorf("Actor (-want +got):\n%s", diff)
	}
}

func TestIssueAgent(t *testing.T) {
	s, err := session.Issue(grant(func(g *session.Grant) { g.Role, g.Subject = access.Agent, agentID }))
	if err != nil || s.Agent != agentID || s.Actor().Agent != agentID {
		t.Errorf("Issue = %+v, %v, want agent %s", s, err, agentID)
	}
	s, err = session.Issue(grant(func(g *session.Grant) { g.Role, g.Subject = access.Agent, strings.ToUpper(otherAgentID) }))
	if err != nil || s.Agent != otherAgentID || s.Subject != otherAgentID {
		t.Errorf("Issue for an id in capitals = %+v, %v, want agent and subject %s", s, err, otherAgentID)
	}
}

func TestIssueRefuses(t *testing.T) {
	tests := map[string]struct {
		change func(*session.Grant)
		want   error
	}{
		"no sid":               {func(g *session.Grant) { g.ID = "" }, session.ErrID},
		"no subject":           {func(g *session.Grant) { g.Subject = "" }, session.ErrSubject},
		"blank subject":        {func(g *session.Grant) { g.Subject = " " }, session.ErrSubject},
		"white space around":   {func(g *session.Grant) { g.Subject = "ann " }, session.ErrSubject},
		"control character":    {func(g *session.Grant) { g.Subject = "a\x00b" }, session.ErrSubject},
		"format character":     {func(g *session.Grant) { g.Subject = "a\u200bb" }, session.ErrSubject},
		"not UTF-8":            {func(g *session.Grant) { g.Subject = "a\xff" }, session.ErrSubject},
		"long subject":         {func(g *session.Grant) { g.Subject = strings.Repeat("a", 257) }, session.ErrSubject},
		"external subject":     {func(g *session.Grant) { g.Subject = "https://idp|ann" }, session.ErrOwnSubject},
		"no role":              {func(g *session.Grant) { g.Role = "" }, access.ErrRole},
		"unknown role":         {func(g *session.Grant) { g.Role = "root" }, access.ErrRole},
		"agent without id":     {func(g *session.Grant) { g.Role = access.Agent }, session.ErrAgentSubject},
		"no lifetime":          {func(g *session.Grant) { g.TTL = 0 }, session.ErrTTL},
		"negative lifetime":    {func(g *session.Grant) { g.TTL = -time.Hour }, session.ErrTTL},
		"too long a lifetime":  {func(g *session.Grant) { g.TTL = session.MaxTTL + time.Second }, session.ErrTTL},
		"fraction of a second": {func(g *session.Grant) { g.TTL = 1500 * time.Millisecond }, session.ErrTTL},
		"label with a line":    {func(g *session.Grant) { g.Label = "nightly\nreports" }, session.ErrLabel},
		"blank label":          {func(g *session.Grant) { g.Label = " " }, session.ErrLabel},
		"long label":           {func(g *session.Grant) { g.Label = strings.Repeat("ä", 129) }, session.ErrLabel},
		"too many departments": {func(g *session.Grant) { g.Departments = make([]name.Name, 257) }, session.ErrDepartments},
	}
	for what, tt := range tests {
		if got, err := session.Issue(grant(tt.change)); !errors.Is(err, tt.want) {
			t.Errorf("%s: Issue = %+v, %v, want %v", what, got, err, tt.want)
		}
	}
}

// A token carries whole seconds and still lives at least as long as asked.
func TestIssueLifetime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := noon.Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "at")))
		ttl := time.Duration(rapid.Int64Range(1, int64(session.MaxTTL/time.Second)).Draw(t, "ttl")) * time.Second
		s, err := session.Issue(grant(func(g *session.Grant) { g.At, g.TTL = at, ttl }))
		if err != nil {
			t.Fatalf("Issue = %v", err)
		}
		if s.IssuedAt.Nanosecond() != 0 || s.ExpiresAt.Sub(s.IssuedAt) != ttl {
			t.Fatalf("Issue = %v to %v, want whole seconds and %v", s.IssuedAt, s.ExpiresAt, ttl)
		}
		if lives := s.ExpiresAt.Sub(at); lives < ttl || lives >= ttl+time.Second {
			t.Fatalf("Issue lives %v, want %v to one second more", lives, ttl)
		}
	})
}

func TestRenew(t *testing.T) {
	s, err := session.Issue(grant(nil))
	if err != nil {
		t.Fatalf("Issue = %v", err)
	}
	got, err := s.Renew(noon.Add(40 * time.Minute))
	if err != nil {
		t.Fatalf("Renew = %v", err)
	}
	want := s
	want.IssuedAt, want.ExpiresAt = noon.Add(40*time.Minute), noon.Add(100*time.Minute)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Renew (-want +got):\n%s", diff)
	}
	s.Kind = session.External
	if got, err := s.Renew(noon); !errors.Is(err, session.ErrNotRenewable) {
		t.Errorf("Renew(external) = %+v, %v, want ErrNotRenewable", got, err)
	}
}

func TestParseID(t *testing.T) {
	for _, s := range []string{"a", "~", agentID, strings.Repeat("x", 128), "a/b+c=", "..."} {
		if got, err := session.ParseID(s); got != s || err != nil {
			t.Errorf("ParseID(%q) = %q, %v, want it back", s, got, err)
		}
	}
	for _, s := range []string{"", ".", "..", " ", "a b", "a\n", "\x7f", "é", "a\x00", strings.Repeat("x", 129)} {
		if got, err := session.ParseID(s); !errors.Is(err, session.ErrID) {
			t.Errorf("ParseID(%q) = %q, %v, want ErrID", s, got, err)
		}
	}
}

func TestIDsAndSubjectsSayWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"a b":                    "sid: must be 1 to 128 visible ASCII characters, without U+0020",
		"..":                     `sid: must not be "." or ".."`,
		strings.Repeat("k", 130): "sid: must be 1 to 128 visible ASCII characters, it has 130",
	} {
		if _, err := session.ParseID(text); err == nil || err.Error() != want {
			t.Errorf("ParseID(%.20q) = %v, want %q", text, err, want)
		}
	}
	want := "label: must be 1 to 128 characters, it has 129"
	if _, err := session.ParseLabel(strings.Repeat("ä", 129)); err == nil || err.Error() != want {
		t.Errorf("ParseLabel(129) = %v, want %q", err, want)
	}
	if l, err := session.ParseLabel(strings.Repeat("ä", 128)); err != nil || len(l) != 256 {
		t.Errorf("ParseLabel(128) = %q, %v, want it back", l, err)
	}
	want = "subject: must be 1 to 256 characters, it has 257"
	if _, err := session.ParseSubject(strings.Repeat("ä", 257)); err == nil || err.Error() != want {
		t.Errorf("ParseSubject(257) = %v, want %q", err, want)
	}
}

func TestExternalID(t *testing.T) {
	ids := map[string]string{}
	for _, parts := range [][3]string{
		{"i", "s", "m"}, {"is", "", "m"}, {"", "is", "m"}, {"i", "sm", ""}, {"i", "", "sm"}, {"i1:s", "", "m"},
	} {
		id := session.ExternalID(parts[0], parts[1], parts[2])
		if _, err := session.ParseID(id); err != nil {
			t.Errorf("ExternalID(%q) = %q: %v", parts, id, err)
		}
		if other, taken := ids[id]; taken {
			t.Errorf("ExternalID(%q) = ExternalID of %s", parts, other)
		}
		ids[id] = strings.Join(parts[:], ",")
	}
}

func TestSubjectNeverMeetsAnOwnOne(t *testing.T) {
	if s := session.Subject("https://idp", "ann"); s != "https://idp|ann" {
		t.Errorf("Subject = %q, want https://idp|ann", s)
	}
	if s, err := session.ParseOwnSubject(session.Subject("x", "y")); !errors.Is(err, session.ErrOwnSubject) {
		t.Errorf("ParseOwnSubject = %q, %v, want ErrOwnSubject", s, err)
	}
}

func TestRevoke(t *testing.T) {
	short := session.Session{ID: "s1", ExpiresAt: noon.Add(time.Hour), Kind: session.ByToken}
	long := session.Session{ID: "s2", ExpiresAt: noon.Add(365 * 24 * time.Hour), Kind: session.ByToken}
	foreign := session.Session{ID: "s4", Kind: session.External, ExpiresAt: noon.Add(time.Hour)}
	for s, until := range map[*session.Session]time.Time{
		&short:   noon.Add(session.MaxTTL + session.Grace), // it may be renewed at this very moment
		&long:    long.ExpiresAt.Add(session.Grace),
		&foreign: noon.Add(400*24*time.Hour + session.Grace), // its issuer renews it
	} {
		want := session.Revocation{ID: s.ID, By: "ann", At: noon, Until: until}
		if diff := cmp.Diff(want, s.Revoke("ann", noon)); diff != "" {
			t.Errorf("Revoke(%s) (-want +got):\n%s", s.ID, diff)
		}
	}
	if r := session.RevokeUnseen("s3", "ann", noon); r.ID != "s3" || r.Until.Before(noon.Add(session.MaxTTL)) {
		t.Errorf("RevokeUnseen = %+v, want s3, kept for at least 30 days", r)
	}
}

func TestPositionBefore(t *testing.T) {
	latest, older := session.Position{IssuedAt: noon.Add(time.Second), ID: "b"}, session.Position{IssuedAt: noon, ID: "a"}
	tie := session.Position{IssuedAt: noon, ID: "b"}
	if !latest.Before(older) || older.Before(latest) || !older.Before(tie) || tie.Before(older) || tie.Before(tie) {
		t.Error("Before must order latest first, ties by ascending id")
	}
}
