package sqlitestore

import (
	"testing"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/ports/portstest"
)

func TestStoredBeforeAField(t *testing.T) {
	db := openOrg(t, t.TempDir()).db
	db.fields = portstest.Older
	portstest.StoredBeforeAField(t, db.Stores(), func(id agent.ID, text, hash string) error {
		err := db.Write(t.Context(), func(tx *engine.Tx) error {
			_, err := tx.Exec("UPDATE versions SET identity = ?, hash = ? WHERE agent_id = ?", text, hash, sqlite.PackID(id))
			return err
		})
		db.Records = memory.NewRecords(memory.MaxRecords)
		return err
	})
}
