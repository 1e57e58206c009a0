package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/company"
	"orgd/ports"
)

// schemaVersion is what this program reads and writes. It goes up with every
// change that older programs must not meet.
const schemaVersion = 1

const schemaID = "schema"

type schemaDoc struct {
	ID      string `bson:"_id"`
	Version int    `bson:"version"`
}

// errSchema is a database that another version of the program prepared.
var errSchema = errors.New("mongostore: the database has another schema version than this program")

// Migrate makes what the store needs in the database that cfg names: indexes,
// the company and the schema version. It may run again, and on several replicas
// at once. It returns ports.ErrUnavailable if a newer program has prepared the
// database, or if the server cannot be reached.
func Migrate(ctx context.Context, cfg Config, clock ports.Clock) error {
	db, closeDB, err := Open(cfg, clock)
	if err != nil {
		return err
	}
	defer closeDB()
	return db.migrate(ctx)
}

func (db *DB) migrate(ctx context.Context) error {
	found, err := db.schema(ctx)
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
		return err
	}
	if found > schemaVersion {
		return unavailable(fmt.Errorf("%w: %d, want %d", errSchema, found, schemaVersion))
	}
	for coll, keys := range indexes() {
		if err := db.index(ctx, coll, keys); err != nil {
			return err
		}
	}
	if err := db.found(ctx); err != nil {
		return err
	}
	if err := db.ensure(ctx, metaColl, schemaDoc{schemaID, schemaVersion}); err != nil {
		return err
	}
	_, err = db.update(ctx, metaColl, bson.D{is("_id", schemaID), is("version", bson.D{is("$lt", schemaVersion)})},
		bson.D{is("$set", bson.D{is("version", schemaVersion)})})
	return err
}

// found makes the company unless it is there.
func (db *DB) found(ctx context.Context) error {
	c := company.Default(db.clock.Now())
	return db.ensure(ctx, companyColl, companyDoc{
		Head: head{ID: companyID, Rev: 1, Op: newToken(), Pending: []debt{}},
		Doc:  string(c.Canonical()), Revision: c.Revision, Updated: millis(c.UpdatedAt),
		Seats: []seat{}, Costing: []string{},
	})
}

func (db *DB) schema(ctx context.Context) (int, error) {
	var found schemaDoc
	err := db.find(ctx, db.coll(metaColl), byKey(schemaID), nil, &found)
	return found.Version, err
}

// indexes lists what each collection is read by, beside _id. None is unique.
func indexes() map[string][]bson.D {
	due := by("pending.at")
	return map[string][]bson.D{
		agentsColl: {
			due, by("key"), by("place", "_id"), by("department", "place", "_id"), by("department", "status"),
			by("status", "place", "_id"), by("level", "place", "_id"),
		},
		companyColl:  {},
		projectsColl: {due, by("status", "_id"), by("lead", "_id")},
		sessionsColl: {
			due, by("-record.issued_at", "_id"), by("record.subject", "-record.issued_at", "_id"),
			by("record.expires_at"), by("revocation.at"), by("revocation.until"),
		},
		batchesColl:  {due},
		intentsColl:  {by("department"), by("at")},
		receiptsColl: {by("at")},
		claimsColl:   {by("at")},
		eventsColl: {
			by("at", "_id"), by("type", "at", "_id"), by("agent", "at", "_id"), by("agent", "type", "at", "_id"), by("open"),
		},
		auditColl: {by("at", "_id"), by("actor", "at", "_id"), by("resource", "at", "_id")},
	}
}

// by is an index over fields, ascending unless marked with "-".
func by(names ...string) bson.D {
	var keys bson.D
	for _, n := range names {
		if n[0] == '-' {
			keys = append(keys, is(n[1:], -1))
		} else {
			keys = append(keys, is(n, 1))
		}
	}
	return keys
}

// sparse are fields that few documents have at a time.
var sparse = map[string]bool{"pending.at": true, "open": true, "department": true}

// index makes the indexes of a collection. Building one takes as long as the
// collection is large, so it has the time that ctx has.
func (db *DB) index(ctx context.Context, coll string, keys []bson.D) error {
	var models []mongo.IndexModel
	for _, k := range keys {
		models = append(models, mongo.IndexModel{
			Keys: k, Options: options.Index().SetSparse(len(k) == 1 && sparse[k[0].Key]),
		})
	}
	if len(models) == 0 {
		return nil
	}
	if _, err := db.coll(coll).Indexes().CreateMany(ctx, models); err != nil {
		return translate(fmt.Errorf("mongostore: index %s: %w", coll, err))
	}
	return nil
}
