package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/access"
	"orgd/domain/name"
	"orgd/domain/session"
	"orgd/ports"
)

// Sessions keeps sessions and revocations.
type Sessions struct{ db *DB }

// change runs a change with what is known of a session.
func (s *Sessions) change(ctx context.Context, id string, fn func(*tx, sessionDoc) error) error {
	return s.db.write(ctx, func(t *tx) error {
		known, err := oneOrZero[sessionDoc](t, sessionsColl, mongodb.ByID(id))
		if err != nil {
			return err
		}
		return fn(t, known)
	})
}

// Issue implements [ports.SessionStore]. It writes the session also if nothing of
// it changes: a revocation at the same time would not conflict with it otherwise.
func (s *Sessions) Issue(ctx context.Context, issued session.Session, trail ports.Trail) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.issue").End(&err)
	return s.change(ctx, issued.ID, func(t *tx, known sessionDoc) error {
		if known.Revocation != nil {
			return session.ErrRevoked
		}
		t.addTrail(trail, true)
		if known.Record != nil {
			t.update(sessionsColl, issued.ID, mongodb.Increment(mongodb.Is("issues", 1)), nil)
		}
		t.record(known, issued)
		return nil
	})
}

// See implements [ports.SessionStore].
func (s *Sessions) See(ctx context.Context, seen session.Session) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.see").End(&err)
	return s.change(ctx, seen.ID, func(t *tx, known sessionDoc) error {
		t.record(known, seen)
		return nil
	})
}

// Used implements [ports.SessionStore]. It needs no transaction: each session is a
// document.
func (s *Sessions) Used(ctx context.Context, uses []session.Use) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.used").End(&err)
	writes := make([]mongo.WriteModel, len(uses))
	for i, u := range uses {
		writes[i] = mongo.NewUpdateOneModel().SetFilter(bson.D{mongodb.Is("_id", u.ID), mongodb.Exists("record", true)}).
			SetUpdate(bson.D{mongodb.Is("$max", bson.D{mongodb.Is("record.last_used_at", mongodb.Millis(u.At))})})
	}
	if len(writes) > 0 { // the driver refuses to send nothing
		_, err = s.db.coll(sessionsColl).BulkWrite(ctx, writes, options.BulkWrite().SetOrdered(false))
	}
	return mongodb.Translate(err)
}

// Revoke implements [ports.SessionStore].
func (s *Sessions) Revoke(ctx context.Context, r session.Revocation, trail ports.Trail) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.revoke").End(&err)
	return s.change(ctx, r.ID, func(t *tx, known sessionDoc) error {
		latest, err := latestRevocation(t)
		if err != nil {
			return err
		}
		t.addTrail(trail, true)
		t.revoke(known, latest, r)
		return nil
	})
}

// Session implements [ports.SessionStore].
func (s *Sessions) Session(ctx context.Context, id string) (_ session.Record, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.get").End(&err)
	r, err := get(s.db.ask(ctx), sessionsColl, bson.D{mongodb.Is("_id", id), mongodb.Exists("record", true)}, sessionDoc.record)
	return r, mongodb.NotFound(err, "session", id, session.ErrNotFound)
}

// Sessions implements [ports.SessionStore].
func (s *Sessions) Sessions(ctx context.Context, q session.Query) (_ []session.Record, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.list").End(&err)
	filter := append(bson.D{mongodb.Compare("record.expires_at", "$gt", mongodb.Millis(q.At))}, mongodb.Given(mongodb.Is("record.subject", q.Subject))...)
	if q.After != nil {
		filter = append(filter, mongodb.Behind("$lt", "record.issued_at", mongodb.Millis(q.After.IssuedAt), "$gt", "_id", q.After.ID))
	}
	return every(s.db.ask(ctx), sessionsColl, filter, sessionDoc.record, first(q.Limit, "-record.issued_at", "_id"))
}

// Revoked implements [ports.SessionStore]. A query outside a snapshot could find a
// revocation and miss one that was committed before, while it runs.
func (s *Sessions) Revoked(ctx context.Context, since, now time.Time) (_ []session.Revocation, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.revoked").End(&err)
	filter := bson.D{mongodb.Compare("revocation.until", "$gt", mongodb.Millis(now))}
	if !since.IsZero() {
		filter = append(filter, mongodb.Compare("revocation.at", "$gte", mongodb.Millis(since)))
	}
	return view(ctx, s.db.engine, func(r reader) ([]session.Revocation, error) {
		return every(r, sessionsColl, filter, sessionDoc.revocation, options.Find().SetProjection(mongodb.By("revocation")))
	})
}

// expireSessions deletes documents of which both parts have expired.
func (db *DB) expireSessions(ctx context.Context, now time.Time, limit int) (int, error) {
	gone := 0
	for part, field := range map[string]string{"record": "record.expires_at", "revocation": "revocation.until"} {
		over := mongodb.Compare(field, "$lte", mongodb.Millis(now))
		ids, err := db.idsOf(ctx, sessionsColl, bson.D{over}, limit)
		if err != nil {
			return gone, err
		}
		if len(ids) == 0 {
			continue
		}
		res, err := db.coll(sessionsColl).UpdateMany(ctx, bson.D{mongodb.In("_id", ids), over}, bson.D{mongodb.Is("$unset", bson.D{mongodb.Is(part, "")})})
		if err != nil {
			return gone, mongodb.Translate(err)
		}
		gone += int(res.ModifiedCount)
		_, err = db.coll(sessionsColl).DeleteMany(ctx, bson.D{mongodb.In("_id", ids), mongodb.Exists("record", false), mongodb.Exists("revocation", false)})
		if err != nil {
			return gone, mongodb.Translate(err)
		}
	}
	return gone, nil
}

// sessionDoc is what is known of a session: its record, its revocation, or
// both. They share a document so that renewing and revoking conflict in it.
type sessionDoc struct {
	ID         string         `bson:"_id"`
	Record     *recordDoc     `bson:"record,omitempty"`
	Revocation *revocationDoc `bson:"revocation,omitempty"`
}

type recordDoc struct {
	Issuer      string   `bson:"issuer"`
	Subject     string   `bson:"subject"`
	Role        string   `bson:"role"`
	Departments []nameOf `bson:"departments"`
	Agent       string   `bson:"agent"`
	IssuedAt    int64    `bson:"issued_at"`
	ExpiresAt   int64    `bson:"expires_at"`
	Kind        string   `bson:"kind"`
	Label       string   `bson:"label,omitempty"`
	LastUsedAt  int64    `bson:"last_used_at,omitempty"`
}

type nameOf struct {
	Text string `bson:"text"`
	Key  string `bson:"key"`
}

type revocationDoc struct {
	By    string `bson:"by"`
	At    int64  `bson:"at"`
	Until int64  `bson:"until"`
}

func recordOf(s session.Session) recordDoc {
	d := recordDoc{
		Issuer: s.Issuer, Subject: s.Subject, Role: string(s.Role), Departments: []nameOf{}, Agent: s.Agent,
		IssuedAt: mongodb.Millis(s.IssuedAt), ExpiresAt: mongodb.Millis(s.ExpiresAt), Kind: string(s.Kind), Label: s.Label,
	}
	for _, n := range s.Departments {
		d.Departments = append(d.Departments, nameOf{n.Text, string(n.Key)})
	}
	return d
}

// record returns a document that has a record.
func (d sessionDoc) record() (session.Record, error) {
	r := session.Record{Session: d.Record.session(d.ID), LastUsedAt: mongodb.FromMillisOrZero(d.Record.LastUsedAt)}
	if d.Revocation != nil {
		revoked, _ := d.revocation()
		r.Revocation = &revoked
	}
	return r, nil
}

// session returns the session that has this id.
func (d recordDoc) session(id string) session.Session {
	s := session.Session{
		ID: id, Issuer: d.Issuer, Subject: d.Subject, Role: access.Role(d.Role), Agent: d.Agent, Kind: session.Kind(d.Kind), Label: d.Label,
		IssuedAt: mongodb.FromMillis(d.IssuedAt), ExpiresAt: mongodb.FromMillis(d.ExpiresAt),
	}
	for _, n := range d.Departments {
		s.Departments = append(s.Departments, name.Name{Text: n.Text, Key: name.Key(n.Key)})
	}
	return s
}

// revocation returns that of a document that has one.
func (d sessionDoc) revocation() (session.Revocation, error) {
	return session.Revocation{
		ID: d.ID, By: d.Revocation.By, At: mongodb.FromMillis(d.Revocation.At), Until: mongodb.FromMillis(d.Revocation.Until),
	}, nil
}

// record writes a session; a record that is known only lives longer.
func (t *tx) record(known sessionDoc, s session.Session) {
	switch {
	case known.Record == nil:
		t.upsert(sessionsColl, s.ID, mongodb.Set(mongodb.Is("record", recordOf(s))))
	case known.Record.ExpiresAt < mongodb.Millis(s.ExpiresAt):
		t.update(sessionsColl, s.ID, mongodb.Set(mongodb.Is("record.expires_at", mongodb.Millis(s.ExpiresAt))), nil)
	}
}

// revocationsID names the document that every revocation writes: two at once would
// both follow the same one otherwise.
const revocationsID = "revocations"

// revocationsDoc outlives the revocations: their readers have read up to the latest.
type revocationsDoc struct {
	ID     string `bson:"_id"`
	Latest int64  `bson:"latest"` // its time
}

// latestRevocation returns the time of the latest, 0 if there was none. A restored archive
// leaves it out, so the revocations are asked, too.
func latestRevocation(t *tx) (int64, error) {
	kept, err := oneOrZero[revocationsDoc](t, metaColl, mongodb.ByID(revocationsID))
	if err != nil {
		return 0, err
	}
	stored, err := oneOrZero[sessionDoc](t, sessionsColl, bson.D{mongodb.Exists("revocation.until", true)},
		options.FindOne().SetSort(mongodb.By("-revocation.at")))
	if err != nil || stored.Revocation == nil {
		return kept.Latest, err
	}
	return max(kept.Latest, stored.Revocation.At), nil
}

// revoke writes a revocation, behind the latest; the first one of a session stays and
// lasts as long as the longest.
func (t *tx) revoke(known sessionDoc, latest int64, r session.Revocation) {
	switch {
	case known.Revocation == nil:
		at := max(mongodb.Millis(r.At), latest+1)
		t.upsert(metaColl, revocationsID, mongodb.Set(mongodb.Is("latest", at)))
		t.upsert(sessionsColl, r.ID, mongodb.Set(mongodb.Is("revocation", revocationDoc{r.By, at, mongodb.Millis(r.Until)})))
	case known.Revocation.Until < mongodb.Millis(r.Until):
		t.update(sessionsColl, r.ID, mongodb.Set(mongodb.Is("revocation.until", mongodb.Millis(r.Until))), nil)
	}
}
