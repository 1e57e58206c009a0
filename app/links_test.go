package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/domain/access"
	"orgd/domain/audit"
	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
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

// linking are the use cases of two replicas at noon, and a session of kim's.
type linking struct {
	*testing.T
	clock    *setClock
	stores   ports.Stores
	replicas [2]*Sessions
	kim      session.Session
}

func newLinking(t *testing.T) *linking {
	t.Helper()
	l := &linking{T: t, clock: &setClock{noon}, stores: portstest.NewMemory()}
	ids := &counted{}
	for i := range l.replicas {
		l.replicas[i] = NewSessions(l.clock, ids, ids, nil, plainTokens{}, l.stores.Sessions, l.stores.Agents)
	}
	l.kim = l.session(session.Grant{ID: "kims", Subject: "kim", Role: access.Viewer})
	return l
}

func (l *linking) session(g session.Grant) session.Session {
	l.Helper()
	g.Issuer, g.At, g.TTL = "orgd", noon, time.Hour
	s, err := session.Issue(g)
	if err != nil {
		l.Fatal(err)
	}
	return s
}

func (l *linking) link(mine session.Session) session.Code {
	l.Helper()
	code, _, err := l.replicas[0].Link(l.Context(), Call{Actor: mine.Actor()}, mine)
	if err != nil {
		l.Fatalf("Link = %v", err)
	}
	return code
}

// signIn is what came of a trade at a replica.
func (l *linking) signIn(replica int, code session.Code) (session.Session, error) {
	_, made, err := l.replicas[replica].SignIn(l.Context(), Call{Route: "POST /links"}, code, "")
	return made, err
}

func (l *linking) wantEnded(what string, code session.Code) {
	l.Helper()
	if made, err := l.signIn(1, code); !errors.Is(err, session.ErrLink) {
		l.Errorf("SignIn %s = %+v, %v, want ErrLink", what, made, err)
	}
}

// trail is the latest audit entries.
func (l *linking) trail(n int) []audit.Entry {
	l.Helper()
	entries, err := l.stores.Audit.Entries(l.Context(), audit.Query{Limit: n})
	if err != nil {
		l.Fatal(err)
	}
	return entries
}

// However many trade at the same time, at whichever replica, one of them is signed in.
func TestLinkWorksOnce(t *testing.T) {
	l := newLinking(t)
	code := l.link(l.kim)
	made := make([]session.Session, 20)
	errs := make([]error, len(made))
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { made[i], errs[i] = l.signIn(i%2, code) })
	}
	all.Wait()
	won := slices.Index(errs, nil)
	refused := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err == nil })
	if len(refused) != 19 || slices.ContainsFunc(refused, func(err error) bool { return !errors.Is(err, session.ErrLink) }) {
		t.Fatalf("20 trades of one code: %d were refused: %v, want 19 times ErrLink", len(refused), refused)
	}
	if s := made[won]; s.Subject != "kim" || s.Role != access.Viewer || s.ID == l.kim.ID {
		t.Errorf("the session is %+v, want a new one of kim", s)
	}
	e := l.trail(2)
	if e[0].Action != audit.SessionIssued || e[0].Actor != "kim" || e[0].Route != "POST /links" || e[0].Resource != audit.Session(made[won].ID) {
		t.Errorf("the audit entry of the session is %+v", e[0])
	}
	if e[1].Action != audit.LinkMade || e[1].Actor != "kim" || e[1].Resource != audit.Session("kims") {
		t.Errorf("the audit entry of the link is %+v", e[1])
	}
	if strings.Contains(fmt.Sprintf("%+v", e), string(code)) {
		t.Error("the audit trail holds the code")
	}
}

func TestLinkEnds(t *testing.T) {
	l := newLinking(t)
	late, soon := l.link(l.kim), l.link(l.kim)
	l.clock.now = noon.Add(session.LinkTTL - time.Millisecond)
	if _, err := l.signIn(1, soon); err != nil {
		t.Errorf("SignIn just before five minutes = %v", err)
	}
	l.clock.now = noon.Add(session.LinkTTL)
	l.wantEnded("after five minutes", late)
}

// Whoever ends a session also ends the links that were made with it, or in a browser that
// was signed in by it.
func TestLinkOfARevokedSession(t *testing.T) {
	for what, ended := range map[string]func(mine, as session.Session) string{
		"its own session": func(mine, _ session.Session) string { return mine.ID },
		"the first":       func(mine, _ session.Session) string { return mine.From[0] },
		"the one between": func(mine, _ session.Session) string { return mine.From[1] },
		"whom it is for":  func(_, as session.Session) string { return as.ID },
	} {
		l := newLinking(t)
		mine := l.session(session.Grant{ID: "adas", Subject: "ada", Role: access.Admin})
		mine.From = []string{"what-ada-signed-in-with", "her-browser"}
		admin := Call{Actor: mine.Actor()}
		code, made, err := l.replicas[0].LinkFor(t.Context(), admin, mine, IssueToken{Subject: "lee", Role: access.Viewer, TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		own := l.link(mine)
		if err := l.replicas[1].Revoke(t.Context(), admin, ended(mine, made.As)); err != nil {
			t.Fatal(err)
		}
		l.wantEnded("after the end of "+what, code)
		if what != "whom it is for" {
			l.wantEnded("by a link for its maker after the end of "+what, own)
		}
	}
}
