package mongostore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/adapters/mongostore/internal/eventlog"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/activity"
	"orgd/ports"
)

// Stream reads the log of events, which is that of the server: what all members
// of the replica set agree on, in the order of its commits.
type Stream struct{ db *DB }

// logDoc says what the log has.
type logDoc struct {
	ID    string       `bson:"_id"`
	Begin activity.Seq `bson:"begin"` // the position before the first event
	Cut   activity.Seq `bson:"cut"`   // positions before it are too old
	// Forgotten is the time before which runtime events have gone.
	Forgotten int64 `bson:"forgotten"`
}

// Changed implements [ports.EventStream].
func (s *Stream) Changed() <-chan struct{} {
	s.db.startTail()
	return s.db.tail.Changed.Wait()
}

// Head implements [ports.EventStream]. Whatever was answered is not later than
// what the primary says it has.
func (s *Stream) Head(ctx context.Context) (_ activity.Seq, err error) {
	defer s.db.observer.Begin(&ctx, "stream.head").End(&err)
	s.db.startTail()
	return s.db.now(ctx)
}

// now returns the position behind all commits that a majority has, which no election
// takes back.
func (db *DB) now(ctx context.Context) (activity.Seq, error) {
	_, now, err := db.logAt(ctx)
	return now, err
}

// logAt returns what the log has, and its end.
func (db *DB) logAt(ctx context.Context) (logDoc, activity.Seq, error) {
	session, err := db.client.StartSession()
	if err != nil {
		return logDoc{}, 0, mongodb.Translate(err)
	}
	defer session.EndSession(context.WithoutCancel(ctx))
	// A database that is being made has no document.
	d, err := oneOrZero[logDoc](db.ask(mongo.NewSessionContext(ctx, session)), metaColl, mongodb.ByID(logID))
	if err != nil {
		return logDoc{}, 0, err
	}
	return d, eventlog.SeqOf(*session.OperationTime(), eventlog.LastRank), nil
}

// After implements [ports.EventStream].
func (s *Stream) After(ctx context.Context, position activity.Seq, limit int) (_ ports.LogPage, err error) {
	defer s.db.observer.Begin(&ctx, "stream.after").End(&err)
	s.db.startTail()
	d, now, err := s.db.logAt(ctx)
	switch {
	case err != nil:
		return ports.LogPage{}, err
	case position < d.Cut, position < 0, eventlog.TimeOf(position).T > eventlog.TimeOf(now).T+eventlog.Ahead:
		return ports.LogPage{}, activity.ErrTooOld
	}
	late, stop := context.WithTimeout(context.Background(), s.db.timeout/2)
	defer stop()
	page := ports.LogPage{Next: max(position, d.Begin)}
	for page.Next < now {
		if page, err = s.read(ctx, page.Next, now, limit, late.Done()); err != nil {
			return ports.LogPage{}, err
		}
		found := len(page.Events)
		if page.Events = slices.DeleteFunc(page.Events, d.deleted); len(page.Events) > 0 || found == 0 {
			break
		}
	}
	return page, nil
}

// read reads the first events behind a position, until late is closed. What this process
// does not remember it reads from the server.
func (s *Stream) read(ctx context.Context, position, now activity.Seq, limit int, late <-chan struct{}) (ports.LogPage, error) {
	if page, ok := s.db.tail.After(position, limit); ok {
		return page, nil
	}
	return s.db.catchUps.After(ctx, position, now, limit, late)
}

// Progress implements [ports.EventStream].
func (s *Stream) Progress(ctx context.Context) (read, end activity.Seq, err error) {
	defer s.db.observer.Begin(&ctx, "stream.progress").End(&err)
	s.db.startTail()
	read = s.db.tail.Reached()
	end, err = s.db.now(ctx)
	return read, end, err
}

// Stored implements [ports.EventStream]. Events are stored with the time of their
// insertion. The positions to go on from are those times and longestChange, the
// latest that their commits can have.
func (s *Stream) Stored(ctx context.Context, after, upTo activity.Seq, limit int) (_ ports.LogPage, err error) {
	defer s.db.observer.Begin(&ctx, "stream.stored").End(&err)
	from := eventlog.TimeOf(max(after, 0))
	from.T -= min(from.T, eventlog.LongestChange)
	filter := bson.D{mongodb.Is("entered", bson.D{mongodb.Is("$gt", from), mongodb.Is("$lte", eventlog.TimeOf(upTo))})}
	docs, err := all[eventDoc](s.db.ask(ctx), eventsColl, filter, first(limit, "entered"))
	if err != nil {
		return ports.LogPage{}, err
	}
	entries, err := all[entryDoc](s.db.ask(ctx), auditColl, append(filter, mongodb.Exists("change", true)), first(limit, "entered"))
	if err != nil {
		return ports.LogPage{}, err
	}
	var found []activity.Logged
	for _, d := range docs {
		found = append(found, d.logged(eventlog.SeqOf(d.Entered, 0)))
	}
	for _, d := range entries {
		e, err := d.entry()
		if err != nil {
			return ports.LogPage{}, err
		}
		found = append(found, activity.LoggedChange(eventlog.SeqOf(d.Entered, 0), e))
	}
	slices.SortStableFunc(found, func(a, b activity.Logged) int { return cmp.Compare(a.Seq, b.Seq) })
	page := ports.LogPage{Events: found[:min(len(found), limit)], Next: after}
	if n := len(page.Events); n > 0 {
		last := eventlog.TimeOf(page.Events[n-1].Seq)
		page.Next = eventlog.SeqOf(bson.Timestamp{T: last.T + eventlog.LongestChange, I: last.I}, 0)
	}
	return page, nil
}

// deleted reports whether an event has gone.
func (d logDoc) deleted(e activity.Logged) bool {
	return e.Change == nil && !e.Type.Lifecycle() && mongodb.Millis(e.At) < d.Forgotten
}

// cutLog has the log begin where it was at a time, and leaves events out that
// were deleted.
func (db *DB) cutLog(ctx context.Context, upTo time.Time) error {
	cut := eventlog.SeqOf(bson.Timestamp{T: uint32(max(upTo.Unix(), 0))}, 0)
	change := bson.D{mongodb.Is("$max", bson.D{mongodb.Is("forgotten", mongodb.Millis(upTo))})}
	if _, err := db.coll(metaColl).UpdateOne(ctx, mongodb.ByID(logID), change); err != nil {
		return mongodb.Translate(err)
	}
	_, err := db.coll(metaColl).UpdateOne(ctx, bson.D{mongodb.Is("_id", logID), mongodb.Compare("begin", "$lt", cut)},
		bson.D{mongodb.Is("$max", bson.D{mongodb.Is("cut", cut)})})
	return mongodb.Translate(err)
}

// events are what clients follow: events, and the entries of the change log.
func events() bson.E {
	return mongodb.Is("$or", bson.A{
		bson.D{mongodb.Is("ns.coll", eventsColl)},
		bson.D{mongodb.Is("ns.coll", auditColl), mongodb.Exists("fullDocument.change", true)},
	})
}

// entries are those of the audit trail.
func entries() bson.E { return mongodb.Is("ns.coll", auditColl) }

// logged reads what a collection has of the log.
func logged(coll string, doc bson.Raw) (e activity.Logged, err error) {
	if coll == eventsColl {
		var event eventDoc
		err := bson.Unmarshal(doc, &event)
		return event.logged(0), err
	}
	var entry entryDoc
	if err := bson.Unmarshal(doc, &entry); err != nil {
		return e, err
	}
	found, err := entry.entry()
	e.Change = &found
	if err == nil && found.Change != nil {
		e.Department = found.Change.Department.Key
	}
	return e, err
}
