package mongostore

import (
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/audit"
	"orgd/ports"
)

// Who has claimed to write and died is followed by another replica when the claim ends,
// which goes on where that one was.
func TestAnotherReplicaWritesOn(t *testing.T) {
	db := openTest(t)
	a, b := db.Stores().Written, db.replica(t).Stores().Written
	claim := func(s ports.AuditProgress, writer string, want bool) *ports.Written {
		t.Helper()
		w, ours, err := s.Claim(t.Context(), writer)
		if err != nil || ours != want {
			t.Fatalf("Claim of %s = %v, %v, want %v", writer, ours, err, want)
		}
		return w
	}
	claim(a, "a", true)
	written := ports.Written{UpTo: 7, At: time.UnixMilli(1_800_000_000_000).UTC()}
	if ours, err := a.Keep(t.Context(), "a", written); !ours || err != nil {
		t.Fatalf("Keep = %v, %v", ours, err)
	}
	claim(b, "b", false)
	if _, err := db.coll(metaColl).UpdateByID(t.Context(), writtenID, bson.D{is("$set", bson.D{is("until", time.Unix(0, 0))})}); err != nil {
		t.Fatal(err)
	}
	if got := claim(b, "b", true); got == nil || *got != written {
		t.Errorf("the other replica goes on behind %v, want %v", got, written)
	}
	if ours, err := a.Keep(t.Context(), "a", ports.Written{UpTo: 9}); ours || err != nil {
		t.Errorf("Keep of who has lost the claim = %v, %v, want false", ours, err)
	}
	if got := claim(a, "a", false); *got != written {
		t.Errorf("written is %v, want %v", got, written)
	}
}

// What several replicas commit is in one order for all of them, each entry once.
func TestTrailOfReplicas(t *testing.T) {
	db := openTest(t)
	other := db.replica(t)
	begin, err := db.Stores().Stream.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 20 {
		id := bson.NewObjectID().Hex()
		want = append(want, id)
		writer := []*DB{db, other}[i%2]
		if _, err := write(t.Context(), writer, func(x *tx) (struct{}, error) {
			x.addTrail(ports.Trail{Audit: audit.Entry{ID: id, Actor: "ann", Resource: audit.Activities}}, true)
			return struct{}{}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, reader := range []*DB{db, other} {
		var got []string
		for position := begin; ; {
			page, err := reader.Stores().Audit.After(t.Context(), position, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Entries {
				got = append(got, e.ID)
			}
			if position = page.Next; !page.More {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the trail is %v, want %v", got, want)
		}
	}
}
