package mongostore

import (
	"testing"
	"time"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/audit"
	"orgd/domain/session"
)

// Revocations that came with an archive are followed, too.
func TestRevocationBehindRestoredOnes(t *testing.T) {
	o := newOffice(t)
	start, until := now(), now().Add(24*time.Hour)
	ahead := start.Add(time.Hour)
	_, err := o.db.coll(sessionsColl).InsertOne(t.Context(), sessionDoc{ID: "restored", Revocation: &revocationDoc{By: "ann", At: mongodb.Millis(ahead), Until: mongodb.Millis(until)}})
	o.must(err)
	r := session.Revocation{ID: "new", By: "ann", At: start, Until: until}
	o.must(o.Sessions.Revoke(t.Context(), r, trail(audit.Session(r.ID), nil)))
	found, err := o.Sessions.Revoked(t.Context(), ahead.Add(time.Millisecond), start)
	if err != nil || len(found) != 1 || found[0].ID != r.ID {
		t.Errorf("Revoked behind the latest that was restored = %v, %v, want %s", found, err, r.ID)
	}
}
