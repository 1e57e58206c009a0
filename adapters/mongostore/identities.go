package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/identity"
)

// Identities reads the versions of agents.
type Identities struct{ db *DB }

// versionDoc is a version. Its _id sorts the versions of an agent by number, so
// it is all the index they need.
type versionDoc struct {
	ID           string  `bson:"_id"`
	Number       int64   `bson:"number"`
	Identity     string  `bson:"identity"`
	Hash         string  `bson:"hash"`
	SavedBy      string  `bson:"saved_by"`
	SavedAt      int64   `bson:"saved_at"`
	Imported     bool    `bson:"imported,omitempty"`
	RestoredFrom *int64  `bson:"restored_from,omitempty"`
	Reason       *string `bson:"reason,omitempty"`
}

// versionID names a version; digits are padded so that they sort as numbers.
func versionID(id agent.ID, number int64) string { return fmt.Sprintf("%s/%019d", id, number) }

func versionOf(id agent.ID, v identity.Version) versionDoc {
	return versionDoc{
		ID: versionID(id, v.Number), Number: v.Number, Identity: v.Text, Hash: v.Hash,
		SavedBy: v.SavedBy, SavedAt: mongodb.Millis(v.SavedAt), Imported: v.Imported, RestoredFrom: v.RestoredFrom, Reason: v.Reason,
	}
}

func (d versionDoc) version() (identity.Version, error) {
	c, err := identity.Parse(d.Identity)
	if err != nil {
		return identity.Version{}, fmt.Errorf("mongostore: read version %s: %w", d.ID, err)
	}
	v := d.unparsed()
	v.Content = c
	return v, nil
}

// unparsed is the version without its content.
func (d versionDoc) unparsed() identity.Version {
	return identity.Version{
		Number: d.Number, Text: d.Identity, Hash: d.Hash, SavedBy: d.SavedBy, SavedAt: mongodb.FromMillis(d.SavedAt),
		Imported: d.Imported, RestoredFrom: d.RestoredFrom, Reason: d.Reason,
	}
}

// Versions implements [ports.IdentityLog].
func (s *Identities) Versions(ctx context.Context, id agent.ID, before int64, limit int) (_ []identity.Version, err error) {
	defer s.db.observer.Begin(&ctx, "versions.list").End(&err)
	end := mongodb.After(string(id) + "/")
	if before > 0 {
		end = versionID(id, before)
	}
	return list(s.db.ask(ctx), versionsColl,
		bson.D{mongodb.Is("_id", bson.D{mongodb.Is("$gt", string(id)+"/"), mongodb.Is("$lt", end)})},
		versionDoc.version, first(limit, "-_id"))
}

// Version implements [ports.IdentityLog].
func (s *Identities) Version(ctx context.Context, id agent.ID, number int64) (_ identity.Version, err error) {
	defer s.db.observer.Begin(&ctx, "versions.get").End(&err)
	v, err := get(s.db.ask(ctx), versionsColl, mongodb.ByID(versionID(id, number)), versionDoc.version)
	if mongodb.IsMissing(err) {
		return v, identity.ErrVersionNotFound.With("agent %s has no version %d", id, number)
	}
	return v, err
}

// Content implements [ports.IdentityLog].
func (s *Identities) Content(ctx context.Context, id agent.ID, number int64) (_ identity.Stored, err error) {
	defer s.db.observer.Begin(&ctx, "versions.content").End(&err)
	if known, ok := s.db.contents.Get(string(id), number); ok {
		return known, nil
	}
	found, err := get(s.db.ask(ctx), versionsColl, mongodb.ByID(versionID(id, number)), versionDoc.stored)
	if mongodb.IsMissing(err) {
		return found, identity.ErrVersionNotFound.With("agent %s has no version %d", id, number)
	}
	if err == nil {
		s.db.contents.Put(string(id), number, found)
	}
	return found, err
}

func (d versionDoc) stored() (identity.Stored, error) {
	return identity.Stored{Text: d.Identity, Hash: d.Hash}, nil
}
