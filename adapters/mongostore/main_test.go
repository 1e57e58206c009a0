package mongostore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.uber.org/goleak"

	"orgd/adapters/system"
	"orgd/ports/portstest"
)

func TestMain(m *testing.M) {
	// Tests wait for the servers most of the time: more at once than there are processors.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := dropDatabases(); err != nil {
			fmt.Fprintln(os.Stderr, "Drop =", err)
		}
		os.Exit(code)
	}))
}

func dropDatabases() error {
	if len(databases.free) == 0 {
		return nil
	}
	client, err := mongo.Connect(options.Client().ApplyURI(os.Getenv(uriVariable)))
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range databases.free {
		errs = append(errs, client.Database(name).Drop(context.Background()))
	}
	return errors.Join(errs...)
}

// uriVariable names the server that the tests use.
const uriVariable = "ORGD_TEST_MONGO_URI"

// testConfig is the configuration of a database that is not there yet.
func testConfig(t testing.TB) Config {
	t.Helper()
	uri := os.Getenv(uriVariable)
	if uri == "" {
		t.Skipf("%s is not set", uriVariable)
	}
	cfg := Default()
	cfg.URI = uri
	cfg.Database = "orgd_test_" + bson.NewObjectID().Hex()
	return cfg
}

// databases are those that were made and that no test uses. To make one takes ten
// times as long as to empty it.
var databases struct {
	mu   sync.Mutex
	free []string
}

// long is set for runs on a machine that does nothing else, where bounds on time are
// those that clients are promised.
var long = os.Getenv("ORGD_LONG") == "1"

// unhurried is the time that operations have in tests of something else: the machine
// may be busy with other tests.
const unhurried = maxTimeout

// openTest opens an empty store.
func openTest(t testing.TB) *DB {
	t.Helper()
	cfg, ready := testConfig(t), false
	databases.mu.Lock()
	if n := len(databases.free); n > 0 {
		cfg.Database, databases.free, ready = databases.free[n-1], databases.free[:n-1], true
	}
	databases.mu.Unlock()
	db := openConfig(t, cfg)
	prepare := db.migrate
	if ready {
		prepare = db.empty
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := prepare(ctx); err != nil {
		t.Fatal(err)
	}
	return db
}

// openConfig opens the store that cfg names, until the test ends. Afterwards other
// tests use its database.
func openConfig(t testing.TB, cfg Config) *DB {
	t.Helper()
	cfg.OperationTimeout = unhurried
	db, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(func() {
		closeDB()
		databases.mu.Lock()
		defer databases.mu.Unlock()
		databases.free = append(databases.free, cfg.Database)
	})
	return db
}

// replica opens the database once more, as another process does.
func (db *DB) replica(t testing.TB) *DB {
	t.Helper()
	cfg := testConfig(t)
	cfg.Database, cfg.OperationTimeout = db.data.Name(), unhurried
	other, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(closeDB)
	return other
}

// empty makes of a database what a migration makes of a new one.
func (db *DB) empty(ctx context.Context) error {
	fast := options.Collection().SetWriteConcern(writeconcern.W1())
	for coll := range indexes() {
		if _, err := db.data.Collection(coll, fast).DeleteMany(ctx, bson.D{}); err != nil {
			return err
		}
	}
	return db.createSingletons(ctx)
}

func TestPorts(t *testing.T) {
	t.Parallel()
	portstest.All(t, func(t *testing.T) portstest.Stores { return openTest(t).Stores() })
}

func TestMigrateTwice(t *testing.T) {
	db := openTest(t)
	start := time.Now()
	if err := db.migrate(t.Context()); err != nil {
		t.Errorf("second Migrate = %v", err)
	}
	fmt.Fprintln(t.Output(), "second migration:", time.Since(start))
}
