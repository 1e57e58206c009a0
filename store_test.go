package orgd

import (
	"testing"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore"
	"orgd/adapters/telemetry"
	"orgd/ports"
	"orgd/ports/portstest"
)

// Measuring a store takes nothing from its promises. The agents' suite stands
// for all: it uses every kind of method.
func TestMeasuredStoresKeepTheirPromises(t *testing.T) {
	portstest.AgentStore(t, func(t *testing.T) portstest.Stores {
		cfg := sqlitestore.Default()
		cfg.Dir = t.TempDir()
		db, closeDB, err := sqlitestore.Open(t.Context(), cfg, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(closeDB)
		return ports.Stores(measuredStores(telemetry.NewMetrics("v", "c"), sqliteStores(db)))
	})
}
