package main

import (
	"errors"
	"strings"
	"testing"

	"orgd/client"
	"orgd/test/golden"
)

func TestChanges(t *testing.T) {
	o := newOffice(t)
	golden.File(t, "testdata/changes.txt", o.session(lines(
		"department create Engineering --budget-percent 40 --autonomy semi",
		"department create Design --description Draws. -o yaml",
	)...)+
		o.pipe("Review kindly.", "agent", "create", "Ada", "--role", "Reviewer", "--department", "Engineering", "--model", "aurora/aurora/large-3",
			"--tools", "git,browser", "--owner", "eve@example.com", "--tags", "support,eu", "--hiring-date", "2026-01-02", "--instructions-file", "-")+
		o.pipe(`{"name": "Hal", "role": "Designer", "department": "Design", "level": "lead", "hiring_date": "2026-03-04", "metadata": {"n": 12345678901234567890.5}}`,
			"agent", "create", "-f", "-", "--level", "senior", "--reports-to", "Ada")+
		o.session(
			lines("agent show Hal")[0],
			[]string{"agent", "update", "Hal", "--status", "on_leave", "--reports-to", "", "--reason", "sabbatical"},
			[]string{"agent", "show", "Ada"},
			[]string{"agent", "update", "Ada", "--model", "", "--owner", "", "--tags", ""},
			[]string{"agent", "update", "Hal", "--tags", "eu", "--owner", "eve@example.com"},
			[]string{"get", "agents"},
			[]string{"get", "agents", "--owner", "eve@example.com", "--tag", "eu"},
			[]string{"get", "agents", "--tag", "eu,support"},
		)+
		o.pipe("metadata: {n: null, since: 2026-01-02}\ntools:\n  denied: [shell]\n", "agent", "update", "Hal", "-f", "-")+
		o.session(lines(
			"agent diff Hal 1",
			"department update Engineering --head Ada --autonomy inherited",
		)...)+
		o.pipe("teams: [{name: Core, lead: Ada, members: [Hal]}]", "department", "update", "Engineering", "-f", "-")+
		o.session(lines(
			"department show Engineering",
			"department reorder design",
			"get departments",
			"company update --name Works --autonomy semi --budget-monthly 2500.50 --currency EUR",
			"agent create Bob --role Tester --department Engineering --hiring-date 2026-01-03",
			"department reorder-agents Engineering bob",
		)...)+
		o.pipe("settings: {zone: UTC}", "company", "update", "-f", "-")+
		o.session(lines("company show")...)+
		o.pipe("{strategy: calendar, x: 1.50}", "department", "ceremonies", "set", "Engineering", "-f", "-", "-o", "json")+
		o.session(lines(
			"department ceremonies show Engineering",
			"department ceremonies show Engineering --own -o yaml",
			"department ceremonies unset Engineering --yes",
			"department ceremonies show Engineering --own",
			"project create Checkout --lead Ada --team Ada,Bob --budget 2500.25 --deadline 2027-01-31",
		)...))
	var id string
	for v, err := range o.Projects(t.Context(), client.ProjectQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		id = v.ID
	}
	golden.File(t, "testdata/projects.txt", o.session(
		[]string{"project", "update", id, "--status", "active", "--deadline", "", "--name", "Fast checkout"},
		[]string{"project", "show", id},
		[]string{"project", "list", "-o", "yaml"},
		[]string{"project", "delete", id, "--yes"},
		[]string{"agent", "delete", "Ada", "Bob", "--yes"},
		[]string{"department", "delete", "Engineering", "--yes"},
		[]string{"get", "agents"},
	))
}

func TestDepartmentHealth(t *testing.T) {
	o := newOffice(t)
	o.staff()
	shown := o.can(t, "department", "health", "Design")
	if !strings.Contains(shown, "1, 1 of them active (100 %)") || strings.Count(shown, "\n  20") != 7 {
		t.Errorf("orgd department health shows its agents and the cost of seven days, got:\n%s", shown)
	}
}

// What destroys asks first, and where nobody can be asked it does nothing.
func TestDeleteAsks(t *testing.T) {
	o := newOffice(t)
	o.staff()
	there := func(want bool) {
		t.Helper()
		if _, err := o.Agent(t.Context(), "Ada"); errors.Is(err, client.ErrNotFound) == want {
			t.Errorf("GET /agents/Ada = %v, want it there: %t", err, want)
		}
	}
	if r := o.types(t, "yes\n", "agent", "delete", "Ada"); r.code != exitUsage || !strings.Contains(r.stderr, "--yes") {
		t.Errorf("orgd agent delete without a terminal = %+v, want 2 and --yes", r)
	}
	there(true)
	o.interactive = true
	for _, answer := range []string{"n\n", "\n", ""} {
		r := o.types(t, answer, "agent", "delete", "Ada")
		if r.code != exitFailure || !strings.Contains(r.stderr, "Delete agent Ada (Reviewer in Engineering") {
			t.Errorf("orgd agent delete, answered %q = %+v, want 1 and the question", answer, r)
		}
	}
	if r := o.types(t, "y\n", "agent", "delete", "Ada", "Nobody"); r.code != exitFailure || !strings.Contains(r.stderr, "not found") {
		t.Errorf("orgd agent delete of somebody who is not there = %+v, want 1", r)
	}
	there(true)
	if r := o.types(t, "y\n", "agent", "delete", "Ada"); r.code != exitOK {
		t.Errorf("orgd agent delete, answered y = %+v", r)
	}
	there(false)
}

func TestChangesRefused(t *testing.T) {
	o := newOffice(t)
	o.staff()
	for line, want := range map[string]struct {
		input string
		code  int
		text  string
	}{
		"agent create Bob --role Tester":            {"", exitUsage, "an agent needs"},
		"agent create -f -":                         {"rol: x", exitUsage, `unknown field "rol"`},
		"agent create -f - --role x":                {"- x", exitUsage, "must be an object"},
		"agent create -f - --role y":                {"a: 1\na: 2", exitUsage, `standard input:2: duplicate key "a"`},
		"agent create -f - --role z":                {"a: &x 1\nb: *x", exitUsage, "standard input:1: anchors are not allowed"},
		"agent create -f - --level lead":            {"metadata: {n: .inf}", exitUsage, ".inf is not a number"},
		"agent create -f - --level vp":              {"{", exitUsage, "standard input"},
		"agent create -f - --level mid":             {`{"a": 1, "a": 2}`, exitUsage, `standard input: duplicate key "a"`},
		"agent update Hal -f -":                     {"", exitUsage, "must be an object"},
		"agent create -f /does/not/exist":           {"", exitFailure, "/does/not/exist"},
		"agent update Ada":                          {"", exitUsage, "nothing to change"},
		"agent update Ada --model large":            {"", exitUsage, "PROVIDER/ID"},
		"agent update Ada --autonomy free":          {"", exitUsage, "--autonomy must be one of"},
		"department create":                         {"", exitUsage, "needs a name"},
		"department create X --budget-percent many": {"", exitUsage, "must be a number"},
		"department update Design":                  {"", exitUsage, "nothing to change"},
		"department reorder Nowhere":                {"", exitUsage, "Nowhere"},
		"department reorder Design design":          {"", exitUsage, "twice"},
		"department ceremonies set Design":          {"", exitUsage, "--file"},
		"department ceremonies unset Design":        {"", exitUsage, "--yes"},
		"company update":                            {"", exitUsage, "nothing to change"},
		"project create":                            {"", exitUsage, "needs a name"},
		"project update proj-000000000000":          {"", exitUsage, "nothing to change"},
	} {
		if r := o.types(t, want.input, strings.Fields(line)...); r.code != want.code || r.stdout != "" || !strings.Contains(r.stderr, want.text) {
			t.Errorf("orgd %s = %+v, want %+v", line, r, want)
		}
	}
}
