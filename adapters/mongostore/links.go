package mongostore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/session"
	"orgd/ports"
)

// linkDoc is a sign-in link.
type linkDoc struct {
	ID        string    `bson:"_id"` // the hash of its code
	Maker     string    `bson:"maker"`
	By        string    `bson:"by"`
	ByFrom    string    `bson:"by_root,omitempty"` // ids, which have no spaces; one, if an older release has written it
	MadeAt    int64     `bson:"made_at"`
	ExpiresAt int64     `bson:"expires_at"`
	As        recordDoc `bson:"as"`
	AsID      string    `bson:"as_id"`
	AsFrom    string    `bson:"as_root,omitempty"`
	AsEndsBy  int64     `bson:"as_ends_by,omitempty"`
}

func linkID(hash [sha256.Size]byte) string { return hex.EncodeToString(hash[:]) }

func linkDocOf(hash [sha256.Size]byte, l session.Link, at time.Time) linkDoc {
	d := linkDoc{
		ID: linkID(hash), Maker: l.Maker, By: l.By, ByFrom: strings.Join(l.ByFrom, " "), MadeAt: mongodb.Millis(at), ExpiresAt: mongodb.Millis(l.ExpiresAt),
		As: recordOf(l.As), AsID: l.As.ID, AsFrom: strings.Join(l.As.From, " "),
	}
	if !l.As.EndsBy.IsZero() {
		d.AsEndsBy = mongodb.Millis(l.As.EndsBy)
	}
	return d
}

func (d linkDoc) link() session.Link {
	l := session.Link{As: d.As.session(d.AsID), By: d.By, ByFrom: strings.Fields(d.ByFrom), Maker: d.Maker, ExpiresAt: mongodb.FromMillis(d.ExpiresAt)}
	l.As.From, l.As.EndsBy = strings.Fields(d.AsFrom), mongodb.FromMillisOrZero(d.AsEndsBy)
	return l
}

// KeepLink implements [ports.SessionStore].
func (s *Sessions) KeepLink(ctx context.Context, hash [sha256.Size]byte, l session.Link, trail ports.Trail) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.keep_link").End(&err)
	made := linkDocOf(hash, l, trail.Audit.At)
	return s.db.write(ctx, func(t *tx) error {
		others, err := all[linkDoc](t, linksColl, bson.D{mongodb.Is("maker", l.Maker)},
			options.Find().SetSort(mongodb.By("-made_at")).SetProjection(mongodb.By("expires_at")))
		if err != nil {
			return err
		}
		t.addTrail(trail, true)
		kept := 1 // with the new one
		for _, old := range others {
			if old.ExpiresAt > made.MadeAt && kept < session.MaxLinks {
				kept++
			} else {
				t.remove(linksColl, old.ID)
			}
		}
		t.insert(linksColl, made, nil)
		return nil
	})
}

// TakeLink implements [ports.SessionStore]. That it is one atomic operation decides who
// gets the link.
func (s *Sessions) TakeLink(ctx context.Context, hash [sha256.Size]byte, now time.Time) (_ session.Link, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.take_link").End(&err)
	ctx, cancel := context.WithTimeout(ctx, s.db.timeout)
	defer cancel()
	var d linkDoc
	err = s.db.coll(linksColl).FindOneAndDelete(ctx, bson.D{mongodb.Is("_id", linkID(hash)), mongodb.Compare("expires_at", "$gt", mongodb.Millis(now))}).Decode(&d)
	if mongodb.IsMissing(err) {
		return session.Link{}, session.ErrLink
	}
	if err != nil {
		return session.Link{}, mongodb.Translate(err)
	}
	return d.link(), nil
}
