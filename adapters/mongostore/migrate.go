package mongostore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/ports"
)

const (
	// schemaVersion is what this program reads and writes. It goes up with every
	// change of collections or indexes.
	schemaVersion = 2
	// oldestProgram is the schema version of the oldest program that can use a
	// database of schemaVersion. While it stays behind, replicas of the release
	// before go on serving after a migration, so an upgrade stops nobody.
	oldestProgram = 2
)

const schemaID = "schema"

type schemaDoc struct {
	ID      string `bson:"_id"`
	Version int    `bson:"version"`
	Oldest  int    `bson:"oldest"` // oldestProgram of who migrated
}

// usable returns an error that is errSchema if this program is too old for the
// database.
func (d schemaDoc) usable() error {
	if d.Oldest > schemaVersion {
		return fmt.Errorf("%w: it has version %d, which programs older than %d cannot use, and this one knows %d",
			errSchema, d.Version, d.Oldest, schemaVersion)
	}
	return nil
}

// errSchema is a database that this program cannot use.
var errSchema = errors.New("its schema does not fit this program")

// Migrate makes what the store needs in the database that cfg names: indexes,
// the company and the schema version. It may run again, and on several replicas
// at once. A database that a newer release has migrated stays as it is. The
// error is one line for the operator, as that of [DB.Check]. It returns the
// version that the database has now.
func Migrate(ctx context.Context, cfg Config, clock ports.Clock) (version int, err error) {
	db, closeDB, err := Open(cfg, clock)
	if err != nil {
		return 0, err
	}
	defer closeDB()
	if err := db.migrate(ctx); err != nil {
		return 0, db.explain(err)
	}
	found, err := db.schema(ctx)
	return found.Version, db.explain(err)
}

func (db *DB) migrate(ctx context.Context) error {
	found, err := db.schema(ctx)
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
		return err
	}
	if err := found.usable(); err != nil || found.Version > schemaVersion {
		return err
	}
	for coll, keys := range indexes() {
		if err := db.index(ctx, coll, keys); err != nil {
			return err
		}
	}
	if err := db.found(ctx); err != nil {
		return err
	}
	if found.Version == 1 {
		if err := db.disownNames(ctx); err != nil {
			return err
		}
	}
	if err := db.nameSeats(ctx); err != nil {
		return err
	}
	if err := db.ensure(ctx, metaColl, schemaDoc{schemaID, schemaVersion, oldestProgram}); err != nil {
		return err
	}
	_, err = db.update(ctx, metaColl, bson.D{is("_id", schemaID), is("version", bson.D{is("$lt", schemaVersion)})},
		set(is("version", schemaVersion), is("oldest", oldestProgram)))
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

// disownNames gives figures of departments to the ids of these. In schema 1 they
// belonged to names, which other departments may get later. A second try does
// what the first one has left.
func (db *DB) disownNames(ctx context.Context) error {
	if err := db.settleAll(ctx, owes(), 0); err != nil { // batches that owe figures to names
		return err
	}
	var c companyDoc
	if err := db.find(ctx, db.coll(companyColl), byKey(companyID), nil, &c); err != nil {
		return err
	}
	for _, s := range c.Seats {
		of := departmentOwner(s.Key) + "\n"
		named := bson.D{is("_id", bson.D{is("$gte", of), is("$lt", after(of))})}
		var days []dayDoc
		if err := db.all(ctx, db.coll(daysColl), named, &days); err != nil {
			return err
		}
		for i, d := range days {
			days[i].ID = departmentOwner(s.ID) + "\n" + strings.TrimPrefix(d.ID, of)
		}
		if err := insertAll(ctx, db, daysColl, days); err != nil {
			return err
		}
		if _, err := db.remove(ctx, daysColl, named); err != nil {
			return err
		}
	}
	return nil
}

// nameSeats writes the names of departments into seats of releases that left them
// out. Without that, who comes into such a department has to read it.
func (db *DB) nameSeats(ctx context.Context) error {
	c, err := db.company(ctx)
	if err != nil {
		return err
	}
	for _, s := range c.Seats {
		if s.Name != "" {
			continue
		}
		as, err := db.nameAt(ctx, s)
		if errors.Is(err, department.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		filter := bson.D{is("_id", companyID), is("seats", bson.D{is("$elemMatch", bson.D{is("key", s.Key), is("id", s.ID)})})}
		change := bson.D{is("$set", bson.D{is("seats.$.name", as.Text)}), is("$inc", bson.D{is("rev", 1)})}
		if _, err := db.update(ctx, companyColl, filter, change); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) schema(ctx context.Context) (found schemaDoc, err error) {
	return found, db.find(ctx, db.coll(metaColl), byKey(schemaID), nil, &found)
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
		webhooksColl: {due},
		deliveriesColl: {
			by("due"), by("webhook", "due"), by("webhook", "created", "_id"), by("webhook", "status", "ended"), by("created"),
		},
		intentsColl:  {by("department"), by("at")},
		receiptsColl: {by("at")},
		claimsColl:   {by("at")},
		eventsColl: {
			by("at", "_id"), by("type", "at", "_id"), by("agent", "at", "_id"), by("agent", "type", "at", "_id"), by("open"), by("line", "nth"),
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

// sparse are the indexes, by the names of their fields, over what few documents
// have at a time.
var sparse = map[string]bool{"pending.at": true, "open": true, "department": true, "line nth": true, "due": true}

func namesOf(keys bson.D) string {
	var names []string
	for _, k := range keys {
		names = append(names, k.Key)
	}
	return strings.Join(names, " ")
}

// index makes the indexes of a collection. Building one takes as long as the
// collection is large, so it has the time that ctx has.
func (db *DB) index(ctx context.Context, coll string, keys []bson.D) error {
	var models []mongo.IndexModel
	for _, k := range keys {
		models = append(models, mongo.IndexModel{
			Keys: k, Options: options.Index().SetSparse(sparse[namesOf(k)]),
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
