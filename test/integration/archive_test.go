package integration

import (
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/mongostore"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/ports/portstest"
)

// TestArchiveBetweenStorages restores archives of each kind of storage into the other one.
func TestArchiveBetweenStorages(t *testing.T) {
	needServers(t)
	t.Run("SQLiteToMongoDB", func(t *testing.T) { portstest.Archive(t, embeddedStores, sharedStores) })
	t.Run("MongoDBToSQLite", func(t *testing.T) { portstest.Archive(t, sharedStores, embeddedStores) })
}

func embeddedStores(t *testing.T) portstest.Stores {
	cfg := sqlitestore.Default()
	cfg.Dir = t.TempDir()
	db, closeDB, err := sqlitestore.Open(t.Context(), cfg, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeDB)
	return db.Stores()
}

func sharedStores(t *testing.T) portstest.Stores {
	cfg := mongostore.Default()
	cfg.URI, cfg.Database, cfg.OperationTimeout = mongoURI, takeDatabase(t), patientTimeout
	db, closeDB, err := mongostore.Open(cfg, system.Clock{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeDB)
	return db.Stores()
}

// patientTimeout is for a machine that is busy with other tests.
const patientTimeout = 10 * time.Second
