package faults

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"orgd/adapters/sqlitestore"
	"orgd/test/seed"

	_ "modernc.org/sqlite" // the driver
)

// wholeness are questions to the database of a service that has ended. Each
// counts records that have lost a part that belongs to them.
var wholeness = map[string]string{
	"broken references": `SELECT count(*) FROM pragma_foreign_key_check`,
	"versions of nobody": `SELECT count(*) FROM versions
		WHERE agent_id NOT IN (SELECT id FROM agents UNION ALL SELECT id FROM former_agents)`,
	"agents without their newest version": `SELECT count(*) FROM agents AS a
		WHERE version IS NOT (SELECT max(number) FROM versions WHERE agent_id = a.id)
		   OR version != (SELECT count(*) FROM versions WHERE agent_id = a.id)`,
	"agents without events": `SELECT count(*) FROM agents
		WHERE id NOT IN (SELECT agent_id FROM events WHERE type = 'hired')`,
	"former agents without departure": `SELECT count(*) FROM former_agents
		WHERE id NOT IN (SELECT agent_id FROM events WHERE type = 'fired')`,
	"events of nobody": `SELECT count(*) FROM events
		WHERE agent_id NOT IN (SELECT id FROM agents UNION ALL SELECT id FROM former_agents)`,
	// The events of these tests have the time of their batch.
	"reported events without audit entry": `SELECT count(*) FROM events AS e
		WHERE type IN ('task_started', 'task_completed')
		  AND NOT EXISTS (SELECT 1 FROM audit WHERE resource = 'activities' AND at = e.at)`,
	"audit entries of no batch": `SELECT count(*) FROM audit AS a WHERE resource = 'activities'
		AND NOT EXISTS (SELECT 1 FROM events WHERE at = a.at AND type IN ('task_started', 'task_completed'))`,
	"labels that do not name what their last move says": `SELECT count(*) FROM labels AS l
		WHERE version IS NOT (SELECT to_version FROM label_moves AS m
			WHERE m.agent_id = l.agent_id AND m.label = l.label ORDER BY revision DESC LIMIT 1)
		   OR NOT EXISTS (SELECT 1 FROM agents AS a, json_each(a.labels, '$.labels') AS e
			WHERE a.id = l.agent_id AND e.value ->> 'label' = l.label AND e.value ->> 'version' = l.version)`,
	"moves of labels that are not in the change log": `SELECT (SELECT count(*) FROM label_moves WHERE to_version > 0)
		IS NOT (SELECT count(*) FROM changes WHERE action = 'agent.label_set')`,
}

// open opens the database of a service that has ended, until the test does.
func open(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "orgd.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// wantWhole looks into the database of a service that has ended.
func wantWhole(t *testing.T, dir string) {
	t.Helper()
	var verdict string
	db := open(t, dir)
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("PRAGMA integrity_check = %q, %v, want ok", verdict, err)
	}
	for _, problem := range halves(t, db) {
		t.Error(problem)
	}
	if _, err := sqlitestore.Check(t.Context(), dir, func(damage string) error {
		t.Error(damage)
		return nil
	}); err != nil {
		t.Errorf("Check = %v, want nil", err)
	}
}

// halves asks all questions of [wholeness].
func halves(t *testing.T, db *sql.DB) (problems []string) {
	t.Helper()
	for what, question := range wholeness {
		var n int
		if err := db.QueryRow(question).Scan(&n); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if n > 0 {
			problems = append(problems, fmt.Sprintf("the database has %d %s, want none", n, what))
		}
	}
	return problems
}

// damages are statements that do what a store must never do, and what the
// checks are to say of it.
var damages = []struct{ statement, want string }{
	{`DELETE FROM changes WHERE id = (SELECT max(id) FROM changes WHERE resource LIKE 'agents/%')`, "has the audit trail"},
	{`DELETE FROM versions WHERE seq = (SELECT min(seq) FROM versions WHERE agent_id IN (SELECT id FROM agents WHERE version > 1))`, "has the versions"},
	{`DELETE FROM events WHERE seq = (SELECT max(seq) FROM events WHERE type = 'onboarded')`, "has the career"},
	{`DELETE FROM label_moves WHERE revision = (SELECT max(revision) FROM label_moves WHERE to_version > 0)`, "the moves of the label"},
	{`UPDATE labels SET version = version + 1`, "labels that do not name"},
	{`DELETE FROM events WHERE seq = (SELECT max(seq) FROM events WHERE type = 'task_completed')`, "reported events, promised"},
	{`UPDATE agent_totals SET tasks_completed = tasks_completed + 1
		WHERE agent_id = (SELECT agent_id FROM agent_totals JOIN agents ON id = agent_id LIMIT 1)`, "the figures count"},
	{`DELETE FROM projects WHERE id = (SELECT max(id) FROM projects)`, "projects differ"},
	{`UPDATE agents SET revision = revision - 1 WHERE id = (SELECT max(id) FROM agents)`, "agents differ"},
	{`INSERT INTO events (id, type, at, agent_id, agent_name, description, related, initiated_by, metadata)
		VALUES (randomblob(16), 'task_started', 0, randomblob(16), 'nobody', '', '{}', 'nobody', '{}')`, "who was never there"},
}

// TestChecksNoticeDamage damages a database and wants each damage to be seen, so
// that it means something when the checks find none.
func TestChecksNoticeDamage(t *testing.T) {
	s := serve(t)
	crew := s.hireCrew(seed.Rand(t))
	c := s.client(1)
	for _, w := range crew {
		for range 60 {
			if err := w.do(t.Context(), c, w.next()); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.terminate()
	db := open(t, s.dir)
	for _, d := range damages {
		result, err := db.Exec(d.statement)
		if err != nil {
			t.Fatalf("%s: %v", d.statement, err)
		}
		if n, err := result.RowsAffected(); n == 0 || err != nil {
			t.Fatalf("%s: %d rows, %v, want one", d.statement, n, err)
		}
	}
	problems := halves(t, db)
	s.start()
	c = s.client(1)
	problems = append(problems, inspect(t.Context(), c, crew)...)
	problems = append(problems, strangers(t.Context(), c, crew)...)
	for _, d := range damages {
		if !strings.Contains(strings.Join(problems, "\n"), d.want) {
			t.Errorf("%s\nis not noticed: no problem says %q", d.statement, d.want)
		}
	}
}
