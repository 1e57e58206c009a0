package orgd

import (
	"testing"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore"
	"orgd/adapters/telemetry"
	"orgd/ports/portstest"
)

// Measuring a store takes nothing from its promises. Some suites stand for all:
// they use every kind of method.
func TestMeasuredStoresKeepTheirPromises(t *testing.T) {
	open := func(t *testing.T) portstest.Stores {
		cfg := sqlitestore.Default()
		cfg.Dir = t.TempDir()
		db, closeDB, err := sqlitestore.Open(t.Context(), cfg, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(closeDB)
		return telemetry.NewMetrics("v", "c").Measured(db.Stores(), nil)
	}
	portstest.AgentStore(t, open)
	portstest.EventStream(t, open)
	portstest.WebhookStore(t, open)
	portstest.Outbox(t, open)
}
