package sqlitestore

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/access"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/money"
	"orgd/domain/performance"
	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
)

// What an organization has before it is migrated.
const (
	oldAnn  = agent.ID("0190a5c4-0000-7000-8000-a00000000000")
	oldBob  = agent.ID("0190a5c4-0000-7000-8000-b00000000000")
	oldDate = performance.Date(20_000)

	oldRevoked = int64(2_000_000_000_000) // by a clock that ran ahead
)

// oldDepartments had figures.
var oldDepartments = []struct {
	id, key string
	cost    money.Amount // of a task
}{
	{"0190a5c4-0000-7000-8000-5a1e00000000", "sales", 999_999_999},
	{"0190a5c4-0000-7000-8000-095000000000", "ops", 7},
}

// unpackReleased puts the database of release 0.9.0 into a directory.
func unpackReleased(t testing.TB, dir string) {
	t.Helper()
	packed, err := os.Open("../../test/stored/testdata/0.9.0/orgd.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close() // only read
	text, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	database, err := io.ReadAll(text)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "orgd.db"), database, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// statements returns the schema of the database in a directory, by the names of what is in it.
func statements(t testing.TB, dir string) (names []string, schema map[string]string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "orgd.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() // only read
	found, err := db.Query("SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close() // it ends with the loop, or with its error
	schema = map[string]string{}
	for found.Next() {
		var name, statement string
		if err := found.Scan(&name, &statement); err != nil {
			t.Fatal(err)
		}
		names, schema[name] = append(names, name), statement
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return names, schema
}

// schemaAt is the schema of release 0.9.0, or of a program with the first migrations from there on.
func schemaAt(t testing.TB, version int) engine.Schema {
	t.Helper()
	own, err := engine.OwnSchema()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	unpackReleased(t, dir)
	names, released := statements(t, dir)
	scripts := []string{"PRAGMA application_id = 0x6f726764"}
	for _, name := range names {
		scripts = append(scripts, released[name])
	}
	scripts = append(scripts, "INSERT INTO company (id, doc, costs_recorded, revision, updated_at) VALUES (1, '{}', 0, 1, 1)",
		"INSERT INTO outbox (id, position) VALUES (1, 0)", "INSERT INTO latest_revocation (id, at) VALUES (1, 0)")
	for _, m := range own.Migrations[:version-engine.OldestSchema] {
		scripts = append(scripts, m.Script)
	}
	return engine.Schema{Whole: strings.Join(scripts, ";\n"), Oldest: version}
}

// TestUpgradedSchema: an empty database begins with the schema that migrations make of that of
// release 0.9.0.
func TestUpgradedSchema(t *testing.T) {
	shape := func(dir string) map[string]string {
		openOrg(t, dir)
		_, schema := statements(t, dir)
		for name, statement := range schema { // a renamed table has quotes, an added column no line of its own
			schema[name] = strings.Join(strings.Fields(strings.ReplaceAll(statement, `"`, "")), "")
		}
		return schema
	}
	dir := t.TempDir()
	unpackReleased(t, dir)
	if diff := cmp.Diff(shape(dir), shape(t.TempDir())); diff != "" {
		t.Errorf("the schema of an empty database (-upgraded +empty):\n%s", diff)
	}
}

// TestUpgrade opens an organization of every earlier schema from that of release 0.9.0 on. What
// it had is there as before, and goes on.
func TestUpgrade(t *testing.T) {
	own, err := engine.OwnSchema()
	if err != nil {
		t.Fatal(err)
	}
	hired := (&org{TB: t}).hiring("Bob", "Ops", 0).Agent
	bob := strings.Replace(hired.Text, string(hired.ID()), string(oldBob), 1)
	for i, first := range own.Migrations {
		t.Run(first.Name, func(t *testing.T) {
			dir, version := t.TempDir(), engine.OldestSchema+i
			old, closeOld, err := open(context.Background(), Config{Dir: dir, Readers: 1}, zap.NewNop(), schemaAt(t, version), false)
			if err != nil {
				t.Fatal(err)
			}
			if err := old.Write(context.Background(), func(tx *engine.Tx) error { return fillOld(tx, version, bob) }); err != nil {
				t.Fatal(err)
			}
			closeOld()
			upgraded{openOrg(t, dir)}.compare()
		})
	}
}

// addOldDay is addDay before a day had an excess, whose columns are the last three.
func addOldDay(tx *engine.Tx, statement string, owner any, date performance.Date, d performance.Day) error {
	statement, _, _ = strings.Cut(statement, ", excess_count = ")
	statement = strings.Replace(statement, ", excess_count, excess_units, excess_nanos", "", 1)
	statement = strings.Replace(statement, ", ?, ?, ?)", ")", 1)
	args := dayArgs(owner, date, d)
	_, err := tx.Exec(statement, args[:len(args)-3]...)
	return err
}

// fillOld makes the departments, figures and events, and Bob.
func fillOld(tx *engine.Tx, schema int, bob string) error {
	for _, o := range oldDepartments {
		_, err := tx.Exec(`INSERT INTO departments (name_key, name, id, order_key, budget_percent, doc, revision, created_at, updated_at)
VALUES (?1, ?1, ?2, ?2, 0, '{}', 1, 1, 1)`, o.key, o.id)
		if err != nil {
			return err
		}
		for i, d := range oldDays(o.cost) {
			for range 2 { // sums are kept column by column
				if err := addOldDay(tx, addDepartmentDay, o.id, oldDate+performance.Date(i), d); err != nil {
					return err
				}
			}
		}
	}
	for i, d := range oldDays(3) {
		if err := addOldDay(tx, addAgentDay, sqlite.PackID(oldAnn), oldDate+performance.Date(i), d); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(addCompleted, sqlite.PackID(oldAnn), 7); err != nil {
		return err
	}
	if err := fillOldAgent(tx, schema, bob); err != nil {
		return err
	}
	if err := fillOldFormer(tx, bob); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO sessions (id, issuer, subject, role, departments, agent, issued_at, expires_at, kind)
VALUES ('mine', 'orgd', 'ann', 'viewer', '[]', '', 2, ?1, 'token'), ('theirs', 'https://idp', 'https://idp|bob', 'viewer', '[]', '', 1, ?1, 'external')`, 2*oldRevoked)
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO revocations (session_id, revoked_by, at, until) VALUES ('old', 'ann', ?, ?)", oldRevoked, oldRevoked)
	if err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE latest_revocation SET at = ?", oldRevoked); err != nil {
		return err
	}
	if err := fillOldTrail(tx); err != nil {
		return err
	}
	for i, e := range oldEvents() { // behind the trail
		_, err := tx.Exec(`INSERT INTO events (id, type, at, agent_id, agent_name, description, related, data, initiated_by, metadata, seq)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, append(eventArgs(e, "")[:10], len(oldEntries())+1+i)...)
		if err != nil {
			return err
		}
	}
	return nil
}

func hashOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// fillOldAgent makes Bob, who is in a department and has one version.
func fillOldAgent(tx *engine.Tx, schema int, bob string) error {
	if schema < 19 { // then it is no more
		if _, err := tx.Exec("INSERT INTO headcounts (department_key, total, active) VALUES ('ops', 1, 1)"); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		"INSERT INTO versions (seq, agent_id, number, identity, hash, saved_by, saved_at) VALUES (1, ?1, 1, ?2, ?3, 'ann', 1)",
		`INSERT INTO agents (id, name_key, name, department_key, order_key, status, level, identity, unversioned, version, revision, created_at, updated_at)
VALUES (?1, 'bob', 'Bob', 'ops', ?1, 'active', 'mid', 1, '{"model_requirement":null,"personality_preset":null,"tier":null}', 1, 1, 1, 1)`,
	} {
		if _, err := tx.Exec(statement, sqlite.PackID(oldBob), bob, hashOf(bob)); err != nil {
			return err
		}
	}
	return nil
}

// fillOldFormer makes Ann, who was deleted, and whose order key Bob has.
func fillOldFormer(tx *engine.Tx, bob string) error {
	ann := strings.NewReplacer(string(oldBob), string(oldAnn), `"Bob"`, `"Ann"`).Replace(bob)
	fired := oldFiring()
	_, err := tx.Exec(`
INSERT INTO former_agents (id, name_key, name, department, order_key, identity, unversioned, version, revision, created_at, updated_at, deleted_at, deleted_by)
VALUES (?1, 'ann', 'Ann', 'Ops', ?2, 3, '{"model_requirement":null,"personality_preset":null,"tier":null}', 2, 2, 1, 2, ?3, ?4)`,
		sqlite.PackID(oldAnn), sqlite.PackID(fired.ID), sqlite.Millis(fired.At), fired.By)
	for number := range int64(2) {
		if err == nil {
			_, err = tx.Exec("INSERT INTO versions (seq, agent_id, number, identity, hash, saved_by, saved_at) VALUES (?2 + 1, ?1, ?2, ?3, ?4, 'ann', ?2)",
				sqlite.PackID(oldAnn), number+1, ann, hashOf(ann))
		}
	}
	if err == nil {
		_, err = tx.Exec("UPDATE agents SET order_key = ?", sqlite.PackID(oldAnn))
	}
	return err
}

// fillOldTrail makes the audit entries.
func fillOldTrail(tx *engine.Tx) error {
	entries := oldEntries()
	for i, e := range entries {
		_, err := tx.Exec(`INSERT INTO audit (seq, at, id, actor, route, resource, from_revision, to_revision, request_id, action)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, '')`,
			len(entries)-i, sqlite.Millis(e.At), sqlite.PackID(e.ID), e.Actor, e.Route, string(e.Resource), e.From, e.To, e.RequestID)
		if err != nil {
			return err
		}
	}
	return nil
}

// oldEntries are audit entries, the latest first.
func oldEntries() (entries []audit.Entry) {
	for i, of := range []audit.Resource{audit.Agent(string(oldAnn)), audit.Activities, audit.Session("s"), audit.Activities, audit.Agent(string(oldAnn))} {
		entries = append(entries, audit.Entry{
			ID: fmt.Sprintf("0190a5c4-0000-7000-8000-f%011x", 9-i), At: sqlite.FromMillis(int64(1_700_000_000_000 - i/2)), Actor: "ann",
			Route: "PATCH /x", Resource: of, From: int64(i), To: int64(i + 1), RequestID: "r",
		})
	}
	return entries
}

// oldDays are figures of two days with one and two tasks.
func oldDays(cost money.Amount) []performance.Day {
	one := performance.Day{}.Add(activity.Measures{Finished: true, Success: true, Cost: &cost, Incurred: &cost})
	return []performance.Day{one, one.Merge(one)}
}

// oldEvents are two of each type, the oldest first, by both agents in turn.
func oldEvents() (events []activity.Event) {
	for i := range 2 * len(activity.Types()) {
		events = append(events, activity.Event{
			ID: activity.ID(fmt.Sprintf("0190a5c4-0000-7000-8000-e%011x", i)), Type: activity.Types()[i/2],
			At: sqlite.FromMillis(int64(1_700_000_000_000 + i/3)), AgentID: string([]agent.ID{oldAnn, oldBob}[i%2]), AgentName: "somebody", By: "ann",
		})
	}
	return events
}

// oldFiring is the end of Ann.
func oldFiring() (fired activity.Event) {
	for _, e := range oldEvents() {
		if e.AgentID == string(oldAnn) && e.Type == activity.Fired {
			fired = e
		}
	}
	return fired
}

// upgraded is an organization that was migrated.
type upgraded struct{ *org }

func (o upgraded) compare() {
	ctx := context.Background()
	measures, log, stream := o.db.Stores().Measures, o.db.Stores().Activities, o.db.Stores().Stream
	for _, old := range oldDepartments {
		var want []performance.Day
		for i, d := range oldDays(old.cost) {
			want = append(want, performance.Day{Date: oldDate + performance.Date(i)}.Merge(d).Merge(d))
		}
		got, err := measures.DepartmentDays(ctx, old.id, 0)
		o.same("DepartmentDays", got, err, want)
	}
	days, completed, err := measures.AgentDays(ctx, oldAnn, 0)
	o.same("AgentDays", len(days), err, 2)
	o.same("the tasks ever completed", completed, nil, int64(7))

	events := oldEvents()
	logged, err := stream.After(ctx, 0, 100)
	o.check(err)
	var entered []activity.Event
	for _, e := range logged.Events {
		entered = append(entered, e.Event)
	}
	o.same("After", entered, nil, events)
	head, err := stream.Head(ctx)
	o.same("Head", head, err, logged.Events[len(events)-1].Seq)
	for _, q := range []activity.Query{{}, {AgentID: string(oldBob)}, {Type: activity.ToolUsed}, {AgentID: string(oldBob), Type: activity.Hired}} {
		var want []activity.Event
		for i := range events {
			e := events[len(events)-1-i]
			if (q.AgentID == "" || q.AgentID == e.AgentID) && (q.Type == "" || q.Type == e.Type) {
				want = append(want, e)
			}
		}
		q.Limit = 100
		got, err := portstest.Events(ctx, log, q)
		o.same(fmt.Sprintf("Events(%+v)", q), got, err, want)
	}

	o.compareTrail(head)

	r := o.reports(1, []agent.ID{oldAnn})[0]
	r.DepartmentID, r.Event.At = oldDepartments[0].id, oldDate.Start()
	_, err = log.Append(ctx, []ports.Report{r}, o.sealed)
	o.check(err)
	dates, err := measures.DepartmentDays(ctx, r.DepartmentID, 0)
	o.check(err)
	o.same("the tasks of a day with another", dates[0].TasksCompleted, nil, int64(2*1+1))
	logged, err = stream.After(ctx, head, 100)
	o.same("After a report", len(logged.Events), err, 1)
	page, err := o.db.Stores().Audit.After(ctx, head, 100)
	o.same("After of the trail, after a report", len(page.Entries), err, 1)

	expired := sqlite.FromMillis(oldRevoked)
	for more := true; more; { // each call ends after a while
		more, err = o.db.Stores().Storage.DeleteExpired(ctx, ports.Expiry{Now: expired})
		o.check(err)
	}
	o.check(o.db.Stores().Sessions.Revoke(ctx, session.Revocation{ID: "new", By: "ann", At: o.now(), Until: expired}, ports.Trail{}))
	revoked, err := o.db.Stores().Sessions.Revoked(ctx, expired, o.now())
	o.same("the revocations after the latest", len(revoked), err, 1)

	o.compareSessions()
	o.compareLinks()
	o.compareLabels()
	o.compareOwner()
	o.compareFormer()
}

// compareTrail compares the audit entries.
func (o upgraded) compareTrail(head activity.Seq) {
	ctx := context.Background()
	trail := o.db.Stores().Audit
	old, err := trail.Entries(ctx, audit.Query{Limit: 100})
	o.same("Entries", old, err, oldEntries())
	page, err := trail.After(ctx, 0, 100)
	slices.Reverse(old)
	o.same("After of the trail", page, err, ports.AuditPage{Entries: old, Next: head})
}

func (o upgraded) compareSessions() {
	ctx := context.Background()
	store := o.db.Stores().Sessions
	at := sqlite.FromMillis(oldRevoked)
	o.check(store.Used(ctx, []session.Use{{ID: "mine", At: at}}))
	want := func(id string, kind session.Kind, issuer, subject string, issued int64, used time.Time) session.Record {
		return session.Record{LastUsedAt: used, Session: session.Session{
			ID: id, Kind: kind, Issuer: issuer, Subject: subject, Role: access.Viewer, IssuedAt: sqlite.FromMillis(issued), ExpiresAt: sqlite.FromMillis(2 * oldRevoked),
		}}
	}
	got, err := store.Sessions(ctx, session.Query{At: at, Limit: 3})
	o.same("Sessions", got, err, []session.Record{
		want("mine", session.ByToken, "orgd", "ann", 2, at), want("theirs", session.External, "https://idp", "https://idp|bob", 1, time.Time{}),
	})
}

// compareLinks makes a sign-in link and takes it.
func (o upgraded) compareLinks() {
	ctx, hash := context.Background(), session.Code("code").Hash()
	store := o.db.Stores().Sessions
	want := session.Link{As: session.Session{IssuedAt: o.now(), ExpiresAt: o.now()}, Maker: "ann", ExpiresAt: o.now().Add(time.Hour)}
	o.check(store.KeepLink(ctx, hash, want, o.trail(audit.Session("s"), nil)))
	got, err := store.TakeLink(ctx, hash, o.now())
	o.same("TakeLink", got, err, want)
}

func (o upgraded) compareLabels() {
	ctx := context.Background()
	// An agent of the time has no label, and can have some.
	a, err := o.agents.Agent(ctx, byID(oldBob))
	o.same("the labels of an agent of before", len(a.Labels), err, 0)
	o.check(o.place(oldBob, "production", 1))
	moved, err := o.agents.Labeled(ctx, agent.LabelQuery{Label: "production", Limit: 2})
	o.same("the agents with a label", len(moved), err, 1)
}

func (o upgraded) compareOwner() {
	ctx := context.Background()
	// An agent of the time has neither owner nor tags, and can have some.
	a, err := o.agents.Agent(ctx, byID(oldBob))
	o.same("the owner of an agent of before", a.Owner, err, (*string)(nil))
	o.same("its tags", a.Tags, nil, []string(nil))
	_, err = o.agents.Update(ctx, byID(oldBob), o.changing(`{"owner":"ann","tags":["a","b"]}`))
	o.check(err)
	owned, err := o.agents.Records(ctx, agent.Query{Owner: "ann", Tags: []string{"b"}, Limit: 2})
	o.same("the agents of an owner, with a tag", len(owned), err, 1)
	moved, err := o.agents.Labeled(ctx, agent.LabelQuery{Label: "production", Owner: "ann", Tags: []string{"b"}, Limit: 2})
	o.same("those with a label", len(moved), err, 1)
}

func (o upgraded) same(call string, got any, err error, want any) {
	o.Helper()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		o.Errorf("%s = %v (-want +got):\n%s", call, err, diff)
	}
}

// compareFormer restores the agent that was deleted.
func (o upgraded) compareFormer() {
	ctx := context.Background()
	fired := oldFiring()
	deleted, err := o.agents.Deleted(ctx, agent.Deletions{Limit: 2})
	o.same("Deleted", deleted, err, []agent.Deletion{{ID: oldAnn, Name: "Ann", Department: "Ops", At: fired.At, By: fired.By}})
	on := o.cause()
	a, err := o.agents.Restore(ctx, oldAnn, func(f agent.Former) (ports.AgentChange, error) {
		s, err := f.Restore(agent.Restoring{}, on)
		return ports.AgentChange{Step: s, Trail: o.trail(audit.Agent(string(oldAnn)), nil)}, err
	})
	o.check(err)
	o.same("the version of the agent restored", a.Version, nil, int64(3))
	o.same("its revision", a.Revision, nil, int64(4))
	o.same("its place, which nobody has", a.OrderKey, nil, agent.OrderKey(fired.ID))
	now, err := o.agents.Agent(ctx, byID(oldAnn))
	o.same("the agent", now, err, a)
	for _, id := range []agent.ID{oldAnn, oldBob} { // versions that are packed follow those that are not
		last, err := o.agents.Agent(ctx, byID(id))
		o.check(err)
		for n := range last.Version {
			v, err := (&Identities{o.db}).Version(ctx, id, n+1)
			o.same("the hash of the text of a version", hashOf(v.Text), err, v.Hash)
		}
		texts := o.rewrite(id, 20, 100)
		for i, want := range texts {
			v, err := (&Identities{o.db}).Version(ctx, id, last.Version+int64(i))
			o.same("the text of a version", v.Text, err, want)
		}
	}
}
