package mongostore

import (
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/ports"
)

// everything is an expiry of all kinds of records.
func everything() ports.Expiry {
	at := now().AddDate(1, 0, 0)
	return ports.Expiry{Now: at, Events: at, Audit: at, Deliveries: at, Idempotency: at}
}

// TestForgetGoesOn: one kind that cannot be removed does not keep the others.
func TestForgetGoesOn(t *testing.T) {
	o := newOffice(t)
	_, err := o.db.coll(locksColl).InsertOne(t.Context(), bson.D{mongodb.Is("_id", 7), mongodb.Is("at", int64(1))}) // its id is no text
	o.must(err)
	r := newRecord(1)
	o.must(o.db.write(t.Context(), func(t *tx) error { t.addIdempotencyRecord(r); return nil }))
	if _, err := o.Storage.DeleteExpired(t.Context(), everything()); err == nil {
		t.Error("Forget says nothing of the lock that it cannot read")
	}
	if n, err := o.db.coll(idempotencyColl).CountDocuments(t.Context(), bson.D{}); n != 0 || err != nil {
		t.Errorf("%d idempotency records are left, %v", n, err)
	}
}

// TestForgetFollowsIndexes: what is removed is found along an index, so that
// removing takes no longer when there is much that stays.
func TestForgetFollowsIndexes(t *testing.T) {
	for coll, filter := range outdated(everything(), time.Time{}) {
		asked := func(field string) bool {
			return slices.ContainsFunc(filter, func(e bson.E) bool { return e.Key == field })
		}
		found := asked("_id")
		for _, index := range indexes()[coll] {
			found = found || asked(index.Keys.(bson.D)[0].Key)
		}
		if !found {
			t.Errorf("no index of %s is for %v", coll, filter)
		}
	}
}

// TestTagsReadNoWebhooks: a dispatcher asks for them every second, however large
// webhooks are.
func TestTagsReadNoWebhooks(t *testing.T) {
	o := newOffice(t)
	for i := range 3 {
		_, err := o.db.coll(webhooksColl).InsertOne(t.Context(), webhookDoc{ID: string(rune('a' + i)), Revision: 1})
		o.must(err)
	}
	filter, order := tagsQuery()
	var explained struct {
		ExecutionStats struct {
			NReturned         int `bson:"nReturned"`
			TotalDocsExamined int `bson:"totalDocsExamined"`
		} `bson:"executionStats"`
	}
	find := bson.D{mongodb.Is("find", webhooksColl), mongodb.Is("filter", filter), mongodb.Is("sort", order), mongodb.Is("projection", order)}
	o.must(o.db.data.RunCommand(t.Context(), bson.D{mongodb.Is("explain", find)}).Decode(&explained))
	if got := explained.ExecutionStats; got.NReturned != 3 || got.TotalDocsExamined != 0 {
		t.Errorf("%d tags were returned and %d webhooks read, want 3 and 0", got.NReturned, got.TotalDocsExamined)
	}
}
