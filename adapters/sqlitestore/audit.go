package sqlitestore

import (
	"context"
	"fmt"

	"orgd/domain/audit"
	"orgd/ports"
)

var _ ports.AuditLog = (*Audit)(nil)

// Audit reads the trail of changes.
type Audit struct{ db *DB }

// Entries implements [ports.AuditLog].
func (s *Audit) Entries(ctx context.Context, q audit.Query) (entries []audit.Entry, err error) {
	defer s.db.observer.Begin(&ctx, "audit.list").End(&err)
	query, args := entriesQuery(q)
	err = s.db.Read(ctx, func(v *View) error {
		return v.Each(query, args, func(r Row) error {
			e, err := scanEntry(r)
			entries = append(entries, e)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: read audit entries: %w", err)
	}
	return entries, nil
}

// entriesQuery reads along one index, from the position where the page before
// ended. A resource has far fewer entries than an actor, so that is the one to
// follow if both are given.
func entriesQuery(q audit.Query) (string, []any) {
	var f filter
	index := ""
	if q.Actor != "" {
		index = " INDEXED BY audit_actor"
		f.and("actor = ?", q.Actor)
	}
	if q.Resource != "" {
		index = " INDEXED BY audit_resource"
		f.and("resource = ?", string(q.Resource))
	}
	if !q.Since.IsZero() {
		f.and("at >= ?", millis(q.Since))
	}
	switch { // one upper bound: SQLite would begin at the first of two
	case q.After != nil && (q.Until.IsZero() || q.After.At.Before(q.Until)):
		f.and("(at, id) < (?, ?)", millis(q.After.At), packID(q.After.ID))
	case !q.Until.IsZero():
		f.and("at < ?", millis(q.Until))
	}
	return "SELECT at, id, actor, route, resource, from_revision, to_revision, request_id FROM audit" +
		index + f.where() + " ORDER BY at DESC, id DESC LIMIT (? + 0)", append(f.args, q.Limit)
}

func scanEntry(r Row) (e audit.Entry, err error) {
	var at int64
	var id []byte
	err = r.Scan(&at, &id, &e.Actor, &e.Route, &e.Resource, &e.From, &e.To, &e.RequestID)
	e.At, e.ID = fromMillis(at), unpackID(id)
	return e, err
}
