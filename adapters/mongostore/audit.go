package mongostore

import (
	"context"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/audit"
	"orgd/ports"
)

var _ ports.AuditLog = (*Audit)(nil)

// Audit reads the trail of changes.
type Audit struct{ db *DB }

// NewAudit returns the trail in db.
func NewAudit(db *DB) *Audit { return &Audit{db} }

type auditDoc struct {
	ID        string `bson:"_id"`
	At        int64  `bson:"at"`
	Actor     string `bson:"actor"`
	Route     string `bson:"route"`
	Resource  string `bson:"resource"`
	From      int64  `bson:"from"`
	To        int64  `bson:"to"`
	RequestID string `bson:"request_id"`
}

func auditOf(e audit.Entry) *auditDoc {
	return &auditDoc{
		ID: e.ID, At: millis(e.At), Actor: e.Actor, Route: e.Route, Resource: string(e.Resource),
		From: e.From, To: e.To, RequestID: e.RequestID,
	}
}

func (d auditDoc) entry() audit.Entry {
	return audit.Entry{
		ID: d.ID, At: fromMillis(d.At), Actor: d.Actor, Route: d.Route, Resource: audit.Resource(d.Resource),
		From: d.From, To: d.To, RequestID: d.RequestID,
	}
}

// Entries implements [ports.AuditLog].
func (s *Audit) Entries(ctx context.Context, q audit.Query) ([]audit.Entry, error) {
	if err := s.settle(ctx, q.Resource); err != nil {
		return nil, err
	}
	var docs []auditDoc
	opts := options.Find().SetSort(bson.D{is("at", -1), is("_id", -1)}).SetLimit(int64(q.Limit))
	if err := s.db.all(ctx, s.db.coll(auditColl), auditFilter(q), &docs, opts); err != nil {
		return nil, err
	}
	entries := make([]audit.Entry, len(docs))
	for i, d := range docs {
		entries[i] = d.entry()
	}
	return entries, nil
}

// settle pays the debts that entries may be among: those of the resource, or
// all.
func (s *Audit) settle(ctx context.Context, of audit.Resource) error {
	kind, id, _ := strings.Cut(string(of), "/")
	switch kind {
	case agentsColl, projectsColl, sessionsColl, webhooksColl: // named as their resources are
		return s.db.settleHome(ctx, home{kind, id})
	case "company", "departments":
		return s.db.settleHome(ctx, companyHome)
	}
	return s.db.settleAll(ctx, owes(), 0)
}

func auditFilter(q audit.Query) bson.D {
	filter := bson.D{}
	if q.Resource != "" {
		filter = append(filter, is("resource", string(q.Resource)))
	}
	if q.Actor != "" {
		filter = append(filter, is("actor", q.Actor))
	}
	at := bson.D{}
	if !q.Since.IsZero() {
		at = append(at, is("$gte", millis(q.Since)))
	}
	if !q.Until.IsZero() {
		at = append(at, is("$lt", millis(q.Until)))
	}
	if len(at) > 0 {
		filter = append(filter, is("at", at))
	}
	if q.After != nil {
		filter = append(filter, behind("$lt", "at", millis(q.After.At), "_id", q.After.ID))
	}
	return filter
}
