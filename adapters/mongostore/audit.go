package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/eventlog"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/ports"
)

// Audit reads the trail of changes.
type Audit struct{ db *DB }

// Entries implements [ports.AuditLog].
func (s *Audit) Entries(ctx context.Context, q audit.Query) (_ []audit.Entry, err error) {
	defer s.db.observer.Begin(&ctx, "audit.list").End(&err)
	return every(s.db.ask(ctx), auditColl, entriesFilter(q), entryDoc.entry, first(q.Limit, "-at", "-_id"))
}

// Changes implements [ports.AuditLog].
func (s *Audit) Changes(ctx context.Context, at []audit.Position) (_ map[string]audit.Entry, err error) {
	defer s.db.observer.Begin(&ctx, "audit.changes").End(&err)
	found := make(map[string]audit.Entry, len(at))
	if len(at) == 0 {
		return found, nil
	}
	ids := make([]string, len(at))
	for i, p := range at {
		ids[i] = p.ID
	}
	entries, err := every(s.db.ask(ctx), auditColl, bson.D{mongodb.In("_id", ids), mongodb.Exists("change", true)}, entryDoc.entry)
	for _, e := range entries {
		found[e.ID] = e
	}
	return found, err
}

// After implements [ports.AuditLog]. The log is read from the server, which nobody else
// reads for the trail alone: most processes do not write it, and the tail is without it.
func (s *Audit) After(ctx context.Context, position activity.Seq, limit int) (_ ports.AuditPage, err error) {
	defer s.db.observer.Begin(&ctx, "audit.after").End(&err)
	d, now, err := s.db.logAt(ctx)
	switch {
	case err != nil:
		return ports.AuditPage{}, err
	case position < 0, eventlog.TimeOf(position).T > eventlog.TimeOf(now).T+eventlog.Ahead:
		return ports.AuditPage{}, activity.ErrTooOld
	}
	position = max(position, d.Begin)
	if position >= now {
		return ports.AuditPage{Next: position}, nil
	}
	late, stop := context.WithTimeout(context.Background(), s.db.timeout/2)
	defer stop()
	found, err := s.db.trail.After(ctx, position, now, limit, late.Done())
	if err != nil {
		return ports.AuditPage{}, err
	}
	page := ports.AuditPage{Next: found.Next, More: found.More}
	for _, e := range found.Events {
		page.Entries = append(page.Entries, *e.Change)
	}
	return page, nil
}

// From implements [ports.AuditLog].
func (s *Audit) From(ctx context.Context, p audit.Position, limit int) (_ []audit.Entry, err error) {
	defer s.db.observer.Begin(&ctx, "audit.from").End(&err)
	filter := bson.D{mongodb.Compare("at", "$gte", mongodb.Millis(p.At)), mongodb.Behind("$gt", "at", mongodb.Millis(p.At), "$gt", "_id", p.ID)}
	return every(s.db.ask(ctx), auditColl, filter, entryDoc.entry, first(limit, "at", "_id"))
}

// OnCommit implements [ports.AuditLog].
func (s *Audit) OnCommit(f func([]audit.Entry)) { s.db.committed = f }

// entriesFilter is for indexes in the order of the list. What changes alone are filtered
// by is in the one that they have.
func entriesFilter(q audit.Query) bson.D {
	filter := mongodb.Given(mongodb.Is("resource", string(q.Resource)), mongodb.Is("department", string(q.Department)), mongodb.Is("actor", q.Actor))
	switch q.Part {
	case audit.OnlyChanges:
		filter = append(filter, mongodb.Exists("change", true))
	case audit.WithoutReports:
		filter = append(filter, mongodb.Compare("resource", "$gt", string(audit.Activities))) // the least of all resources
	}
	if q.Actions != nil {
		filter = append(filter, mongodb.In("action", q.Actions))
	}
	at := bson.D{}
	if !q.Since.IsZero() {
		at = append(at, mongodb.Is("$gte", mongodb.Millis(q.Since)))
	}
	if !q.Until.IsZero() {
		at = append(at, mongodb.Is("$lt", mongodb.Millis(q.Until)))
	}
	if len(at) > 0 {
		filter = append(filter, mongodb.Is("at", at))
	}
	if q.After != nil {
		filter = append(filter, mongodb.Behind("$lt", "at", mongodb.Millis(q.After.At), "$lt", "_id", q.After.ID))
	}
	return filter
}

// addTrail writes the idempotency record of a change, if the request had a key, and
// its audit entry, if the change is effective.
func (t *tx) addTrail(trail ports.Trail, effective bool) {
	t.addIdempotencyRecord(trail.Idempotency)
	if effective {
		t.insert(auditColl, entryOf(trail.Audit), nil)
		t.trail = append(t.trail, trail.Audit)
	}
}

// entryDoc is an entry of the audit trail.
type entryDoc struct {
	ID        string `bson:"_id"`
	At        int64  `bson:"at"`
	Actor     string `bson:"actor"`
	Route     string `bson:"route"`
	Resource  string `bson:"resource"`
	Action    string `bson:"action,omitempty"`
	From      int64  `bson:"from"`
	To        int64  `bson:"to"`
	RequestID string `bson:"request_id"`
	// Of entries of the change log.
	Department string `bson:"department,omitempty"`
	Change     string `bson:"change,omitempty"`
	// Entered is when it was stored, as that of an event.
	Entered bson.Timestamp `bson:"entered"`
}

func entryOf(e audit.Entry) entryDoc {
	d := entryDoc{
		ID: e.ID, At: mongodb.Millis(e.At), Actor: e.Actor, Action: string(e.Action), Route: e.Route, Resource: string(e.Resource),
		From: e.From, To: e.To, RequestID: e.RequestID,
	}
	if e.Change != nil {
		d.Department, d.Change = string(e.Change.Department.Key), e.Change.Text()
	}
	return d
}

func (d entryDoc) entry() (audit.Entry, error) {
	e := audit.Entry{
		ID: d.ID, At: mongodb.FromMillis(d.At), Actor: d.Actor, Action: audit.Action(d.Action), Route: d.Route, Resource: audit.Resource(d.Resource),
		From: d.From, To: d.To, RequestID: d.RequestID,
	}
	if d.Change == "" {
		return e, nil
	}
	var err error
	e.Change, err = audit.ParseChange(e.Action, d.Change)
	return e, damaged(err)
}
