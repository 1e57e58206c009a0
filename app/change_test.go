package app

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/access"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/domaintest"
	"orgd/domain/fault"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/revision"
	"orgd/ports"
)

// What needs no store is tested here; the use cases are tested with one.

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func someone(id, department string) agent.Agent {
	return agent.Agent{
		Identity: identity.Content{ID: agent.ID(id), Name: domaintest.Name(id), Department: domaintest.Name(department)},
		Version:  3, Revision: 5, OrderKey: agent.OrderKey(id),
	}
}

func TestMayChange(t *testing.T) {
	admin := access.Actor{Role: access.DepartmentAdmin, Departments: []name.Key{"ops", "lab"}}
	stale := revision.OneOf(revision.Tag{ID: "ada", Revision: 4})
	for _, tc := range []struct {
		what  string
		actor access.Actor
		cond  revision.Condition
		to    string
		want  fault.Code
	}{
		{"editor", access.Actor{Role: access.Editor}, revision.Condition{}, "", 0},
		{"editor, stale", access.Actor{Role: access.Editor}, stale, "", 4002},
		{"own department", admin, revision.OneOf(revision.Tag{ID: "ada", Revision: 5}), "", 0},
		{"to another own one", admin, revision.Condition{}, "Lab", 0},
		{"to a foreign one", admin, revision.Condition{}, "Shop", 1001},
		{"permission comes before the condition", admin, stale, "Shop", 1001},
		{"reader", access.Actor{Role: access.Agent}, revision.Condition{}, "", 1001},
	} {
		var to *name.Name
		if tc.to != "" {
			n := domaintest.Name(tc.to)
			to = &n
		}
		ch := change{call: Call{Actor: tc.actor, If: tc.cond}}
		if err := ch.mayChange(access.AgentsUpdate, someone("ada", "Ops"), to); domaintest.Code(err) != tc.want {
			t.Errorf("%s: mayChange = %v, want code %d", tc.what, err, tc.want)
		}
	}
}

func TestTrail(t *testing.T) {
	ch := change{
		call: Call{Actor: access.Actor{Subject: "root"}, Route: "POST /x", RequestID: "r-1"},
		at:   noon, id: "audit-1",
	}
	entry := audit.Entry{ID: "audit-1", At: noon, Actor: "root", Action: audit.CompanyUpdated, Route: "POST /x", Resource: "company", From: 2, To: 3, RequestID: "r-1"}
	unasked := func() idempotency.Reply {
		t.Error("the reply was made without a key that asks for it")
		return idempotency.Reply{}
	}
	if diff := cmp.Diff(ports.Trail{Audit: entry}, ch.trail(audit.CompanyUpdated, audit.Company, 2, 3, unasked)); diff != "" {
		t.Errorf("note (-want +got):\n%s", diff)
	}
	ch.call.Lock = &idempotency.Lock{Key: "k", Fingerprint: "f", Owner: "o", At: noon.Add(-time.Second)}
	reply := idempotency.Reply{Status: 201, ETag: `"e"`}
	want := ports.Trail{Audit: entry, Idempotency: &idempotency.Record{Key: "k", Fingerprint: "f", At: noon.Add(-time.Second), Reply: &reply}}
	got := ch.trail(audit.CompanyUpdated, audit.Company, 2, 3, func() idempotency.Reply { return reply })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("note with a key (-want +got):\n%s", diff)
	}
}

func TestAsRollback(t *testing.T) {
	target := identity.Version{Content: someone("ada", "Ops").Identity}
	other := errors.New("other")
	for _, tc := range []struct {
		err  error
		want string
	}{
		{agent.ErrDepartment.With("gone"), `the former department "Ops" no longer exists`},
		{agent.Taken("ADA"), `the former name "ada" is taken: an agent of the name "ADA" exists`},
	} {
		err := asRollback(tc.err, target)
		if !errors.Is(err, agent.ErrRollback) || domaintest.Code(err) != 4000 || err.Error() != tc.want {
			t.Errorf("asRollback(%v) = %v, want 4000 %q", tc.err, err, tc.want)
		}
	}
	for _, err := range []error{nil, other, revision.ErrStale} {
		if got := asRollback(err, target); got != err {
			t.Errorf("asRollback(%v) = %v, want it unchanged", err, got)
		}
	}
}

func TestReorderOfDepartments(t *testing.T) {
	co := company.Default(noon)
	var read []Department
	for _, text := range []string{"Ops", "Lab", "Shop"} {
		n := domaintest.Name(text)
		co = co.WithDepartment(company.Slot{OrderKey: company.OrderKey("p-" + text), Department: n.Key}, noon)
		read = append(read, Department{Department: department.Department{Name: n}})
	}
	in := ReorderDepartments{
		Order: []name.Key{"shop", "lab", "ops"},
		Reply: func(_ company.Company, list []Department) idempotency.Reply {
			return idempotency.Reply{Status: len(list), ETag: "tag", Body: []byte("[]")}
		},
	}
	ch := change{at: noon.Add(time.Second), call: Call{Lock: &idempotency.Lock{Key: "k"}}}
	list, step, err := ch.reorder(co, read, true, in)
	if err != nil {
		t.Fatalf("reorder = %v", err)
	}
	var got []string
	for _, d := range list {
		got = append(got, d.Name.Text)
	}
	if diff := cmp.Diff([]string{"Shop", "Lab", "Ops"}, got); diff != "" {
		t.Errorf("reorder (-want +got):\n%s", diff)
	}
	if step.From != 4 || step.State.Revision != 5 || step.Audit.To != 5 || step.Idempotency.Reply.Status != 3 {
		t.Errorf("step = %+v, want revision 4 to 5 and the reply", step)
	}
	if _, _, err := ch.reorder(co, read[:2], true, in); !errors.Is(err, errRead) {
		t.Errorf("reorder with a department founded since = %v, want errRead", err)
	}
	list, step, err = ch.reorder(co, nil, false, in)
	if diff := cmp.Diff(&idempotency.Reply{ETag: "tag"}, step.Idempotency.Reply); err != nil || list != nil || diff != "" {
		t.Errorf("reorder whose answer is not kept = %v, %v, record (-want +got):\n%s", list, err, diff)
	}
	ch.call.If = revision.OneOf(revision.Tag{ID: "company", Revision: 3})
	in.Order = nil
	if _, _, err := ch.reorder(co, read, true, in); domaintest.Code(err) != 4002 {
		t.Errorf("reorder with an old tag = %v, want 4002 before anything else", err)
	}
}

func TestOrderOfAgents(t *testing.T) {
	read := []agent.Record{someone("ada", "Ops").Record(), someone("bob", "Ops").Record()}
	next := []agent.Member{{ID: "bob", OrderKey: "p-1"}, {ID: "ada", OrderKey: "p-2"}}
	got, err := inOrder(read, next)
	if err != nil || len(got) != 2 || got[0].ID != "bob" || got[0].OrderKey != "p-1" || got[1].OrderKey != "p-2" {
		t.Errorf("inOrder = %+v, %v, want bob, ada with their new places", got, err)
	}
	if read[1].OrderKey != "bob" {
		t.Errorf("inOrder has changed what was read")
	}
	if _, err := inOrder(read, []agent.Member{{ID: "eve"}}); !errors.Is(err, errRead) {
		t.Errorf("inOrder with somebody hired since = %v, want errRead", err)
	}
}

func TestNames(t *testing.T) {
	n := Names{"a-1": "Ada"}
	if text, ok := n.Show("a-1"); text != "Ada" || !ok || !n.Exists("a-1") {
		t.Errorf("Show(a-1) = %q, %t, want Ada", text, ok)
	}
	if _, ok := n.Show("a-2"); ok || n.Exists("a-2") || Names(nil).Exists("a-1") {
		t.Error("an agent that is gone is shown")
	}
}
