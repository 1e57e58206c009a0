package mongostore

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/ports/portstest"
)

func TestStoredBeforeAField(t *testing.T) {
	db := openTest(t)
	db.fields = portstest.Older
	portstest.StoredBeforeAField(t, db.Stores(), func(id agent.ID, text, hash string) error {
		_, err := db.coll(agentsColl).UpdateByID(t.Context(), string(id), bson.D{mongodb.Is("$set", bson.D{mongodb.Is("identity", text)})})
		if err == nil {
			_, err = db.coll(versionsColl).UpdateByID(t.Context(), versionID(id, 1), bson.D{mongodb.Is("$set", bson.D{mongodb.Is("identity", text), mongodb.Is("hash", hash)})})
		}
		return err
	})
}
