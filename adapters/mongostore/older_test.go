package mongostore

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/agent"
	"orgd/ports/portstest"
)

func TestStoredBeforeAField(t *testing.T) {
	db := openTest(t)
	db.fields = portstest.Older
	portstest.StoredBeforeAField(t, db.Stores(), func(id agent.ID, text, hash string) error {
		_, err := db.coll(agentsColl).UpdateByID(t.Context(), string(id), bson.D{is("$set", bson.D{is("identity", text)})})
		if err == nil {
			_, err = db.coll(versionsColl).UpdateByID(t.Context(), versionID(id, 1), bson.D{is("$set", bson.D{is("identity", text), is("hash", hash)})})
		}
		return err
	})
}
