package sqlitestore

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/identity"
	"orgd/domain/project"
	"orgd/domain/session"
	"orgd/domain/webhook"
)

// plan returns how SQLite runs a query, one step a line.
func plan(t *testing.T, db *DB, query string) string {
	t.Helper()
	if strings.HasSuffix(query, "LIMIT ?") {
		t.Errorf("%s\nis planned anew at every call", query)
	}
	var steps []string
	args := make([]any, strings.Count(query, "?"))
	err := db.Read(context.Background(), func(v *sqlite.View) error {
		return v.Each("EXPLAIN QUERY PLAN "+query, args, func(r sqlite.Row) error {
			var step string
			err := r.Scan(new(int), new(int), new(int), &step)
			steps = append(steps, step)
			return err
		})
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return strings.Join(steps, "\n")
}

// Every list begins at its position in one index and reads on from there.
func TestListsFollowAnIndex(t *testing.T) {
	db := openOrg(t, t.TempDir()).db
	now := time.Now()
	lead := identity.ID("a")
	atAgent, atEvent := &agent.Position{Name: "p"}, &activity.Position{At: now}
	events := func(q activity.Query) string { s, _ := feedQuery("seq", q); return s }
	deletions := func(q agent.Deletions) string { s, _ := deletionsQuery(q); return s }
	entries := func(q audit.Query) string { s, _ := entriesQuery(q); return s }
	projects := func(q project.Query) string { s, _ := projectsQuery(q); return s }
	deliveries := func(q webhook.DeliveryQuery) string { s, _ := deliveriesQuery(q); return s }
	sessions := func(q session.Query) string { s, _ := sessionsQuery(q); return s }
	labeled := func(columns string, q agent.LabelQuery) string { s, _ := labeledQuery(columns, q); return s }
	career, _ := careerQuery("a")
	for _, c := range []struct{ query, want string }{
		{events(activity.Query{}), "COVERING INDEX events_type (type=?)"},
		{events(activity.Query{Type: "t"}), "COVERING INDEX events_type (type=?)"},
		{events(activity.Query{AgentID: "a"}), "COVERING INDEX events_agent_type (agent_id=? AND type=?)"},
		{events(activity.Query{AgentID: "a", Type: "t"}), "COVERING INDEX events_agent_type (agent_id=? AND type=?)"},
		{events(activity.Query{Since: now}), "COVERING INDEX events_type (type=? AND at>?)"},
		{events(activity.Query{After: atEvent}), "COVERING INDEX events_type (type=? AND (at,id)<(?,?))"},
		{events(activity.Query{Since: now, After: atEvent}), "COVERING INDEX events_type (type=? AND at>? AND (at,id)<(?,?))"},
		{events(activity.Query{Type: "t", Since: now, After: atEvent}), "COVERING INDEX events_type (type=? AND at>? AND (at,id)<(?,?))"},
		{events(activity.Query{AgentID: "a", Since: now, After: atEvent}), "COVERING INDEX events_agent_type (agent_id=? AND type=? AND at>? AND (at,id)<(?,?))"},
		{events(activity.Query{AgentID: "a", Type: "t", Since: now, After: atEvent}),
			"COVERING INDEX events_agent_type (agent_id=? AND type=? AND at>? AND (at,id)<(?,?))"},
		{career, "events_agent_type (agent_id=? AND type=?)"},
		{selectEventsAt, "events USING INTEGER PRIMARY KEY (rowid=?)"},
		{selectLog, "INTEGER PRIMARY KEY (rowid>? AND rowid<?)"},

		{deletions(agent.Deletions{}), "former_agents_deletion"},
		{deletions(agent.Deletions{After: &agent.DeletionPosition{At: now}}), "former_agents_deletion ((deleted_at,id)<(?,?))"},

		{selectAgentsByRow, "a USING INTEGER PRIMARY KEY (rowid=?)"},
		{selectSearched, "a USING INTEGER PRIMARY KEY (rowid=?)"},
		{selectLatest, "v USING INTEGER PRIMARY KEY (rowid=?)"},
		{selectProfilesByID, "a USING INDEX sqlite_autoindex_agents_1 (id=?)"},
		{selectProfilesByName, "a USING INDEX agents_name (name_key=?)"},

		{labeled(labeledIDs, agent.LabelQuery{Label: "l"}), "l USING PRIMARY KEY (label=?)"},
		{labeled(labeledIDs, agent.LabelQuery{Label: "l", Department: "d", Status: "s", After: atAgent}), "l USING PRIMARY KEY (label=? AND (order_key,agent_id)>(?,?))"},
		{labeled(labeledIDs, agent.LabelQuery{Label: "l", Owner: "o", After: atAgent}), "l USING PRIMARY KEY (label=? AND (order_key,agent_id)>(?,?))"},
		{labeled(labeledColumns, agent.LabelQuery{Label: "l", Tags: []string{"a"}}), "l USING PRIMARY KEY (label=?)"},
		{labeled(labeledColumns, agent.LabelQuery{Label: "l", After: atAgent}), "l USING PRIMARY KEY (label=? AND (order_key,agent_id)>(?,?))"},
		{selectNamed, "COVERING INDEX label_moves_version (agent_id=? AND label=? AND to_version=?)"},
		{selectAllNamed, "PRIMARY KEY (agent_id=? AND label=?)"},
		{selectMoves, "PRIMARY KEY (agent_id=? AND label=? AND revision<?)"},

		{selectVersions, "(agent_id=? AND number<?)"},
		{selectAgentDay, "PRIMARY KEY (owner=? AND day=?)"},
		{selectAgentDays, "PRIMARY KEY (owner=? AND day>?)"},
		{selectDepartmentDays, "PRIMARY KEY (owner=? AND day>?)"},
		{selectDepartmentWork, "PRIMARY KEY (owner=? AND day>? AND day<?)"},
		{selectAgentWork, "PRIMARY KEY (owner=? AND day>? AND day<?)"},
		{selectOneDepartmentWork, "PRIMARY KEY (owner=? AND day>? AND day<?)"},
		{selectFirstAgentDay, "PRIMARY KEY (owner=?)"},
		{selectFirstDepartmentDay, "PRIMARY KEY (owner=?)"},
		{selectFirstCompanyDay, "PRIMARY KEY (owner>?)"},
		{selectFirstCompanyDay, "PRIMARY KEY (owner=?)"},
		{sumAgentDays("agents"), "PRIMARY KEY (owner=? AND day>? AND day<?)"},
		{sumAgentDays("former_agents"), "PRIMARY KEY (owner=? AND day>? AND day<?)"},
		{selectLastActive, "events_agent_type (agent_id=? AND type=?)"},
		{selectDepartments, "departments_order (order_key>?)"},
		{selectSlots, "COVERING INDEX departments_order"},
		{selectOtherShares, "COVERING INDEX departments_order"},

		{projects(project.Query{}), "sqlite_autoindex_projects_1"},
		{projects(project.Query{After: "p"}), "sqlite_autoindex_projects_1 (id>?)"},
		{projects(project.Query{Status: "s", After: "p"}), "projects_status (status=? AND id>?)"},
		{projects(project.Query{Status: "s", Lead: &lead, After: "p"}), "projects_lead (lead=? AND id>?)"},

		{entries(audit.Query{}), "SCAN audit USING INDEX audit_others"},
		{entries(audit.Query{}), "audit_resource (resource=?)"},
		{entries(audit.Query{}), "SCAN changes USING INDEX changes_time"},
		{entries(audit.Query{Until: now}), "audit_others (at<?)"},
		{entries(audit.Query{Until: now}), "audit_resource (resource=? AND at<?)"},
		{entries(audit.Query{Until: now}), "changes_time (at<?)"},
		{entries(audit.Query{Since: now, Until: now.Add(time.Hour), After: &audit.Position{At: now}}), "audit_others (at>? AND (at,id)<(?,?))"},
		{entries(audit.Query{Part: audit.WithoutReports, Until: now}), "audit_others (at<?)"},
		{entries(audit.Query{Part: audit.OnlyChanges, Until: now}), "changes_time (at<?)"},
		{selectBlocks, "audit_blocks_time (until>?)"},
		{selectBlockRows, "changes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"},
		{selectBlockRows, "audit USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"},
		{selectChange, "changes_time (at=? AND id=?)"},
		{selectLoggedEntries, "audit USING INTEGER PRIMARY KEY (rowid>?)"},
		{selectLoggedEntries, "changes USING INTEGER PRIMARY KEY (rowid>?)"},
		{selectEntriesFrom, "changes_time ((at,id)>(?,?))"},
		{selectEntriesFrom, "audit_others ((at,id)>(?,?))"},
		{selectEntriesFrom, "audit_resource (resource=? AND (at,id)>(?,?))"},
		{selectLoggedChanges, "INTEGER PRIMARY KEY (rowid>? AND rowid<?)"},

		{selectWebhooks, "sqlite_autoindex_webhooks_1 (id>?)"},
		{selectWebhookTags, "COVERING INDEX webhooks_tags"},
		{deliveries(webhook.DeliveryQuery{}), "deliveries_list (webhook_id=?)"},
		{deliveries(webhook.DeliveryQuery{After: &webhook.Position{}}), "deliveries_list (webhook_id=? AND (created_at,id)<(?,?))"},
		{selectDue, "deliveries_due (webhook_id=? AND due<?)"},
		{selectDeliveredSince, "COVERING INDEX deliveries_delivered (webhook_id=? AND ended>?)"},
		{selectBacklog, "COVERING INDEX deliveries_due (webhook_id=? AND due>?)"},

		{sessions(session.Query{}), "sessions_order"},
		{sessions(session.Query{After: &session.Position{}}), "sessions_order (issued_at<?)"},
		{sessions(session.Query{Subject: "s", After: &session.Position{}}), "sessions_subject (subject=? AND issued_at<?)"},
		{selectRevocations, "revocations_at (at>?)"},
	} {
		if got := plan(t, db, c.query); !strings.Contains(got, c.want) || strings.Contains(got, "B-TREE") {
			t.Errorf("plan of %s\n= %s\nwant %s, and no sorting", c.query, got, c.want)
		}
	}
}

// The filtered entries of a block, and those behind the last, are read where they are, and sorted.
func TestFilteredEntriesAreReadByTheirNumbers(t *testing.T) {
	db := openOrg(t, t.TempDir()).db
	q := audit.Query{Actor: "a", Resource: "r", Until: time.Now(), After: &audit.Position{}}
	for of, want := range map[string]string{"seq > ?": "(rowid>?)", "seq IN (SELECT value FROM json_each(?))": "(rowid=?)"} {
		query, _ := someQuery(q, of, 1)
		got := plan(t, db, query)
		for _, table := range []string{"changes", "audit"} {
			if want := table + " USING INTEGER PRIMARY KEY " + want; !strings.Contains(got, want) {
				t.Errorf("plan of %s\n= %s\nwant %s", query, got, want)
			}
		}
	}
}

// The days of the company are added up in a sorter, but only those that count are read.
func TestCompanyDaysFollowAKey(t *testing.T) {
	got := plan(t, openOrg(t, t.TempDir()).db, selectCompanyWork)
	for _, want := range []string{"PRIMARY KEY (owner>?)", "PRIMARY KEY (owner=? AND day>? AND day<?)"} {
		if !strings.Contains(got, want) || strings.Contains(got, "SCAN department_days") {
			t.Errorf("plan of %s\n= %s\nwant %s", selectCompanyWork, got, want)
		}
	}
}

// Every record is found by a key, and what is to go by its time.
func TestRecordsAreFoundByAKey(t *testing.T) {
	db := openOrg(t, t.TempDir()).db
	scan := regexp.MustCompile(`(?m)^SCAN|B-TREE`)
	for _, query := range []string{
		selectAgentByID, selectAgentByName, selectState, selectNameByID, selectNameByName,
		selectVersionRow, putCurrent, clearVersion, deleteFormerText, deleteLabel, insertLabel, string(labelAgent),
		string(renameAgent), string(updateAgent), string(amendAgent), string(deleteAgent), string(moveAgent),
		selectCompletedTotal, selectCompany, updateCompany, recordCosts,
		selectDepartment, selectDepartmentName, updateDepartment, deleteDepartmentRow, moveDepartment,
		selectProject, updateProject, deleteProject, selectRecord, selectSession, updateUse, selectRevoked,
		selectEvent, selectWebhook, updateWebhook, deleteWebhook, selectPosition, updatePosition, selectDelivery, updateDelivery,
		deleteExpiredEvents, deleteExpiredAudit, deleteExpiredReports, deleteExpiredChanges, deleteExpiredBlocks, deleteExpiredRecords, deleteExpiredDeliveries, deleteExpiredSessions, deleteExpiredRevocations,
		selectLink, deleteLink, deleteExpiredLinksOf, deleteOldestLinksOf, deleteExpiredLinks,
	} {
		if got := plan(t, db, query); scan.MatchString(got) {
			t.Errorf("plan of %s\n= %s\nwant no scan", query, got)
		}
	}
}
