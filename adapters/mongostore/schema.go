package mongostore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/ports"
)

const (
	// schemaVersion is what this program reads and writes.
	schemaVersion = 7
	// oldestSchema is the oldest that this program migrates: that of release 0.9.0.
	oldestSchema = 7
	// oldestProgram is that of the oldest program that can use what this one writes.
	oldestProgram = 1
)

type schemaDoc struct {
	ID      string `bson:"_id"`
	Version int    `bson:"version"`
	Oldest  int    `bson:"oldest"` // the oldest program that can use the database
	// Incarnation is that of the database, "" if it was made by a program that knows none.
	Incarnation string `bson:"incarnation,omitempty"`
}

var errSchema = errors.New("its schema does not fit this program")

// schema returns that of the database; its version is 0 if it was never migrated.
// Of one that is too new for this program the error is errSchema.
func (db *DB) schema(ctx context.Context) (schemaDoc, error) {
	return db.schemaIn(ctx, bson.D{mongodb.In("_id", []string{schemaID})})
}

// schemaIn is [DB.schema] of the documents that filter finds. The error is
// ports.ErrRestoring if that of a restore is among them.
func (db *DB) schemaIn(ctx context.Context, filter bson.D) (d schemaDoc, err error) {
	docs, err := all[schemaDoc](db.ask(ctx), metaColl, filter)
	for _, found := range docs {
		if found.ID == restoringID {
			return d, ports.ErrRestoring
		}
		d = found
		db.incarnation.Store(&d.Incarnation)
	}
	if d.Oldest > schemaVersion {
		err = fmt.Errorf("%w: programs older than %d cannot use it, this one knows %d", errSchema, d.Oldest, schemaVersion)
	}
	return d, err
}

func (db *DB) checkSchema(ctx context.Context) error {
	d, err := db.schemaIn(ctx, bson.D{mongodb.In("_id", []string{schemaID, restoringID})})
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
	d, err := db.schema(ctx)
	if err != nil {
		return err
	}
	if d.Version != 0 && d.Version < oldestSchema {
		return fmt.Errorf("%w: it has version %d and this program migrates from version %d on; migrate it with orgd 0.9.0 first", errSchema, d.Version, oldestSchema)
	}
	if err := db.createIndexes(ctx); err != nil {
		return err
	}
	return db.createSingletons(ctx)
}

// createIndexes makes the collections, and their indexes, that are missing.
func (db *DB) createIndexes(ctx context.Context) error {
	for coll, indexes := range indexes() {
		if len(indexes) == 0 {
			if err := db.data.CreateCollection(ctx, coll); err != nil && !mongodb.HasCode(err, codeExists) {
				return mongodb.Translate(err)
			}
			continue
		}
		if _, err := db.coll(coll).Indexes().CreateMany(ctx, indexes); err != nil {
			return mongodb.Translate(fmt.Errorf("mongostore: index %s: %w", coll, err))
		}
	}
	return nil
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
		companyDoc{ID: companyID, Doc: string(c.Canonical()), Revision: c.Revision, Updated: mongodb.Millis(c.UpdatedAt)},
		positionDoc{ID: outboxID},
		logDoc{ID: logID, Begin: now},
		schemaDoc{ID: schemaID, Version: schemaVersion, Oldest: oldestProgram, Incarnation: rand.Text()},
	}
	_, err = db.coll(metaColl).InsertMany(ctx, docs, options.InsertMany().SetOrdered(false))
	if err != nil && !mongo.IsDuplicateKeyError(err) { // those that are there stay
		return mongodb.Translate(err)
	}
	return db.raiseSchema(ctx)
}

// raiseSchema says that the database has what this program needs.
func (db *DB) raiseSchema(ctx context.Context) error {
	raised := bson.D{mongodb.Is("$max", bson.D{mongodb.Is("version", schemaVersion), mongodb.Is("oldest", oldestProgram)})}
	_, err := db.coll(metaColl).UpdateByID(ctx, schemaID, raised)
	return mongodb.Translate(err)
}

// indexes lists what each collection is read by, beside _id. They are built from
// texts, since as literals they were 27 kB of the program.
func indexes() map[string][]mongo.IndexModel {
	plain := func(keys ...string) (list []mongo.IndexModel) {
		for _, k := range keys {
			list = append(list, mongo.IndexModel{Keys: mongodb.By(strings.Fields(k)...)})
		}
		return list
	}
	partial := func(field string, keys ...string) []mongo.IndexModel {
		list := plain(keys...)
		for i := range list {
			list[i].Options = options.Index().SetPartialFilterExpression(bson.D{mongodb.Exists(field, true)})
		}
		return list
	}
	unique := mongo.IndexModel{Keys: mongodb.By("key"), Options: options.Index().SetUnique(true)}
	others := plain("at _id resource")[0] // all but reports
	others.Options = options.Index().SetPartialFilterExpression(bson.D{mongodb.Compare("resource", "$gt", string(audit.Activities))})
	return map[string][]mongo.IndexModel{
		agentsColl: slices.Concat(
			plain("order_key _id", "department order_key _id", "status order_key _id", "level order_key _id"), []mongo.IndexModel{unique},
			partial("label_names", "label_names order_key _id"), partial("owner", "owner order_key _id"), partial("tags", "tags order_key _id")),
		labelMovesColl:    plain("of to"),
		deletedAgentsColl: plain("deleted _id"),
		purgedAgentsColl:  nil, versionsColl: nil, headcountsColl: nil, metaColl: nil, replicasColl: nil, reordersColl: nil,
		departmentsColl: plain("order_key _id share"),
		projectsColl:    plain("status _id", "lead _id"),
		rollupsColl:     append(plain("date _id"), partial("late", "late _id")...),
		eventsColl:      plain("type at _id", "agent type at _id", "entered"),
		webhooksColl:    plain("_id revision"),
		auditColl:       append(plain("at _id", "actor at _id", "resource at _id"), append(partial("change", "entered", "at _id actor action department"), others)...),
		idempotencyColl: plain("at"),
		locksColl:       plain("at"),
		sessionsColl: append(
			partial("record.expires_at", "-record.issued_at _id", "record.subject -record.issued_at _id", "record.expires_at"),
			partial("revocation.until", "revocation.at", "revocation.until")...),
		linksColl:      plain("maker -made_at", "expires_at"),
		deliveriesColl: append(plain("webhook created _id", "created", "webhook status ended"), partial("due", "due", "webhook due")...),
	}
}
