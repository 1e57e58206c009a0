package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/name"
)

// departmentDoc is what a department says of itself. Whether it exists, and
// where, is said by its seat.
type departmentDoc struct {
	Key      string `bson:"_id"`
	ID       string `bson:"id"`
	Name     string `bson:"name"`
	Doc      string `bson:"doc"`
	Revision int64  `bson:"revision"`
	Created  int64  `bson:"created"`
	Updated  int64  `bson:"updated"`
	// Rev is that of the company when the document was written: it never goes
	// down.
	Rev int64 `bson:"rev"`
}

// dissolved is a department that is no more.
type dissolved struct {
	Key string `bson:"key"`
	ID  string `bson:"id"`
}

// departmentOf is the document of a department that the next write of the
// company decides.
func departmentOf(d department.Department, before companyDoc) *departmentDoc {
	return &departmentDoc{
		Key: string(d.Name.Key), ID: d.ID, Name: d.Name.Text, Doc: string(d.Canonical()), Revision: d.Revision,
		Created: millis(d.CreatedAt), Updated: millis(d.UpdatedAt), Rev: before.Head.Rev + 1,
	}
}

func (d departmentDoc) department(at seat) (department.Department, error) {
	found, err := department.Parse([]byte(d.Doc))
	if err != nil {
		return department.Department{}, fmt.Errorf("mongostore: read department %q: %w", d.Key, err)
	}
	found.ID, found.Name = d.ID, name.Name{Text: d.Name, Key: name.Key(d.Key)}
	found.Place, found.Revision = company.Place(at.Place), d.Revision
	found.CreatedAt, found.UpdatedAt = fromMillis(d.Created), fromMillis(d.Updated)
	return found, nil
}

// putDepartment writes the document of a department unless a later one is
// there.
func (db *DB) putDepartment(ctx context.Context, d *departmentDoc) error {
	stored, err := db.insert(ctx, departmentsColl, d)
	if stored || err != nil {
		return err
	}
	_, err = db.update(ctx, departmentsColl, bson.D{is("_id", d.Key), is("rev", bson.D{is("$lt", d.Rev)})},
		set(is("id", d.ID), is("name", d.Name), is("doc", d.Doc), is("revision", d.Revision),
			is("created", d.Created), is("updated", d.Updated), is("rev", d.Rev)))
	return err
}

// dropDepartment removes the document of a department that is no more.
func (db *DB) dropDepartment(ctx context.Context, d dissolved) error {
	_, err := db.remove(ctx, departmentsColl, bson.D{is("_id", d.Key), is("id", d.ID)})
	return err
}

// departmentAt reads the department of a seat. It returns
// department.ErrNotFound if it has gone since the seat was read.
func (db *DB) departmentAt(ctx context.Context, at seat) (department.Department, error) {
	var d departmentDoc
	err := db.find(ctx, db.coll(departmentsColl), bson.D{is("_id", at.Key), is("id", at.ID)}, nil, &d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return department.Department{}, noDepartment(name.Key(at.Key))
	}
	if err != nil {
		return department.Department{}, err
	}
	return d.department(at)
}

func noDepartment(key name.Key) error {
	return department.ErrNotFound.With("department %q not found", key)
}

// departmentsAt reads the departments of some seats, in their order. One that
// has gone since is left out.
func (db *DB) departmentsAt(ctx context.Context, seats []seat) ([]department.Department, error) {
	keys := make([]string, len(seats))
	for i, s := range seats {
		keys[i] = s.Key
	}
	var docs []departmentDoc
	if err := db.all(ctx, db.coll(departmentsColl), bson.D{in("_id", keys)}, &docs); err != nil {
		return nil, err
	}
	byKey := make(map[string]departmentDoc, len(docs))
	for _, d := range docs {
		byKey[d.Key] = d
	}
	var found []department.Department
	for _, s := range seats {
		doc, ok := byKey[s.Key]
		if !ok || doc.ID != s.ID {
			continue
		}
		d, err := doc.department(s)
		if err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	return found, nil
}
