package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/activity"
	"orgd/ports"
)

var _ ports.EventStream = (*Stream)(nil)

// Stream reads the log of events, which is that of the server: what all members
// of the replica set agree on, in the order of its commits.
type Stream struct{ db *DB }

// NewStream returns the log in db.
func NewStream(db *DB) *Stream { return &Stream{db} }

// A place in the log is the server's time of a commit, which ascends by itself,
// also when another member becomes primary, and the rank of the event in it.
const (
	rankBits      = 12 // more than a change has events
	incrementBits = 19 // commits in a second
	lastRank      = 1<<rankBits - 1
)

func seqOf(t bson.Timestamp, rank int) activity.Seq {
	return activity.Seq(int64(t.T)<<(incrementBits+rankBits) | int64(t.I)<<rankBits | int64(min(rank, lastRank)))
}

// timeOf returns the commit of a place.
func timeOf(place activity.Seq) bson.Timestamp {
	return bson.Timestamp{T: uint32(place >> (incrementBits + rankBits)), I: uint32(place>>rankBits) & (1<<incrementBits - 1)}
}

// logDoc says what the log has.
type logDoc struct {
	ID    string       `bson:"_id"`
	Begin activity.Seq `bson:"begin"` // the place before the first event
	Cut   activity.Seq `bson:"cut"`   // places before it are too old
	// Forgotten is the time before which runtime events have gone.
	Forgotten int64 `bson:"forgotten"`
}

const logID = "log"

// Grown implements [ports.EventStream].
func (s *Stream) Grown() <-chan struct{} {
	s.db.tail.start()
	return s.db.tail.grown.Next()
}

// Head implements [ports.EventStream]. Whatever was answered is not later than
// what the primary says it has.
func (s *Stream) Head(ctx context.Context) (activity.Seq, error) {
	s.db.tail.start()
	return s.db.now(ctx)
}

// now returns the place behind all commits that a majority has, which no election
// takes back.
func (db *DB) now(ctx context.Context) (activity.Seq, error) {
	_, now, err := db.logAt(ctx)
	return now, err
}

// logAt returns what the log has, and its end.
func (db *DB) logAt(ctx context.Context) (logDoc, activity.Seq, error) {
	session, err := db.client.StartSession()
	if err != nil {
		return logDoc{}, 0, translate(err)
	}
	defer session.EndSession(context.WithoutCancel(ctx))
	d, err := one[logDoc](db.ask(mongo.NewSessionContext(ctx, session)), metaColl, byID(logID))
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) { // that of a database that is being made
		return logDoc{}, 0, err
	}
	return d, seqOf(*session.OperationTime(), lastRank), nil
}

// After implements [ports.EventStream].
func (s *Stream) After(ctx context.Context, place activity.Seq, limit int) ([]activity.Logged, error) {
	s.db.tail.start()
	d, now, err := s.db.logAt(ctx)
	if err != nil {
		return nil, err
	}
	if place < d.Cut || place > now || place < 0 {
		return nil, activity.ErrTooOld
	}
	for place = max(place, d.Begin); ; {
		events, reached, err := s.read(ctx, place, now, limit)
		if err != nil {
			return nil, err
		}
		kept := d.kept(events)
		if len(kept) > 0 || len(events) == 0 && reached {
			return kept, nil
		}
		if len(events) > 0 {
			place = events[len(events)-1].Seq
		}
	}
}

// read returns the first events behind a place, and whether there are no others
// up to now. What this process does not remember it reads from the server.
func (s *Stream) read(ctx context.Context, place, now activity.Seq, limit int) ([]activity.Logged, bool, error) {
	if events, ok := s.db.tail.after(place, limit); ok {
		return events, true, nil
	}
	return s.db.catchUp(ctx, place, now, limit)
}

// kept returns those of events that were not forgotten.
func (d logDoc) kept(events []activity.Logged) (kept []activity.Logged) {
	for _, e := range events {
		if e.Type.Lifecycle() || millis(e.At) >= d.Forgotten {
			kept = append(kept, e)
		}
	}
	return kept
}

// cutLog has the log begin where it was at a time, and leaves events out that
// were forgotten.
func (db *DB) cutLog(ctx context.Context, upTo time.Time) error {
	cut := seqOf(bson.Timestamp{T: uint32(max(upTo.Unix(), 0))}, 0)
	change := bson.D{is("$max", bson.D{is("forgotten", millis(upTo))})}
	if _, err := db.coll(metaColl).UpdateOne(ctx, byID(logID), change); err != nil {
		return translate(err)
	}
	_, err := db.coll(metaColl).UpdateOne(ctx, bson.D{is("_id", logID), is("begin", bson.D{is("$lt", cut)})},
		bson.D{is("$max", bson.D{is("cut", cut)})})
	return translate(err)
}
