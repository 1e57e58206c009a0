package mongostore

import (
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/ports"
)

// everything is an expiry of all kinds of records.
func everything() ports.Expiry {
	at := epoch.AddDate(1, 0, 0)
	return ports.Expiry{Now: at, Events: at, Audit: at, Deliveries: at, Receipts: at}
}

// TestForgetGoesOn: one kind that cannot be removed does not keep the others.
func TestForgetGoesOn(t *testing.T) {
	o := newOffice(t)
	o.clock.advance(2 * deadAge)
	_, err := o.db.insert(t.Context(), claimsColl, bson.D{is("_id", 7), is("at", int64(1))}) // nobody's here
	o.must(err)
	r := o.receipt()
	o.must(o.db.leaveReceipt(t.Context(), r))
	if _, err := o.Storage.Forget(t.Context(), everything()); err == nil {
		t.Error("Forget says nothing of the claim that it cannot read")
	}
	if n := o.count(receiptsColl, bson.D{}); n != 0 {
		t.Errorf("%d receipts are left", n)
	}
}

// TestForgetFollowsIndexes: what is removed is found along an index, so that
// removing takes no longer when there is much that stays.
func TestForgetFollowsIndexes(t *testing.T) {
	for _, k := range outdated(everything(), epoch) {
		asked := func(field string) bool {
			return slices.ContainsFunc(k.filter, func(e bson.E) bool { return e.Key == field })
		}
		found := asked("_id")
		for _, index := range indexes()[k.coll] {
			found = found || asked(index[0].Key)
		}
		if !found {
			t.Errorf("no index of %s is for %v", k.coll, k.filter)
		}
	}
}

// TestForgetAbandonedReservations: a key that an attempt has reserved which was
// never made is free again after a day.
func TestForgetAbandonedReservations(t *testing.T) {
	o := newOffice(t)
	o.must(o.db.reserveReceipt(t.Context(), home{agentsColl, o.id()}, newToken(), millis(epoch), *o.receipt()))
	for _, c := range []struct {
		after time.Duration
		want  int64
	}{{deadAge / 2, 1}, {deadAge, 0}} {
		o.clock.advance(c.after)
		_, err := o.Storage.Forget(t.Context(), ports.Expiry{})
		o.must(err)
		if n := o.count(receiptsColl, bson.D{}); n != c.want {
			t.Errorf("%d reservations %v later, want %d", n, c.after, c.want)
		}
	}
}
