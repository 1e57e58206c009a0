package agent

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/domaintest"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// old is version 1 of an agent that has changed much since.
func old(t *testing.T) (identity.Version, Agent) {
	t.Helper()
	first, err := Hire(adaID, parseNew(t, ada(`"hiring_date":"2020-01-01","metadata":{"a":1,"b":null},"tier":"small","owner":"ann","tags":["a"]`)), on(0))
	if err != nil {
		t.Fatalf("Hire = %v", err)
	}
	next, err := first.Agent.Change(patch(t, `{"name":"Countess","department":"Ops","level":"vp","tier":"large",`+
		`"metadata":{"c":2},"model_provider":"p","model_id":"m","personality_preset":"grand","owner":"bob","tags":["b"]}`), on(1))
	if err != nil {
		t.Fatalf("Change = %v", err)
	}
	return *first.Version, next.Agent
}

func TestRollback(t *testing.T) {
	target, now := old(t)
	got, err := now.Rollback(target, because(on(2), "too grand"))
	if err != nil {
		t.Fatalf("Rollback = %v", err)
	}
	want := now
	want.Identity, want.Text, want.Version, want.Revision, want.UpdatedAt = target.Content, target.Text, 3, 3, on(2).At
	if diff := cmp.Diff(want, got.Agent); diff != "" {
		t.Errorf("Rollback (-want +got):\n%s", diff)
	}
	version := identity.Version{
		Number: 3, Content: target.Content, Text: target.Text, Hash: target.Hash, SavedBy: "root", SavedAt: on(2).At,
		RestoredFrom: new(int64(1)), Reason: new("too grand"),
	}
	if diff := cmp.Diff(&version, got.Version); diff != "" {
		t.Errorf("version (-want +got):\n%s", diff)
	}
	if got.From != 2 || got.Agent.Identity.Name.Text != "Ada" {
		t.Errorf("Rollback = from %d, name %s, want from 2, Ada", got.From, got.Agent.Identity.Name)
	}
}

// The id and the day of hiring are the agent's, not the version's.
func TestRollbackKeepsIdentity(t *testing.T) {
	target, now := old(t)
	target.Content.ID, target.Content.HiringDate = bobID, "1999-01-01"
	got, err := now.Rollback(target, on(2))
	if err != nil {
		t.Fatalf("Rollback = %v", err)
	}
	if c := got.Agent.Identity; c.ID != adaID || c.HiringDate != "2020-01-01" {
		t.Errorf("Rollback = id %s, hired %s, want those of the agent", c.ID, c.HiringDate)
	}
	if got.Version.Hash != got.Agent.Identity.Hash() {
		t.Errorf("hash = %s, want that of the content with its own id", got.Version.Hash)
	}
}

func TestRollbackWithoutEffect(t *testing.T) {
	target, now := old(t)
	target.Content = now.Identity
	got, err := now.Rollback(target, because(on(2), "why"))
	if diff := cmp.Diff(Step{Agent: now, From: 2}, got); diff != "" || err != nil {
		t.Errorf("Rollback = %v (-want +got):\n%s", err, diff)
	}
}

// References come back as they are, whoever they named.
func TestRollbackRestoresReferences(t *testing.T) {
	target, now := old(t)
	const gone = "0190a1b2-0000-7000-8000-0000000000ff"
	target.Content.Authority.ReportsTo = new(gone)
	got, err := now.Rollback(target, on(2))
	if err != nil || *got.Agent.Identity.Authority.ReportsTo != gone {
		t.Errorf("Rollback = %+v, %v, want a reference to %s", got.Agent.Identity.Authority, err, gone)
	}
}

func TestRollbackRefusesMove(t *testing.T) {
	target, _ := old(t)
	target.Number, target.Content.Status = 4, identity.OnLeave
	_, err := hire(t, `"status":"terminated"`).Rollback(target, on(2))
	want := "version 4 cannot be restored: an agent cannot go from status terminated to on_leave"
	if err == nil || err.Error() != want {
		t.Errorf("Rollback = %v, want %q", err, want)
	}
}

// What has a name that nothing new may have keeps it, and who has given it up does not get it
// again.
func TestNamesThatArePaths(t *testing.T) {
	const refused = `must not end in "/health"`
	if _, err := ParseNew(domaintest.JSON(t, `{"name":"Ada/health","role":"r","department":"d"}`)); !errors.Is(err, name.ErrInvalid) || !strings.Contains(err.Error(), refused) {
		t.Errorf("ParseNew = %v, want ErrInvalid", err)
	}
	a := hire(t, "")
	if _, err := a.Change(patch(t, `{"name":"Ada/health"}`), on(1)); !errors.Is(err, name.ErrInvalid) || !strings.Contains(err.Error(), refused) {
		t.Errorf("Change of the name = %v, want ErrInvalid", err)
	}
	a.Identity.Name = domaintest.Name("Ada/health") // as an earlier release took it
	former := identity.Version{Number: 1, Content: a.Identity}
	s, err := a.Change(patch(t, `{"name":"ADA/health","role":"Boss"}`), on(1))
	if err != nil || s.Agent.Name().Text != "ADA/health" {
		t.Fatalf("Change of an agent that has such a name = %+v, %v", s.Agent.Name(), err)
	}
	if _, err := s.Agent.Rollback(former, on(2)); err != nil {
		t.Errorf("Rollback to the name that the agent has = %v", err)
	}
	if s, err = s.Agent.Change(patch(t, `{"name":"Ada"}`), on(2)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Agent.Rollback(former, on(3)); !errors.Is(err, ErrRollback) || !strings.Contains(err.Error(), refused) {
		t.Errorf("Rollback to a name that was given up = %v, want ErrRollback", err)
	}
}
