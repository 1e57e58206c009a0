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

// openTest opens an empty store.
func openTest(t testing.TB) *DB {
	t.Helper()
	cfg := testConfig(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := Migrate(ctx, cfg, system.Clock{}); err != nil {
		t.Fatalf("Migrate = %v", err)
	}
	db, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
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
		Agents: NewAgents(db), Identities: NewIdentities(db), Activities: NewActivities(db), Measures: NewMeasures(db),
		Departments: NewDepartments(db), Company: NewCompany(db), Projects: NewProjects(db), Audit: NewAudit(db),
		Receipts: NewReceipts(db), Sessions: NewSessions(db), Storage: NewStorage(db),
	}
}

func TestPorts(t *testing.T) {
	portstest.All(t, func(t *testing.T) portstest.Stores { return storesOf(openTest(t)) })
}

func TestMigrateTwice(t *testing.T) {
	db := openTest(t)
	start := time.Now()
	if err := db.migrate(t.Context()); err != nil {
		t.Errorf("second Migrate = %v", err)
	}
	fmt.Fprintln(t.Output(), "second migration:", time.Since(start))
}
