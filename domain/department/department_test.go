package department

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/ceremony"
	"orgd/domain/domaintest"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/revision"
)

// full has something in every field.
const full = `"description":"Runs it.","head":"ADA","budget_percent":12.5,"autonomy_level":"semi",` +
	`"teams":[{"name":"Night","lead":"Bob","members":["Cleo","Ada"]},{"name":"Day"}],` +
	`"reporting_lines":[{"subordinate":"Bob","supervisor":"Ada"},{"subordinate":"Cleo","supervisor":"Bob"}],` +
	`"policies":{"review_requirements":{"min_reviewers":2,"required_reviewer_roles":["lead"],"self_review_allowed":true},` +
	`"approval_chains":[{"action_type":"spend","approvers":["cfo"],"min_approvals":1}],"protected_labels":["production","a.b"]},` +
	`"ceremony_policy":{"strategy":"hybrid","own":{"a":1,"b":null}}`

func fullDepartment() Department {
	return Department{
		ID: "d-1", Name: domaintest.Name("Ops"), Description: "Runs it.", Head: new(adaID), BudgetPercent: 125_000, Autonomy: new(identity.Semi),
		Teams: []Team{
			{Name: domaintest.Name("Night"), Lead: new(bobID), Members: []string{cleoID, adaID}},
			{Name: domaintest.Name("Day")},
		},
		ReportingLines: []ReportingLine{{bobID, adaID}, {cleoID, bobID}},
		Policies: Policies{
			Review:          ReviewRequirements{MinReviewers: 2, RequiredRoles: []string{"lead"}, SelfReview: true},
			Chains:          []ApprovalChain{{ActionType: "spend", Approvers: []string{"cfo"}, MinApprovals: 1}},
			ProtectedLabels: []string{"production", "a.b"},
		},
		CeremonyPolicy: new(ceremony.Policy(`{"own":{"a":1,"b":null},"strategy":"hybrid"}`)),
		Revision:       1, CreatedAt: dawn, UpdatedAt: dawn,
	}
}

func TestNew(t *testing.T) {
	if diff := cmp.Diff(fullDepartment(), found(t, full)); diff != "" {
		t.Errorf("New (-want +got):\n%s", diff)
	}
	const defaults = `{"autonomy_level":null,"budget_percent":0,"ceremony_policy":null,"description":"","head":null,` +
		`"policies":{"approval_chains":[],"protected_labels":[],"review_requirements":{"min_reviewers":1,"required_reviewer_roles":[],"self_review_allowed":false}},` +
		`"reporting_lines":[],"teams":[]}`
	if diff := cmp.Diff(defaults, canonical(t, found(t, "")).String()); diff != "" {
		t.Errorf("New with a name only (-want +got):\n%s", diff)
	}
	if want := (revision.Tag{ID: "d-1", Revision: 1}); found(t, "").Tag() != want {
		t.Errorf("Tag = %+v, want %+v", found(t, "").Tag(), want)
	}
}

func TestReferencesMustExist(t *testing.T) {
	for _, tc := range []struct {
		text string
		want error
		msg  string
	}{
		{`{"head":"Eve"}`, identity.ErrUnknownReference, `head: there is no agent "Eve"`},
		{`{"head":"` + goneID + `"}`, identity.ErrUnknownReference, `head: there is no agent "` + goneID + `"`},
		{`{"teams":[{"name":"a"},{"name":"b","lead":"Eve"}]}`, identity.ErrUnknownReference, `teams[1].lead: there is no agent "Eve"`},
		{`{"teams":[{"name":"a","members":["Ada","` + goneID + `"]}]}`, identity.ErrUnknownReference, `teams[0].members: there is no agent`},
		{`{"teams":[{"name":"a","members":["Ada","ADA"]}]}`, identity.ErrCombination, `teams[0].members: names the agent "ADA" twice`},
		{`{"reporting_lines":[{"subordinate":"Eve","supervisor":"Ada"}]}`, identity.ErrUnknownReference, `reporting_lines[0].subordinate: `},
		{`{"reporting_lines":[{"subordinate":"Ada","supervisor":"` + goneID + `"}]}`, identity.ErrUnknownReference, `reporting_lines[0].supervisor: `},
		{`{"reporting_lines":[{"subordinate":"Ada","supervisor":"ADA"}]}`, ErrCombination, `reporting_lines[0]: an agent must not report to itself`},
		{`{"reporting_lines":[{"subordinate":"Ada","supervisor":"Bob"},{"subordinate":"ADA","supervisor":"Cleo"}]}`, ErrCombination,
			`reporting_lines[1]: the subordinate already has`},
		{`{"reporting_lines":[{"subordinate":"Ada","supervisor":"Bob"},{"subordinate":"Bob","supervisor":"ADA"}]}`, ErrCombination,
			`reporting_lines[0]: closes a cycle`},
	} {
		d, err := found(t, "").Change(patch(t, tc.text), 0, later(1))
		if !errors.Is(err, tc.want) || domaintest.Code(err) != 2000 || !strings.HasPrefix(err.Error(), tc.msg) {
			t.Errorf("Change(%s) = %+v, %v, want 2000 %q", tc.text, d, err, tc.msg)
		}
		p, err := ParseNew(domaintest.JSON(t, ops(tc.text[1:len(tc.text)-1])))
		if err != nil {
			t.Fatalf("ParseNew(%s) = %v", tc.text, err)
		}
		if d, err := New("d-1", p.Resolve(people), 0, dawn); !errors.Is(err, tc.want) {
			t.Errorf("New(%s) = %+v, %v, want %v", tc.text, d, err, tc.want)
		}
	}
	d := found(t, `"head":"0190A1B2-0000-7000-8000-00000000000A"`)
	if d.Head == nil || *d.Head != adaID {
		t.Errorf("head by an id in capitals = %v, want %s", d.Head, adaID)
	}
}

// Agents that were deleted since stay behind their references, out of sight, and
// do not get in the way of other changes.
func TestAgentsThatAreGone(t *testing.T) {
	d := fullDepartment()
	d.Head, d.Teams[0].Members[0], d.ReportingLines[0].Supervisor = new(goneID), goneID, gone2
	next, err := d.Change(patch(t, `{"description":"new"}`), 0, later(1))
	if err != nil || *next.Head != goneID || next.Teams[0].Members[0] != goneID || next.ReportingLines[0].Supervisor != gone2 {
		t.Errorf("Change = %+v, %v, want the references as they were", next, err)
	}
	next, err = d.Change(patch(t, `{"teams":[{"name":"Night","members":["Ada"]}]}`), 0, later(1))
	if err != nil || *next.Head != goneID || len(next.Teams) != 1 {
		t.Errorf("Change of teams = %+v, %v, want the head as it was", next, err)
	}
	if next, err = d.Change(patch(t, `{"head":null}`), 0, later(1)); err != nil || next.Head != nil {
		t.Errorf("Change of head = %+v, %v, want none", next, err)
	}
}

func TestChange(t *testing.T) {
	for _, tc := range []struct {
		patch string
		want  func(*Department)
	}{
		{`{"description":"x"}`, func(d *Department) { d.Description = "x" }},
		{`{"head":null,"autonomy_level":null}`, func(d *Department) { d.Head, d.Autonomy = nil, nil }},
		{`{"teams":[{"name":"Day","members":["Bob"]}]}`, func(d *Department) {
			d.Teams = []Team{{Name: domaintest.Name("Day"), Members: []string{bobID}}}
		}},
		{`{"teams":[],"reporting_lines":[]}`, func(d *Department) { d.Teams, d.ReportingLines = nil, nil }},
		{`{"policies":{"review_requirements":{"min_reviewers":0}}}`, func(d *Department) { d.Policies.Review.MinReviewers = 0 }},
		{`{"policies":{"approval_chains":[]}}`, func(d *Department) { d.Policies.Chains = nil }},
		{`{"ceremony_policy":null}`, func(d *Department) { d.CeremonyPolicy = nil }},
		{`{"ceremony_policy":{"strategy":null,"own":{"a":2}}}`, func(d *Department) {
			d.CeremonyPolicy = new(ceremony.Policy(`{"own":{"a":2,"b":null}}`))
		}},
		{`{"ceremony_policy":{"own":null,"strategy":null}}`, func(d *Department) { d.CeremonyPolicy = new(ceremony.Policy(``)) }},
	} {
		want := fullDepartment()
		tc.want(&want)
		want.Revision, want.UpdatedAt = 2, later(5)
		got, err := fullDepartment().Change(patch(t, tc.patch), 0, later(5))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Change(%s) = %v (-want +got):\n%s", tc.patch, err, diff)
		}
	}
}

func TestChangeWithoutEffect(t *testing.T) {
	for _, text := range []string{
		`{}`, `{` + full + `}`, `{"policies":{}}`, `{"policies":{"review_requirements":{}}}`, `{"budget_percent":12.5000}`,
		`{"ceremony_policy":{}}`, `{"ceremony_policy":{"own":{"a":1.0},"other":null}}`, `{"head":"` + adaID + `"}`,
	} {
		d := fullDepartment()
		d.CeremonyPolicy = new(ceremony.Policy(`{"own":{"a":1},"strategy":"hybrid"}`))
		got, err := d.Change(patch(t, text), 0, later(9))
		if diff := cmp.Diff(d, got); diff != "" || err != nil {
			t.Errorf("Change(%s) = %v (-want +got):\n%s", text, err, diff)
		}
	}
}

// The shares of all departments come to at most 100 percent, exactly.
func TestBudget(t *testing.T) {
	for _, tc := range []struct {
		share  string
		others money.Percent
		ok     bool
	}{
		{"100", 0, true},
		{"0", money.Hundred, true},
		{"33.3333", money.Hundred - 333_333, true},
		{"33.3334", money.Hundred - 333_333, false},
		{"0.0001", money.Hundred, false},
		{"100", 1, false},
	} {
		p, err := ParseNew(domaintest.JSON(t, ops(`"budget_percent":`+tc.share)))
		if err != nil {
			t.Fatalf("ParseNew(%s) = %v", tc.share, err)
		}
		_, newErr := New("d-1", p, tc.others, dawn)
		change := patch(t, `{"budget_percent":`+tc.share+`}`)
		_, changeErr := found(t, `"budget_percent":1`).Change(change, tc.others, later(1))
		for what, err := range map[string]error{"New": newErr, "Change": changeErr} {
			if (err == nil) != tc.ok || err != nil && (!errors.Is(err, ErrBudget) || domaintest.Code(err) != 2000) {
				t.Errorf("%s with %s beside %s = %v, want ok %t", what, tc.share, tc.others, err, tc.ok)
			}
		}
		if !change.SetsBudget() || patch(t, `{}`).SetsBudget() {
			t.Error("SetsBudget is wrong")
		}
	}
	if _, err := found(t, `"budget_percent":50`).Change(patch(t, `{"description":"x"}`), money.Hundred, later(1)); err != nil {
		t.Errorf("Change of something else = %v, want no question of the budget", err)
	}
}

func TestCheckEmpty(t *testing.T) {
	d := found(t, "")
	for n, want := range map[int64]string{1: `department "Ops" still has 1 agent`, 12: `department "Ops" still has 12 agents`} {
		if err := d.CheckEmpty(n); !errors.Is(err, ErrNotEmpty) || domaintest.Code(err) != 2000 || err.Error() != want {
			t.Errorf("CheckEmpty(%d) = %v, want %q", n, err, want)
		}
	}
	if err := d.CheckEmpty(0); err != nil {
		t.Errorf("CheckEmpty(0) = %v, want nil", err)
	}
}

func TestSetCeremonyPolicy(t *testing.T) {
	d := found(t, "")
	p := ceremony.Policy(`{"strategy":"calendar"}`)
	set := d.SetCeremonyPolicy(&p, later(1))
	if set.Revision != 2 || !set.UpdatedAt.Equal(later(1)) || *set.CeremonyPolicy != p || d.CeremonyPolicy != nil {
		t.Errorf("SetCeremonyPolicy = %+v, want revision 2 with the policy", set)
	}
	same := p
	if again := set.SetCeremonyPolicy(&same, later(2)); again.Revision != 2 || !again.UpdatedAt.Equal(later(1)) {
		t.Errorf("SetCeremonyPolicy again = %+v, want no effect", again)
	}
	empty := ceremony.Policy("")
	if got := d.SetCeremonyPolicy(&empty, later(3)); got.Revision != 2 {
		t.Errorf("SetCeremonyPolicy({}) = %+v, want a policy, unlike none", got)
	}
	if gone := set.SetCeremonyPolicy(nil, later(3)); gone.Revision != 3 || gone.CeremonyPolicy != nil {
		t.Errorf("SetCeremonyPolicy(nil) = %+v, want revision 3 without policy", gone)
	}
	if gone := d.SetCeremonyPolicy(nil, later(3)); gone.Revision != 1 {
		t.Errorf("SetCeremonyPolicy(nil) without one = %+v, want no effect", gone)
	}
}

func TestTouch(t *testing.T) {
	d := found(t, "")
	if got := d.Touch(later(3)); got.Revision != 2 || !got.UpdatedAt.Equal(later(3)) {
		t.Errorf("Touch = revision %d at %v, want 2, later", got.Revision, got.UpdatedAt)
	}
	if got := d.Touch(later(-3)); got.Revision != 2 || !got.UpdatedAt.Equal(dawn.Add(time.Millisecond)) {
		t.Errorf("Touch with an early clock = revision %d at %v, want 2 just after the time before", got.Revision, got.UpdatedAt)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, more := range []string{"", full, `"ceremony_policy":{}`, `"teams":[{"name":"é"}]`} {
		d := found(t, more)
		want := d
		want.ID, want.Name, want.Revision, want.CreatedAt, want.UpdatedAt = "", Department{}.Name, 0, Department{}.CreatedAt, Department{}.UpdatedAt
		got, err := Parse(d.Canonical())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Parse(%s) = %v (-want +got):\n%s", d.Canonical(), err, diff)
		}
		if string(got.Canonical()) != string(d.Canonical()) {
			t.Errorf("Canonical = %s, want %s", got.Canonical(), d.Canonical())
		}
	}
	got, err := Parse([]byte(`{"description":"from an older schema"}`))
	if err != nil || got.Policies.Review.MinReviewers != 1 || got.Description != "from an older schema" {
		t.Errorf("Parse of an older schema = %+v, %v, want defaults", got, err)
	}
	for _, text := range []string{``, `[]`, `{"x":1}`, `{"head":1}`} {
		if _, err := Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "department: parse: ") {
			t.Errorf("Parse(%s) = %v, want an error of this package", text, err)
		}
	}
}

// Readers see names; agents that are gone are null or left out.
func TestWrite(t *testing.T) {
	w := jsondoc.NewWriter(nil)
	w.Open()
	fullDepartment().Write(w, func(id identity.ID) (string, bool) {
		name, ok := map[identity.ID]string{adaID: "Ada L.", cleoID: "Cleo"}[id]
		return name, ok // Bob is gone
	})
	w.Close()
	const want = `{"name":"Ops","description":"Runs it.","head":"Ada L.","budget_percent":12.5,"autonomy_level":"semi",` +
		`"teams":[{"name":"Night","lead":null,"members":["Cleo","Ada L."]},{"name":"Day","lead":null,"members":[]}],` +
		`"reporting_lines":[],` +
		`"policies":{"review_requirements":{"min_reviewers":2,"required_reviewer_roles":["lead"],"self_review_allowed":true},` +
		`"approval_chains":[{"action_type":"spend","approvers":["cfo"],"min_approvals":1}],"protected_labels":["production","a.b"]},` +
		`"ceremony_policy":{"own":{"a":1,"b":null},"strategy":"hybrid"},` +
		`"revision":1,"created_at":"2026-01-31T23:59:59.999Z","updated_at":"2026-01-31T23:59:59.999Z"}`
	if diff := cmp.Diff(want, string(w.Bytes())); diff != "" {
		t.Errorf("Write (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]identity.ID{adaID, bobID, cleoID, adaID, bobID, adaID, cleoID, bobID}, fullDepartment().Agents()); diff != "" {
		t.Errorf("Agents (-want +got):\n%s", diff)
	}
	if got := found(t, "").Agents(); len(got) != 0 {
		t.Errorf("Agents of an empty department = %v", got)
	}
}

// Reporting lines are good exactly if nobody reports twice and every walk
// upwards ends.
func TestReportingLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agent := rapid.IntRange(0, 5)
		boss := map[int]int{}
		var lines []ReportingLine
		twice := false
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			below, above := agent.Draw(t, "below"), agent.Draw(t, "above")
			_, has := boss[below]
			twice = twice || has
			boss[below] = above
			lines = append(lines, ReportingLine{fmt.Sprint(below), fmt.Sprint(above)})
		}
		endless := false
		for start := range boss {
			at, ok := start, true
			for steps := 0; ok && !endless; steps++ {
				at, ok = boss[at]
				endless = steps > len(boss)
			}
		}
		if err := checkLines(lines); (err == nil) == (twice || endless) || err != nil && !errors.Is(err, ErrCombination) {
			t.Errorf("checkLines(%v) = %v, want refused %t", lines, err, twice || endless)
		}
	})
}

// Many may change one department that they have read together.
func TestChangesInParallel(t *testing.T) {
	d := fullDepartment()
	var wg sync.WaitGroup
	for _, text := range []string{
		`{}`, `{"description":"x"}`, `{"teams":[{"name":"Night","members":["Bob"]}]}`, `{"head":"Bob"}`, `{"ceremony_policy":{"own":{"a":5}}}`,
		`{"reporting_lines":[{"subordinate":"Bob","supervisor":"Cleo"}]}`, `{"policies":{"approval_chains":[]}}`, `{"autonomy_level":"full"}`,
	} {
		p := patch(t, text)
		for range 4 {
			wg.Go(func() {
				if _, err := d.Change(p, 0, later(1)); err != nil {
					t.Errorf("Change(%s) = %v", text, err)
				}
			})
		}
	}
	wg.Wait()
	if diff := cmp.Diff(fullDepartment(), d); diff != "" {
		t.Errorf("the department has changed (-want +got):\n%s", diff)
	}
}
