package mongostore

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/goleak"

	"orgd/adapters/system"
	"orgd/ports/portstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// uriVariable names the server that the tests use.
const uriVariable = "ORGD_TEST_MONGO_URI"

// testConfig is the configuration of an empty database that goes with the test.
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

// unhurried is the time that operations have in tests of something else: the machine
// may be busy with other tests.
const unhurried = 20 * time.Second

// openTest opens an empty store.
func openTest(t testing.TB) *DB {
	t.Helper()
	cfg := testConfig(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := Migrate(ctx, cfg, system.Clock{}); err != nil {
		t.Fatalf("Migrate = %v", err)
	}
	db, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	db.timeout = unhurried
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		db.later.wait(ctx)
		if err := db.data.Drop(ctx); err != nil {
			t.Errorf("Drop = %v", err)
		}
		closeDB()
	})
	return db
}

// storesOf are the ports of a store.
func storesOf(db *DB) portstest.Stores {
	return portstest.Stores{
		Agents: NewAgents(db), Identities: NewIdentities(db), Activities: NewActivities(db), Stream: NewStream(db), Measures: NewMeasures(db),
		Departments: NewDepartments(db), Company: NewCompany(db), Projects: NewProjects(db), Audit: NewAudit(db),
		Receipts: NewReceipts(db), Sessions: NewSessions(db),
		Webhooks: NewWebhooks(db), Outbox: NewOutbox(db), Storage: NewStorage(db),
	}
}

func TestPorts(t *testing.T) {
	portstest.All(t, func(t *testing.T) portstest.Stores {
		db := openTest(t)
		keepSequencing(t, db)
		return storesOf(db)
	})
}

// keepSequencing does what a process does beside requests for the log, until
// the test ends.
func keepSequencing(t testing.TB, db *DB) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if err := db.Sequence(ctx); err != nil && ctx.Err() == nil {
				t.Errorf("Sequence = %v", err)
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
}

func TestMigrateTwice(t *testing.T) {
	db := openTest(t)
	start := time.Now()
	if err := db.migrate(t.Context()); err != nil {
		t.Errorf("second Migrate = %v", err)
	}
	fmt.Fprintln(t.Output(), "second migration:", time.Since(start))
}
