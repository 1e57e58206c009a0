// Package mongoserver tells tests what is behind the URI of a replica set.
package mongoserver

import (
	"context"
	"net/url"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Primary returns the address of the member that takes writes.
func Primary(t testing.TB, uri string) string {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	defer client.Disconnect(ctx) // nothing is left to lose
	var state struct{ Primary string }
	if err := client.Database("admin").RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&state); err != nil {
		t.Fatalf("hello = %v", err)
	}
	return state.Primary
}

// Through returns the URI by which clients come to one member at addr, and never
// go round it to the others.
func Through(t testing.TB, uri, addr string) string {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Del("replicaSet")
	q.Set("directConnection", "true")
	u.Host, u.RawQuery = addr, q.Encode()
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}
