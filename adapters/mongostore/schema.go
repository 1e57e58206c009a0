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

// schemaVersion is what this program reads and writes.
const schemaVersion = 1

const schemaID = "schema"

type schemaDoc struct {
	ID      string `bson:"_id"`
	Version int    `bson:"version"`
	Oldest  int    `bson:"oldest"` // the oldest program that can use the database
}

var errSchema = errors.New("its schema does not fit this program")

// schema returns that of the database; its version is 0 if it was never migrated.
// Of one that is too new for this program the error is errSchema.
func (db *DB) schema(ctx context.Context) (schemaDoc, error) {
	d, err := one[schemaDoc](db.ask(ctx), metaColl, byID(schemaID))
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		return schemaDoc{}, nil
	case err == nil && d.Oldest > schemaVersion:
		err = fmt.Errorf("%w: programs older than %d cannot use it, this one knows %d", errSchema, d.Oldest, schemaVersion)
	}
	return d, err
}

func (db *DB) checkSchema(ctx context.Context) error {
	d, err := db.schema(ctx)
	switch {
	case err != nil:
		return err
	case d.Version == 0:
		return fmt.Errorf("%w: it has none; run orgd migrate", errSchema)
	case d.Version < schemaVersion:
		return fmt.Errorf("%w: it has version %d, this program needs %d; run orgd migrate", errSchema, d.Version, schemaVersion)
	}
	return nil
}

// Migrate makes what the store needs in the database that cfg names, and returns
// its version. It may run again, and on several replicas at once. The error is one
// line for the operator, as that of [DB.Check].
func Migrate(ctx context.Context, cfg Config, clock ports.Clock) (int, error) {
	db, closeDB, err := Open(cfg, clock)
	if err != nil {
		return 0, err
	}
	defer closeDB()
	return schemaVersion, db.explain(db.migrate(ctx))
}

func (db *DB) migrate(ctx context.Context) error {
	if err := db.checkServer(ctx); err != nil {
		return err
	}
	if _, err := db.schema(ctx); err != nil {
		return err
	}
	for coll, indexes := range indexes() {
		if len(indexes) == 0 {
			if err := db.data.CreateCollection(ctx, coll); err != nil && !hasCode(err, codeExists) {
				return translate(err)
			}
			continue
		}
		if _, err := db.coll(coll).Indexes().CreateMany(ctx, indexes); err != nil {
			return translate(fmt.Errorf("mongostore: index %s: %w", coll, err))
		}
	}
	return db.createSingletons(ctx)
}

const codeExists = 48

// createSingletons makes the documents that are always there.
func (db *DB) createSingletons(ctx context.Context) error {
	now, err := db.now(ctx)
	if err != nil {
		return err
	}
	c := company.Default(db.clock.Now())
	docs := []any{
		companyDoc{ID: companyID, Doc: string(c.Canonical()), Revision: c.Revision, Updated: millis(c.UpdatedAt)},
		positionDoc{ID: outboxID},
		logDoc{ID: logID, Begin: now},
		schemaDoc{ID: schemaID, Version: schemaVersion, Oldest: schemaVersion},
	}
	_, err = db.coll(metaColl).InsertMany(ctx, docs, options.InsertMany().SetOrdered(false))
	if mongo.IsDuplicateKeyError(err) { // those that are there stay
		return nil
	}
	return translate(err)
}

// indexes lists what each collection is read by, beside _id.
func indexes() map[string][]mongo.IndexModel {
	plain := func(keys ...bson.D) (list []mongo.IndexModel) {
		for _, k := range keys {
			list = append(list, mongo.IndexModel{Keys: k})
		}
		return list
	}
	unique := mongo.IndexModel{Keys: by("key"), Options: options.Index().SetUnique(true)}
	partial := func(field string, keys bson.D) mongo.IndexModel {
		return mongo.IndexModel{Keys: keys, Options: options.Index().SetPartialFilterExpression(bson.D{exists(field, true)})}
	}
	return map[string][]mongo.IndexModel{
		agentsColl: append(plain(by("order_key", "_id"), by("department", "order_key", "_id"), by("status", "order_key", "_id"),
			by("level", "order_key", "_id")), unique),
		deletedAgentsColl: nil, versionsColl: nil, headcountsColl: nil, rollupsColl: nil, metaColl: nil, webhooksColl: nil, replicasColl: nil,
		departmentsColl: plain(by("order_key", "_id", "share")),
		projectsColl:    plain(by("status", "_id"), by("lead", "_id")),
		eventsColl:      plain(by("type", "at", "_id"), by("agent", "type", "at", "_id")),
		auditColl:       plain(by("at", "_id"), by("actor", "at", "_id"), by("resource", "at", "_id")),
		idempotencyColl: plain(by("at")),
		locksColl:       plain(by("at")),
		sessionsColl: {
			partial("record.expires_at", by("-record.issued_at", "_id")),
			partial("record.expires_at", by("record.subject", "-record.issued_at", "_id")),
			partial("record.expires_at", by("record.expires_at")),
			partial("revocation.until", by("revocation.at")), partial("revocation.until", by("revocation.until")),
		},
		deliveriesColl: {
			{Keys: by("webhook", "created", "_id")}, {Keys: by("created")}, {Keys: by("webhook", "status", "ended")},
			partial("due", by("due")), partial("due", by("webhook", "due")),
		},
	}
}
