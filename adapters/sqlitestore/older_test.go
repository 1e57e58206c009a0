package sqlitestore

import (
	"testing"

	"orgd/domain/agent"
	"orgd/ports/portstest"
)

func TestStoredBeforeAField(t *testing.T) {
	db := openOrg(t, t.TempDir()).db
	db.fields = portstest.Older
	portstest.StoredBeforeAField(t, db.Stores(), func(id agent.ID, text, hash string) error {
		err := db.Write(t.Context(), func(tx *Tx) error {
			_, err := tx.Exec("UPDATE versions SET identity = ?, hash = ? WHERE agent_id = ?", text, hash, packID(id))
			return err
		})
		db.known = newRecords(maxRecords)
		return err
	})
}
