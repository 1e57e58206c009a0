package department

import (
	"fmt"
	"strings"
	"testing"

	"orgd/domain/domaintest"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

func entry(t testing.TB, text string) Patch {
	t.Helper()
	p, err := ParseEntry("departments[2]", domaintest.JSON(t, text))
	if err != nil {
		t.Fatalf("ParseEntry(%.80s) = %v", text, err)
	}
	return p.Resolve(people)
}

// whole reads an entry as what a new department is to be.
func whole(t *testing.T, text string) Patch {
	t.Helper()
	p, err := entry(t, text).New()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What a department writes as an entry makes the same department again.
func TestEntryRoundTrip(t *testing.T) {
	d := found(t, `"head":"Ada","teams":[{"name":"T","members":["Bob"]}],"reporting_lines":[{"subordinate":"Bob","supervisor":"Ada"}],
		"ceremony_policy":{"strategy":"calendar","x":null},"budget_percent":12.5,"policies":{"approval_chains":[{"action_type":"a","approvers":["b"]}]}`)
	w := jsondoc.NewWriter(nil)
	w.Open()
	d.WriteEntry(w, func(id identity.ID) (string, bool) {
		return map[identity.ID]string{adaID: "Ada", bobID: "Bob"}[id], true
	})
	w.Close()
	again, err := New("d-2", whole(t, string(w.Bytes())), 0, dawn)
	if err != nil || !canonical(t, again).Equal(canonical(t, d)) {
		t.Errorf("New of the entry = %s, %v, want %s", canonical(t, again), err, canonical(t, d))
	}
	if same, err := d.Change(entry(t, string(w.Bytes())), 0, later(1)); err != nil || same.Revision != d.Revision {
		t.Errorf("Change by the entry = %s, %v, want no effect", canonical(t, same), err)
	}
}

// An entry replaces the policy, names its department however it likes, and
// leaves alone what it does not say.
func TestEntryChanges(t *testing.T) {
	d := found(t, `"description":"d","ceremony_policy":{"strategy":"calendar","x":1},"policies":{"review_requirements":{"min_reviewers":3}}`)
	next, err := d.Change(entry(t, `{"name":"OPS","ceremony_policy":{"y":2},"policies":{"review_requirements":{"self_review_allowed":true}}}`), 0, later(1))
	if err != nil || next.Name != d.Name || next.Description != "d" || next.CeremonyPolicy.String() != `{"y":2}` ||
		next.Policies.Review.MinReviewers != 3 || !next.Policies.Review.SelfReview {
		t.Errorf("Change = %+v, %v", next, err)
	}
	e := entry(t, `{"name":"Ops","head":"Ada","description":"x"}`)
	rest := e.Only(func(field string) bool { return field != "head" })
	if next, err = d.Change(rest, 0, later(1)); err != nil || next.Head != nil || next.Description != "x" {
		t.Errorf("Change without the head = %+v, %v", next, err)
	}
	nothing := e.Only(func(string) bool { return false })
	if got := fmt.Sprint(e.Fields(), rest.Fields(), nothing.Fields()); got != "[head description] [description] []" {
		t.Errorf("Fields = %s", got)
	}
}

func TestEntryErrorsSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                 "departments[2]: must be an object, not an array",
		`{}`:                 "departments[2].name: is required",
		`{"name":"A","x":1}`: "departments[2].x: unknown field",
		`{"name":"A","ceremony_policy":{"strategy":"x"}}`:                                                       "departments[2].ceremony_policy.strategy: must be one of",
		`{"name":"A","reporting_lines":[{"subordinate":"Ada","supervisor":"Ada"}]}`:                             "departments[2].reporting_lines[0]: an agent must not report to itself",
		`{"name":"A","policies":{"approval_chains":[{"action_type":"a","approvers":["b"],"min_approvals":2}]}}`: "departments[2].policies.approval_chains[0].min_approvals: must be at most 1",
	} {
		if _, err := ParseEntry("departments[2]", domaintest.JSON(t, text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ParseEntry(%s) = %v, want %s", text, err, want)
		}
	}
	d := found(t, ``)
	if _, err := d.Change(entry(t, `{"name":"Ops","head":"Nobody"}`), 0, later(1)); err == nil || err.Error() != `departments[2].head: there is no agent "Nobody"` {
		t.Errorf("Change = %v, want where it is wrong", err)
	}
	if _, err := New("d-2", whole(t, `{"name":"B","budget_percent":60}`), 41*10_000, dawn); err == nil || !strings.HasPrefix(err.Error(), "departments[2].budget_percent: ") {
		t.Errorf("New = %v, want where it is wrong", err)
	}
}
