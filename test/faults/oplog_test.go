package faults

import (
	"net/http"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/mongoserver"
)

// TestOplogRolledOver follows the stream from a position that MongoDB has forgotten. The
// client is told once that it has missed something, and then what is new.
func TestOplogRolledOver(t *testing.T) {
	if size(true, false) {
		t.Skip("is for the long form alone (ORGD_LONG=1): it writes half a gigabyte")
	}
	uri := mongoURI(t)
	c := startCluster(t, 1, uri, impatient...)
	client := c.client(0, 1)
	must(t, client, api.Request{Method: http.MethodPost, Path: "/departments", Body: object{"name": department}}, nil)
	hire := func(name string) {
		must(t, client, api.Request{Method: http.MethodPost, Path: "/agents", Body: object{"name": name, "role": "worker", "department": department}}, nil)
	}
	events, err := client.Follow(t.Context(), streamPath, "")
	if err != nil {
		t.Fatal(err)
	}
	hire("early")
	position := next(t, events, "").ID
	if err := events.Close(); err != nil {
		t.Error(err)
	}
	hire("missed")
	begin := time.Now()
	mongoserver.RollOplog(t, uri)
	t.Logf("R31: the oplog has rolled over in %s", time.Since(begin).Round(time.Second))
	if code, err := c.replicas[0].Terminate(); code != 0 || err != nil { // it has the last events in memory
		t.Fatalf("Terminate = %d, %v", code, err)
	}
	c.start(0)
	client = c.client(0, 1)
	if events, err = client.Follow(t.Context(), streamPath, position); err != nil {
		t.Fatal(err)
	}
	defer events.Close() // nothing was written that it could lose
	next(t, events, "resync")
	hire("late")
	if late := next(t, events, ""); late.ID == position {
		t.Errorf("after resync comes %+v, want the hire since then", late)
	}
	t.Log("R31: a position that is older than the oplog: one resync, then what is new")
}

// next reads the next event, which must be of a type: "" is an activity.
func next(t *testing.T, events *api.Events, want string) api.Event {
	t.Helper()
	for {
		e, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e.Data == "" {
			continue
		}
		if e.Type != want {
			t.Fatalf("the next event is %+v, want one of the type %q", e, want)
		}
		return e
	}
}
