package mongostore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/name"
	"orgd/domain/performance"
	"orgd/ports"
	"orgd/ports/portstest"
)

// TestMigrateKeepsFigures takes a database back to schema 1, which had the names
// of departments where their ids are now, and no log. Migrated, it has the same
// figures, and they go on.
func TestMigrateKeepsFigures(t *testing.T) {
	o := newOffice(t)
	ids := map[name.Key]string{}
	figures := func() map[name.Key][]performance.Day {
		days := map[name.Key][]performance.Day{}
		for key, id := range ids {
			got, err := o.Measures.DepartmentDays(t.Context(), id, 0)
			o.must(err)
			days[key] = got
		}
		return days
	}
	for title, key := range map[string]name.Key{"Sales": "sales", "Sales Ops": "sales ops"} {
		o.found(title)
		d, err := o.Departments.Department(t.Context(), key)
		o.must(err)
		ids[key] = d.ID
		o.report(key, d.ID)
	}
	want := figures()

	var days []dayDoc
	o.must(o.db.all(t.Context(), o.db.coll(daysColl), bson.D{}, &days))
	_, err := o.db.remove(t.Context(), daysColl, bson.D{})
	o.must(err)
	for i := range days {
		for key, id := range ids {
			days[i].ID = strings.Replace(days[i].ID, departmentOwner(id)+"\n", departmentOwner(string(key))+"\n", 1)
		}
	}
	o.must(insertAll(t.Context(), o.db, daysColl, days))
	_, err = o.db.updateAll(t.Context(), eventsColl, bson.D{}, bson.D{is("$unset", bson.D{
		is("department", ""), is("line", ""), is("nth", ""), is("of", ""),
	})})
	o.must(err)
	_, err = o.db.update(t.Context(), metaColl, byKey(schemaID), bson.D{
		is("$set", bson.D{is("version", 1)}), is("$unset", bson.D{is("oldest", "")}),
	})
	o.must(err)
	if got := figures(); len(got["sales"]) > 0 {
		t.Fatalf("in schema 1 the id of Sales has the figures %+v, want none", got["sales"])
	}

	for range 2 {
		o.must(o.db.migrate(t.Context()))
		if d := cmp.Diff(want, figures()); d != "" {
			t.Errorf("figures after the migration (-want +got):\n%s", d)
		}
	}
	o.report("sales", ids["sales"])
	got := figures()
	for i, d := range got["sales"] {
		if n := 2 * want["sales"][i].TasksCompleted; d.TasksCompleted != n {
			t.Errorf("on %s Sales has completed %d tasks, want %d", d.Date, d.TasksCompleted, n)
		}
	}
	if n := o.count(daysColl, bson.D{is("_id", bson.D{is("$regex", "^department:sales")})}); n > 0 {
		t.Errorf("%d documents of figures belong to names, want none", n)
	}
	events, err := portstest.Events(t.Context(), o.Activities, activity.Query{Limit: 100})
	if err != nil || len(events) != 21 {
		t.Errorf("Events = %d, %v, want 21", len(events), err)
	}
}

// report reports that somebody in a department has completed some tasks.
func (o *office) report(key name.Key, id string) {
	o.Helper()
	reports := o.reports(salesID, 7)
	for i := range reports {
		reports[i].Department, reports[i].DepartmentID = key, id
	}
	note := o.note(audit.Activities, nil)
	_, err := o.Activities.Append(o.Context(), reports, func(ports.Counted) ports.Note { return note })
	o.must(err)
}

// TestMigrateNamesSeats reads and migrates a company that a release has written
// which did not know the names of departments in it.
func TestMigrateNamesSeats(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	_, err := o.db.update(t.Context(), companyColl, byKey(companyID), bson.D{is("$unset", bson.D{is("seats.0.name", "")})})
	o.must(err)
	for _, when := range []string{"before", "after"} {
		got, err := o.Departments.Name(t.Context(), "sales")
		if o.must(err); got.Text != "Sales" {
			t.Errorf("the name %s the migration = %q, want Sales", when, got.Text)
		}
		id := o.hire("Bob "+when, "SALES")
		o.must(o.db.migrate(t.Context()))
		if _, err := o.Agents.Agent(t.Context(), refOf(id)); err != nil {
			t.Errorf("Agent = %v", err)
		}
	}
	at, err := o.db.readSeat(t.Context(), o.db.coll(companyColl), "sales")
	if o.must(err); at.Name != "Sales" {
		t.Errorf("the seat has the name %q, want Sales", at.Name)
	}
	o.wantWhole()
}
