package access_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/name"
)

// matrix repeats the permission model from the point of view of the roles:
// what is not listed here is denied.
var matrix = map[access.Role]struct{ allowed, scoped string }{
	access.Viewer:   {reads, "auth.sessions auth.revoke_session"},
	access.Agent:    {reads, "activities.ingest auth.sessions auth.revoke_session"},
	access.Reporter: {reads, "activities.ingest auth.sessions auth.revoke_session"},
	access.DepartmentAdmin: {reads, "activities.ingest auth.sessions auth.revoke_session " +
		"agents.create agents.update agents.delete agents.rollback agents.restore labels.move " +
		"departments.update departments.delete departments.reorder_agents " +
		"departments.update_ceremony_policy departments.delete_ceremony_policy"},
	access.Editor: {reads + writes, "auth.sessions auth.revoke_session"},
	access.Admin: {reads + writes + "auth.sessions auth.revoke_session auth.tokens audit.list agents.purge " +
		"webhooks.list webhooks.get webhooks.write webhooks.test webhooks.deliveries", ""},
}

const (
	reads = "health.live health.ready openapi docs console metrics capabilities mcp company.get company.departments company.days " +
		"agents.list agents.get agents.activity agents.health agents.history agents.performance agents.figures agents.days " +
		"versions.list versions.get versions.diff activities.list activities.stream changes.list changes.stream " +
		"labels.list labels.resolve labels.history labels.agents " +
		"departments.list departments.get departments.health departments.figures departments.days departments.ceremony_policy departments.resolved_ceremony_policy " +
		"projects.list projects.get auth.me auth.renew auth.logout auth.links auth.sign_in auth.browser "
	writes = "company.update company.reorder_departments organization.export organization.plan organization.apply " +
		"agents.create agents.update agents.delete agents.rollback agents.restore labels.move activities.ingest " +
		"departments.create departments.update departments.delete departments.reorder_agents " +
		"departments.update_ceremony_policy departments.delete_ceremony_policy " +
		"projects.create projects.update projects.delete "
)

func want(role access.Role, op access.Operation) access.Right {
	row := matrix[role]
	switch {
	case slices.Contains(strings.Fields(row.allowed), string(op)):
		return access.Allowed
	case slices.Contains(strings.Fields(row.scoped), string(op)):
		return access.Scoped
	}
	return access.Denied
}

func TestOf(t *testing.T) {
	for _, role := range access.Roles() {
		for _, op := range access.Operations() {
			if got, want := access.Of(role, op), want(role, op); got != want {
				t.Errorf("Of(%s, %s) = %d, want %d", role, op, got, want)
			}
		}
	}
}

func TestMatrixNamesOnlyOperations(t *testing.T) {
	for role, row := range matrix {
		for _, op := range strings.Fields(row.allowed + " " + row.scoped) {
			if !slices.Contains(access.Operations(), access.Operation(op)) {
				t.Errorf("%s: Operations() lacks %s", role, op)
			}
		}
	}
}

func TestUnknownIsDenied(t *testing.T) {
	tests := map[string]struct {
		role access.Role
		op   access.Operation
	}{
		"no role":           {"", access.AgentsList},
		"unknown role":      {"root", access.AgentsList},
		"letter case":       {"Admin", access.AgentsList},
		"unknown operation": {access.Admin, "agents.explode"},
		"no operation":      {access.Admin, ""},
	}
	for what, tt := range tests {
		if got := access.Of(tt.role, tt.op); got != access.Denied {
			t.Errorf("%s: Of(%q, %q) = %d, want access.Denied", what, tt.role, tt.op, got)
		}
	}
}

func TestPublic(t *testing.T) {
	var got []access.Operation
	for _, op := range access.Operations() {
		if op.Public() {
			got = append(got, op)
		}
	}
	want := []access.Operation{"auth.browser", "auth.sign_in", "console", "docs", "health.live", "health.ready", "openapi"}
	if !slices.Equal(got, want) {
		t.Errorf("public operations = %v, want %v", got, want)
	}
}

func TestCheck(t *testing.T) {
	editor := access.Actor{Subject: "e", Role: access.Editor}
	if err := access.Check(editor, access.AgentsCreate); err != nil {
		t.Errorf("Check(editor, agents.create) = %v, want nil", err)
	}
	err := access.Check(editor, access.AuthTokens)
	if !errors.Is(err, access.ErrForbidden) || fault.Of(err).Code != fault.Forbidden {
		t.Fatalf("Check(editor, auth.tokens) = %v, want ErrForbidden", err)
	}
	if got, want := err.Error(), `role "editor" may not perform auth.tokens`; got != want {
		t.Errorf("Check(editor, auth.tokens) = %q, want %q", got, want)
	}
}

var (
	admin  = access.Actor{Subject: "root", Role: access.Admin}
	editor = access.Actor{Subject: "ed", Role: access.Editor}
	head   = access.Actor{Subject: "head", Role: access.DepartmentAdmin, Departments: []name.Key{"design", "sales"}}
	member = access.Actor{Subject: "a-1", Role: access.Agent, Agent: "a-1", Departments: []name.Key{"design"}}
)

func TestCheckIn(t *testing.T) {
	tests := map[string]struct {
		actor       access.Actor
		op          access.Operation
		departments []name.Key
		ok          bool
	}{
		"editor anywhere":                     {editor, access.AgentsUpdate, []name.Key{"ops"}, true},
		"editor without department":           {editor, access.AgentsUpdate, nil, true},
		"own department":                      {head, access.AgentsUpdate, []name.Key{"design"}, true},
		"between own departments":             {head, access.AgentsUpdate, []name.Key{"design", "sales"}, true},
		"foreign department":                  {head, access.AgentsUpdate, []name.Key{"ops"}, false},
		"into a foreign department":           {head, access.AgentsUpdate, []name.Key{"design", "ops"}, false},
		"out of a foreign department":         {head, access.AgentsUpdate, []name.Key{"ops", "design"}, false},
		"no department":                       {head, access.AgentsUpdate, nil, false},
		"denied even in own department":       {head, access.DepartmentsCreate, []name.Key{"design"}, false},
		"an agent's departments mean nothing": {member, access.ActivitiesIngest, []name.Key{"design"}, false},
		"no role":                             {access.Actor{Departments: []name.Key{"design"}}, access.AgentsGet, []name.Key{"design"}, false},
	}
	for what, tt := range tests {
		err := access.CheckIn(tt.actor, tt.op, tt.departments...)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, access.ErrForbidden) {
			t.Errorf("%s: CheckIn = %v, want ok %t", what, err, tt.ok)
		}
	}
}

// Protected labels are moved by who manages the department, or everything.
func TestMovesProtected(t *testing.T) {
	for _, r := range access.Roles() {
		if got, want := (access.Actor{Role: r}).MovesProtected(), r == access.DepartmentAdmin || r == access.Admin; got != want {
			t.Errorf("MovesProtected of %s = %t, want %t", r, got, want)
		}
	}
}

func TestCheckBudgetShare(t *testing.T) {
	for actor, ok := range map[*access.Actor]bool{&admin: true, &editor: true, &head: false, &member: false} {
		if err := access.CheckBudgetShare(*actor); (err == nil) != ok {
			t.Errorf("CheckBudgetShare(%s) = %v, want ok %t", actor.Role, err, ok)
		}
	}
}

func TestCheckReport(t *testing.T) {
	tests := map[string]struct {
		actor      access.Actor
		agent      string
		department name.Key
		ok         bool
	}{
		"admin":                    {admin, "a-2", "ops", true},
		"editor":                   {editor, "a-2", "ops", true},
		"own department":           {head, "a-2", "design", true},
		"foreign department":       {head, "a-2", "ops", false},
		"itself":                   {member, "a-1", "ops", true},
		"another agent":            {member, "a-2", "design", false},
		"an agent without id":      {access.Actor{Role: access.Agent}, "", "", false},
		"nobody":                   {access.Actor{}, "", "", false},
		"agent id in other letter": {member, "A-1", "design", false},
	}
	for what, tt := range tests {
		err := access.CheckReport(tt.actor, tt.agent, tt.department)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, access.ErrForbidden) {
			t.Errorf("%s: CheckReport = %v, want ok %t", what, err, tt.ok)
		}
	}
}

func TestCheckOwner(t *testing.T) {
	tests := map[string]struct {
		actor   access.Actor
		op      access.Operation
		subject string
		ok      bool
	}{
		"admin, any":        {admin, access.AuthRevokeSession, "ed", true},
		"own":               {editor, access.AuthRevokeSession, "ed", true},
		"foreign":           {editor, access.AuthRevokeSession, "root", false},
		"agent, own":        {member, access.AuthSessions, "a-1", true},
		"unknown owner":     {editor, access.AuthRevokeSession, "", false},
		"nobody, no owner":  {access.Actor{}, access.AuthRevokeSession, "", false},
		"not about session": {editor, access.AuthTokens, "ed", false},
	}
	for what, tt := range tests {
		err := access.CheckOwner(tt.actor, tt.op, tt.subject)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, access.ErrForbidden) {
			t.Errorf("%s: CheckOwner = %v, want ok %t", what, err, tt.ok)
		}
	}
}

func TestParseRole(t *testing.T) {
	for _, r := range access.Roles() {
		if got, err := access.ParseRole(string(r)); got != r || err != nil {
			t.Errorf("ParseRole(%q) = %q, %v, want %q", r, got, err, r)
		}
	}
	for _, s := range []string{"", "Admin", " admin", "Viewer", "superuser"} {
		if got, err := access.ParseRole(s); !errors.Is(err, access.ErrRole) {
			t.Errorf("ParseRole(%q) = %q, %v, want ErrRole", s, got, err)
		}
	}
}

func TestStrongest(t *testing.T) {
	tests := []struct {
		roles []access.Role
		want  access.Role
		ok    bool
	}{
		{nil, "", false},
		{[]access.Role{"x"}, "", false},
		{[]access.Role{access.Agent, access.Editor, access.DepartmentAdmin}, access.Editor, true},
		{[]access.Role{access.Admin, access.Agent}, access.Admin, true},
		{[]access.Role{access.Agent, access.Viewer}, access.Agent, true},
		{[]access.Role{access.Viewer, "x"}, access.Viewer, true},
	}
	for _, tt := range tests {
		if got, ok := access.Strongest(tt.roles); got != tt.want || ok != tt.ok {
			t.Errorf("Strongest(%v) = %q, %t, want %q, %t", tt.roles, got, ok, tt.want, tt.ok)
		}
	}
}

// Whoever has lost a department is not shown again what he did there.
func TestCheckReplay(t *testing.T) {
	sales, ops := name.Key("sales"), name.Key("ops")
	admin := access.Actor{Role: access.DepartmentAdmin, Departments: []name.Key{sales}}
	for what, c := range map[string]struct {
		actor       access.Actor
		op          access.Operation
		departments []name.Key
		ok          bool
	}{
		"his department":      {admin, access.AgentsCreate, []name.Key{sales}, true},
		"not his any more":    {admin, access.AgentsCreate, []name.Key{ops}, false},
		"one of two":          {admin, access.AgentsRollback, []name.Key{sales, ops}, false},
		"every department":    {access.Actor{Role: access.Editor}, access.AgentsCreate, []name.Key{ops}, true},
		"an agent of its own": {access.Actor{Role: access.Agent, Agent: "a"}, access.ActivitiesIngest, []name.Key{ops}, true},
		"a lost role":         {access.Actor{Role: access.Agent, Agent: "a"}, access.AgentsCreate, []name.Key{ops}, false},
		"no department":       {admin, access.AuthRenew, nil, true},
	} {
		t.Run(what, func(t *testing.T) {
			err := access.CheckReplay(c.actor, c.op, c.departments)
			if (err == nil) != c.ok || err != nil && !errors.Is(err, access.ErrForbidden) {
				t.Errorf("CheckReplay(%s, %s, %v) = %v, want ok %v", c.actor.Role, c.op, c.departments, err, c.ok)
			}
		})
	}
}
