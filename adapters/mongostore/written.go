package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/activity"
	"orgd/ports"
)

// Progress keeps how far the audit trail was written, and which replica writes it.
type Progress struct{ db *DB }

// writtenID names the document with both.
const writtenID = "written"

type writtenDoc struct {
	ID       string    `bson:"_id"`
	Writer   string    `bson:"writer"`
	Until    time.Time `bson:"until"` // by the server's clock
	Position *int64    `bson:"position,omitempty"`
	At       int64     `bson:"at,omitempty"`
}

func (d writtenDoc) written() *ports.Written {
	if d.Position == nil {
		return nil
	}
	return &ports.Written{UpTo: activity.Seq(*d.Position), At: fromMillis(d.At)}
}

// claimed has the claim of a writer hold from now on.
func claimed(writer string, more ...bson.E) mongo.Pipeline {
	until := bson.D{is("$add", bson.A{"$$NOW", ports.AuditLease.Milliseconds()})}
	return mongo.Pipeline{{is("$set", append(bson.D{is("writer", writer), is("until", until)}, more...))}}
}

// Claim implements [ports.AuditProgress]. That it is one atomic operation decides between
// replicas.
func (s *Progress) Claim(ctx context.Context, writer string) (_ *ports.Written, ours bool, err error) {
	defer s.db.observer.Begin(&ctx, "written.claim").End(&err)
	free := bson.D{is("_id", writtenID), is("$or", bson.A{
		bson.D{is("writer", writer)},
		bson.D{is("$expr", bson.D{is("$lt", bson.A{"$until", "$$NOW"})})},
	})}
	var d writtenDoc
	err = s.db.coll(metaColl).FindOneAndUpdate(ctx, free, claimed(writer),
		options.FindOneAndUpdate().SetReturnDocument(options.After)).Decode(&d)
	if errors.Is(err, mongo.ErrNoDocuments) { // it is another one's
		d, err = singleton[writtenDoc](s.db.ask(ctx), writtenID)
	}
	if err != nil {
		return nil, false, translate(err)
	}
	return d.written(), d.Writer == writer, nil
}

// Keep implements [ports.AuditProgress].
func (s *Progress) Keep(ctx context.Context, writer string, w ports.Written) (ours bool, err error) {
	defer s.db.observer.Begin(&ctx, "written.keep").End(&err)
	res, err := s.db.coll(metaColl).UpdateOne(ctx, bson.D{is("_id", writtenID), is("writer", writer)},
		claimed(writer, is("position", int64(w.UpTo)), is("at", millis(w.At))))
	if err != nil {
		return false, translate(err)
	}
	return res.MatchedCount > 0, nil
}
