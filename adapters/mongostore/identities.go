package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/ports"
)

var _ ports.IdentityLog = (*Identities)(nil)

// Identities reads the versions of agents.
type Identities struct{ db *DB }

// NewIdentities returns the versions in db.
func NewIdentities(db *DB) *Identities { return &Identities{db} }

// versionDoc is a version. Its _id sorts the versions of an agent by number, so
// it is all the index they need.
type versionDoc struct {
	ID           string  `bson:"_id"`
	Number       int64   `bson:"number"`
	Identity     string  `bson:"identity"`
	Hash         string  `bson:"hash"`
	SavedBy      string  `bson:"saved_by"`
	SavedAt      int64   `bson:"saved_at"`
	RestoredFrom *int64  `bson:"restored_from,omitempty"`
	Reason       *string `bson:"reason,omitempty"`
}

// versionID names a version; digits are padded so that they sort as numbers.
func versionID(id agent.ID, number int64) string { return fmt.Sprintf("%s/%019d", id, number) }

func versionOf(id agent.ID, v identity.Version) *versionDoc {
	return &versionDoc{
		ID: versionID(id, v.Number), Number: v.Number, Identity: v.Text, Hash: v.Hash,
		SavedBy: v.SavedBy, SavedAt: millis(v.SavedAt), RestoredFrom: v.RestoredFrom, Reason: v.Reason,
	}
}

func (d versionDoc) version() (identity.Version, error) {
	c, err := identity.Parse([]byte(d.Identity))
	if err != nil {
		return identity.Version{}, fmt.Errorf("mongostore: read version %s: %w", d.ID, err)
	}
	return identity.Version{
		Number: d.Number, Content: c, Text: d.Identity, Hash: d.Hash, SavedBy: d.SavedBy, SavedAt: fromMillis(d.SavedAt),
		RestoredFrom: d.RestoredFrom, Reason: d.Reason,
	}, nil
}

// Versions implements [ports.IdentityLog].
func (s *Identities) Versions(ctx context.Context, id agent.ID, before int64, limit int) ([]identity.Version, error) {
	if err := s.db.settleHome(ctx, home{agentsColl, string(id)}); err != nil {
		return nil, err
	}
	end := after(string(id) + "/")
	if before > 0 {
		end = versionID(id, before)
	}
	var docs []versionDoc
	filter := bson.D{is("_id", bson.D{is("$gt", string(id)+"/"), is("$lt", end)})}
	opts := options.Find().SetSort(bson.D{is("_id", -1)}).SetLimit(int64(limit))
	if err := s.db.all(ctx, s.db.coll(versionsColl), filter, &docs, opts); err != nil {
		return nil, err
	}
	versions := make([]identity.Version, len(docs))
	for i, d := range docs {
		v, err := d.version()
		if err != nil {
			return nil, err
		}
		versions[i] = v
	}
	return versions, nil
}

// Version implements [ports.IdentityLog].
func (s *Identities) Version(ctx context.Context, id agent.ID, number int64) (identity.Version, error) {
	var d versionDoc
	err := s.db.find(ctx, s.db.coll(versionsColl), byKey(versionID(id, number)), nil, &d)
	if errors.Is(err, mongo.ErrNoDocuments) { // or still a debt
		if err := s.db.settleHome(ctx, home{agentsColl, string(id)}); err != nil {
			return identity.Version{}, err
		}
		err = s.db.find(ctx, s.db.coll(versionsColl), byKey(versionID(id, number)), nil, &d)
	}
	if errors.Is(err, mongo.ErrNoDocuments) {
		return identity.Version{}, identity.ErrVersionNotFound.With("version %d not found", number)
	}
	if err != nil {
		return identity.Version{}, err
	}
	return d.version()
}
