package mongostore

import (
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/audit"
	"orgd/ports"
)

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
		if _, err := write(t.Context(), writer.engine, func(x *tx) (struct{}, error) {
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
