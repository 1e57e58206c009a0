package mongostore

import (
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
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
		old := revocationDoc{By: "ann", At: mongodb.Millis(ahead), Until: mongodb.Millis(until)}
		_, err := o.db.coll(sessionsColl).InsertOne(t.Context(), sessionDoc{ID: fmt.Sprint("old", i), Revocation: &old})
		o.must(err)
		_, err = o.db.coll(metaColl).UpdateByID(t.Context(), revocationsID, mongodb.Increment(mongodb.Is("stored", 1)), options.UpdateOne().SetUpsert(true))
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

// A replica of a release that does not keep the kind of a session may run beside this
// one, or have run before.
func TestSessionsOfOlderPrograms(t *testing.T) {
	o := newOffice(t)
	start := now()
	for own, want := range map[bool]session.Kind{true: session.ByToken, false: session.External} {
		id := string(want)
		old := recordDoc{Issuer: "i", Subject: "ann", Role: "viewer", IssuedAt: mongodb.Millis(start), ExpiresAt: mongodb.Millis(start.Add(time.Hour)), Own: own}
		_, err := o.db.coll(sessionsColl).InsertOne(t.Context(), sessionDoc{ID: id, Record: &old})
		o.must(err)
		found, err := o.Sessions.Session(t.Context(), id)
		if err != nil || found.Kind != want || found.Label != "" || !found.LastUsedAt.IsZero() {
			t.Errorf("Session of before = %+v, %v, want the kind %s and no use", found, err, want)
		}
		o.must(o.Sessions.Used(t.Context(), []session.Use{{ID: id, At: start}}))
		if found, err := o.Sessions.Session(t.Context(), id); err != nil || !found.LastUsedAt.Equal(start) {
			t.Errorf("Session of before, used = %+v, %v, want the use", found, err)
		}
		o.must(o.Sessions.See(t.Context(), session.Session{ID: id + "2", Kind: want, IssuedAt: start, ExpiresAt: start.Add(time.Hour)}))
		made, err := oneOrZero[sessionDoc](o.db.ask(t.Context()), sessionsColl, mongodb.ByID(id+"2"))
		if err != nil || made.Record.Own != own {
			t.Errorf("a session for an older program = %+v, %v, want own: %t", made.Record, err, own)
		}
	}
}
