package portstest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/name"
	"orgd/domain/session"
	"orgd/ports"
)

// AuditLog checks the promises of ports.AuditLog. That every step leaves its
// entry, and a refused one none, is checked with the stores of the steps.
func AuditLog(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"EntriesKeepEverything":      auditKeeps,
		"NewestFirstThenById":        auditOrder,
		"Filters":                    auditFilters,
		"PagesWalkEveryEntryOnce":    auditPages,
		"CursorSurvivesNewEntries":   auditCursor,
		"SessionsLeaveTheirEntries":  auditSessions,
		"ChangesAreFound":            auditChanges,
		"InTheOrderOfCommits":        auditAfter,
		"ByTimeTheOldestFirst":       auditFrom,
		"ParallelCommitsAreFollowed": auditParallel,
		"CommitsAreReported":         auditOnCommit,
	})
}

// putEntry stores the entry with a change of the company.
func (w *world) putEntry(e audit.Entry) {
	w.Helper()
	do := w.directing(`{"communication_pattern":"`+w.id()+`"}`, nil)
	_, err := w.Company.Update(w.Context(), func(c company.Company, costs bool) (ports.Change[company.Company], error) {
		s, err := do(c, costs)
		s.Audit = e
		return s, err
	})
	w.wantNil("Update", err)
}

// trail reads the audit trail in pages of limit.
func (w *world) trail(q audit.Query, limit int) []audit.Entry {
	w.Helper()
	q.Limit = limit
	return walk(w, limit, func(last *audit.Entry) ([]audit.Entry, error) {
		if last != nil {
			at := last.Position()
			q.After = &at
		}
		return w.Audit.Entries(w.Context(), q)
	})
}

func auditKeeps(w *world) {
	want := []audit.Entry{
		{
			ID: w.id(), At: epoch.Add(time.Millisecond), Actor: "https://idp.example|$ne.é\u00a0\"'",
			Route: "POST /api/v1/agents/{agent_name}/rollback", Resource: audit.Department("Straße / $a.b"),
			From: 1 << 60, To: 1<<60 + 1, RequestID: "!~",
		},
		{ID: w.id(), At: epoch},
	}
	for _, e := range want {
		w.putEntry(e)
	}
	w.want("Entries", w.trail(audit.Query{}, 10), want)
}

func auditOrder(w *world) {
	var want []audit.Entry
	for i, ms := range []int{5, 3, 5, 4, 5} {
		e := audit.Entry{ID: fmt.Sprintf("%x190a5c4-0000-7000-8000-000000000000", (i*7+9)%16), At: epoch.Add(time.Duration(ms) * time.Millisecond)}
		w.putEntry(e)
		want = append(want, e)
	}
	slices.SortFunc(want, func(a, b audit.Entry) int {
		if c := b.At.Compare(a.At); c != 0 {
			return c
		}
		if a.ID > b.ID {
			return -1
		}
		return 1
	})
	for limit := 1; limit <= len(want)+1; limit++ {
		w.want(fmt.Sprintf("Entries in pages of %d", limit), w.trail(audit.Query{}, limit), want)
	}
}

func auditFilters(w *world) {
	var all []audit.Entry // the oldest first
	for i := range 12 {
		all = append(all, audit.Entry{
			ID: w.id(), At: epoch.Add(time.Duration(i) * time.Second),
			Actor:    []string{"ann", "Ann", "an%"}[i%3],
			Resource: []audit.Resource{audit.Company, audit.Department("a"), audit.Department("A"), audit.Agent("a")}[i%4],
		})
		w.putEntry(all[i])
	}
	slices.Reverse(all)
	at := func(i int) time.Time { return epoch.Add(time.Duration(i) * time.Second) }
	for _, q := range []audit.Query{
		{Actor: "ann"}, {Actor: "Ann"}, {Actor: "an"}, {Actor: "an%"}, {Actor: "$ne"},
		{Resource: audit.Company}, {Resource: audit.Department("A")}, {Resource: "departments/"},
		{Since: at(3)}, {Since: at(3).Add(time.Millisecond)}, {Until: at(3)}, {Until: at(3).Add(time.Millisecond)},
		{Since: at(3), Until: at(3)}, {Since: at(3), Until: at(7)}, {Since: at(100)},
		{Actor: "ann", Resource: audit.Company, Since: at(0), Until: at(10)},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(e audit.Entry) bool {
			return q.Actor != "" && q.Actor != e.Actor || q.Resource != "" && q.Resource != e.Resource ||
				e.At.Before(q.Since) || !q.Until.IsZero() && !e.At.Before(q.Until)
		})
		for _, limit := range []int{1, 2, 100} {
			w.want(fmt.Sprintf("Entries(%+v) in pages of %d", q, limit), w.trail(q, limit), want)
		}
	}
}

func auditPages(w *world) {
	w.want("Entries of an empty storage", w.trail(audit.Query{}, 1), nil)
	var want []audit.Entry
	for range 9 {
		e := audit.Entry{ID: w.id(), At: epoch}
		w.putEntry(e)
		want = append([]audit.Entry{e}, want...)
	}
	for limit := 1; limit <= len(want)+1; limit++ {
		w.want(fmt.Sprintf("Entries in pages of %d", limit), w.trail(audit.Query{}, limit), want)
	}
	last := want[len(want)-1].Position()
	w.want("Entries behind the last", w.trail(audit.Query{After: &last}, 10), nil)
}

func auditCursor(w *world) {
	var want []audit.Entry
	for i := range 6 {
		e := audit.Entry{ID: w.id(), At: epoch.Add(time.Duration(i) * time.Second)}
		w.putEntry(e)
		want = append([]audit.Entry{e}, want...)
	}
	got := walk(w, 2, func(last *audit.Entry) ([]audit.Entry, error) {
		q := audit.Query{Limit: 2}
		if last != nil {
			at := last.Position()
			q.After = &at
			w.putEntry(audit.Entry{ID: w.id(), At: epoch.Add(time.Hour)})
		}
		return w.Audit.Entries(w.Context(), q)
	})
	w.want("Entries while others come", got, want)
}

// changeEntry is an entry of the change log, some seconds after epoch.
func (w *world) changeEntry(second int, actor string, r audit.Resource, c audit.Change) audit.Entry {
	return audit.Entry{
		ID: w.id(), At: epoch.Add(time.Duration(second) * time.Second), Actor: actor, Action: c.Action, Resource: r, From: 1, To: 2, Change: &c,
	}
}

func auditChanges(w *world) {
	sales, ops := must(name.Parse("Sales")), must(name.Parse("Ops"))
	full := audit.New(audit.AgentUpdated, "Ann \"x\"").In(sales)
	full.Reason, full.FromVersion, full.ToVersion = new("because"), 3, 4
	full.Fields, full.Summary = []string{"metadata.a b", "role"}, "2 fields changed"
	all := []audit.Entry{ // the oldest first
		w.changeEntry(0, "ann", audit.Agent("a"), full),
		w.changeEntry(1, "bob", audit.Company, audit.New(audit.CompanyUpdated, "Company")),
		w.changeEntry(2, "ann", audit.Agent("b"), audit.New(audit.AgentCreated, "Bob").In(ops)),
		{ID: w.id(), At: epoch.Add(3 * time.Second), Actor: "ann", Action: audit.Reported, Resource: audit.Activities},
		{ID: w.id(), At: epoch.Add(4 * time.Second), Actor: "ann", Resource: audit.Agent("a")}, // of an older release
		w.changeEntry(5, "ann", audit.Agent("a"), audit.New(audit.AgentDeleted, "Ann").In(ops)),
	}
	for _, e := range all {
		w.putEntry(e)
	}
	found, err := w.Audit.Changes(w.Context(), []audit.Position{all[0].Position(), all[3].Position(), all[5].Position(), {At: all[1].At, ID: w.id()}})
	w.wantNil("Changes", err)
	w.want("Changes", found, map[string]audit.Entry{all[0].ID: all[0], all[5].ID: all[5]})
	slices.Reverse(all)
	newest, until := all[0].Position(), all[2].At
	for _, part := range []audit.Part{audit.Everything, audit.OnlyChanges} {
		q := audit.Query{Part: part, Until: until, After: &newest, Limit: 100}
		got, err := w.Audit.Entries(w.Context(), q)
		w.wantNil("Entries behind one that is too late", err)
		w.want("Entries behind one that is too late", got, slices.DeleteFunc(slices.Clone(all), func(e audit.Entry) bool { return !q.Selects(e) }))
	}
	for _, q := range []audit.Query{
		{}, {Part: audit.OnlyChanges}, {Part: audit.WithoutReports}, {Part: audit.OnlyChanges, Actions: []audit.Action{audit.AgentUpdated, audit.AgentCreated}},
		{Part: audit.OnlyChanges, Actor: "ann"}, {Actor: "ann"}, {Part: audit.OnlyChanges, Resource: audit.Agent("a")},
		{Part: audit.WithoutReports, Actor: "ann"}, {Resource: audit.Agent("a")}, {Part: audit.WithoutReports, Resource: audit.Agent("a"), Actor: "ann"},
		{Part: audit.OnlyChanges, Department: sales.Key}, {Part: audit.OnlyChanges, Department: ops.Key, Actor: "bob"},
		{Part: audit.OnlyChanges, Since: epoch.Add(time.Second), Until: epoch.Add(5 * time.Second)},
		{Since: epoch.Add(time.Second), Until: epoch.Add(5 * time.Second)},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(e audit.Entry) bool { return !q.Selects(e) })
		for _, limit := range []int{1, 2, 100} {
			w.want(fmt.Sprintf("Entries(%+v) in pages of %d", q, limit), w.trail(q, limit), want)
		}
	}
}

// auditSessions checks what the store of sessions leaves.
func auditSessions(w *world) {
	s := sessionOf("s1", "ann", epoch)
	issued := w.trailOf(nil)(audit.Session("s1"), 0, 1)
	w.wantNil("Issue", w.Sessions.Issue(w.Context(), s, issued))
	revoked := w.trailOf(nil)(audit.Session("s1"), 1, 2)
	w.wantNil("Revoke", w.Sessions.Revoke(w.Context(), s.Revoke("ann", epoch), revoked))
	again := w.trailOf(nil)(audit.Session("s1"), 2, 3)
	w.wantNil("Revoke again", w.Sessions.Revoke(w.Context(), s.Revoke("ann", epoch), again))
	refused := w.trailOf(w.newRecord("of a refused session"))(audit.Session("s1"), 3, 4)
	w.wantErr("Issue of a revoked session", w.Sessions.Issue(w.Context(), s, refused), session.ErrRevoked)
	linked := w.trailOf(nil)(audit.Session("s1"), 0, 1)
	w.wantNil("KeepLink", w.Sessions.KeepLink(w.Context(), linkHash(1), linkOf("ann", epoch.Add(time.Hour)), linked))
	w.want("Entries", w.entries(audit.Session("s1")), []audit.Entry{linked.Audit, again.Audit, revoked.Audit, issued.Audit})
	if got := w.kept(refused.Idempotency); got != nil {
		w.Errorf("Issue of a revoked session stored the record %+v, want none", got)
	}
}
