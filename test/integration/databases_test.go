package integration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/test/process"
)

// emptied are databases that no service uses and that are as new ones. To make one
// takes ten times as long as to empty it.
var emptied = make(chan *database, 100)

type database struct {
	name    string
	initial map[string][]any // the documents of a new one, by collection
}

// takeDatabase returns the name of a database with nothing in it. It can be used
// by others when the test has ended.
func takeDatabase(t *testing.T) string {
	t.Helper()
	var db *database
	select {
	case db = <-emptied:
	default:
		db = &database{"orgd_test_" + bson.NewObjectID().Hex(), map[string][]any{}}
		args := append([]string{"migrate", "--storage", "mongodb", "--mongo-uri", mongoURI, "--mongo-database", db.name}, process.PatientStorage()...)
		if _, err := process.Run(t.Context(), binary, args...); err != nil {
			t.Fatal(err)
		}
		if err := onDatabase(db.name, db.read); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := onDatabase(db.name, db.empty); err != nil {
			t.Errorf("empty the database: %v", err)
		}
		emptied <- db // also to be dropped
	})
	return db.name
}

// read reads the documents of a new database.
func (d *database) read(ctx context.Context, db *mongo.Database) error {
	names, err := db.ListCollectionNames(ctx, bson.D{})
	for _, name := range names {
		cursor, problem := db.Collection(name).Find(ctx, bson.D{})
		if problem != nil {
			return problem
		}
		var all []any
		err = errors.Join(err, cursor.All(ctx, &all))
		d.initial[name] = all
	}
	return err
}

// empty makes the database as it was when it was new.
func (d *database) empty(ctx context.Context, db *mongo.Database) error {
	for name, initial := range d.initial {
		if _, err := db.Collection(name).DeleteMany(ctx, bson.D{}); err != nil {
			return err
		}
		if len(initial) > 0 {
			if _, err := db.Collection(name).InsertMany(ctx, initial); err != nil {
				return err
			}
		}
	}
	return nil
}

// onDatabase calls do with a database.
func onDatabase(name string, do func(context.Context, *mongo.Database) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := mongo.Connect(options.Client().ApplyURI(mongoURI))
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, client.Database(name)), client.Disconnect(ctx))
}

// dropping are tests after which the databases are dropped.
type dropping struct{ tests *testing.M }

func (d dropping) Run() int {
	code := d.tests.Run()
	for len(emptied) > 0 {
		if err := onDatabase((<-emptied).name, func(ctx context.Context, db *mongo.Database) error { return db.Drop(ctx) }); err != nil {
			fmt.Fprintln(os.Stderr, "drop a database:", err)
			code = max(code, 1)
		}
	}
	return code
}
