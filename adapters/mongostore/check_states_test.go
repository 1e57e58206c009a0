package mongostore

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/description"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"
)

// A set that was made of servers and never initiated is one command away from use.
func TestNeverInitiated(t *testing.T) {
	e := topology.ServerSelectionError{Desc: description.Topology{Servers: []description.Server{
		{Addr: "a:27017", Kind: description.ServerKindRSGhost}, {Addr: "b:27017"},
	}}}
	got := (&DB{}).explain(e)
	if got == nil || !strings.Contains(got.Error(), "a:27017: its replica set was never initiated; run orgd migrate --initiate; b:27017: no answer in time") {
		t.Errorf("explain(%v) = %v, want the command", e, got)
	}
}
