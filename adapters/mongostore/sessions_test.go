package mongostore

import (
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/audit"
	"orgd/domain/session"
)

// A replica of a release that does not keep the time of the latest revocation may run
// beside this one: what it has stored is followed, too.
func TestRevocationsOfOlderPrograms(t *testing.T) {
	o := newOffice(t)
	start, until := now(), now().Add(24*time.Hour)
	var latest time.Time
	for i := range 3 {
		ahead := start.Add(time.Duration(i+1) * time.Hour)
		old := revocationDoc{By: "ann", At: millis(ahead), Until: millis(until)}
		_, err := o.db.coll(sessionsColl).InsertOne(t.Context(), sessionDoc{ID: fmt.Sprint("old", i), Revocation: &old})
		o.must(err)
		_, err = o.db.coll(metaColl).UpdateByID(t.Context(), revocationsID, increment(is("stored", 1)), options.UpdateOne().SetUpsert(true))
		o.must(err)
		id := fmt.Sprint("new", i)
		r := session.Revocation{ID: id, By: "ann", At: start, Until: until}
		o.must(o.Sessions.Revoke(t.Context(), r, trail(audit.Session(id), nil)))
		latest = ahead
	}
	found, err := o.Sessions.Revoked(t.Context(), latest.Add(time.Millisecond), start)
	if err != nil || len(found) != 1 || found[0].ID != "new2" {
		t.Errorf("Revoked behind the latest of the older program = %v, %v, want new2", found, err)
	}
}
