package mongoserver

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/test/owned"
	"orgd/test/process"
)

const (
	// membersWait is how long members may take to have a primary and to have
	// copied everything.
	membersWait = 2 * time.Minute
	membersPoll = 200 * time.Millisecond
	// stepDownSeconds is how long the former primary must not be elected again.
	stepDownSeconds = 20
)

// StepDown makes the primary a secondary, so that another member is elected.
func StepDown(t testing.TB, uri string) {
	t.Helper()
	former := Primary(t, uri)
	admin := connect(t, uri)
	ctx, cancel := context.WithTimeout(t.Context(), membersWait)
	defer cancel()
	if err := admin.RunCommand(ctx, bson.D{{Key: "replSetStepDown", Value: stepDownSeconds}}).Err(); err != nil {
		t.Fatalf("replSetStepDown = %v", err)
	}
	if Primary(t, uri) == former {
		t.Fatalf("%s is the primary as before", former)
	}
}

// KillPrimary kills the primary, if it runs in a container of test/servers, or
// skips the test. restart starts it again and waits until it has copied everything:
// its data was in memory.
func KillPrimary(t testing.TB, uri string) (restart func()) {
	t.Helper()
	container := containerOf(t, Primary(t, uri))
	docker(t, "kill", "--signal=KILL", container)
	return func() {
		t.Helper()
		docker(t, "start", container)
		AwaitMembers(t, uri)
	}
}

// FreezePrimary stops the primary where it stands, or skips the test. It does not know
// of the time until it wakes up.
func FreezePrimary(t testing.TB, uri string) (wake func()) {
	t.Helper()
	return freeze(t, uri, Primary(t, uri))
}

// FreezeOthers stops all members but the primary, so that there is no majority, or skips
// the test.
func FreezeOthers(t testing.TB, uri string) (wake func()) {
	t.Helper()
	_, others := split(t, uri)
	return freeze(t, uri, others...)
}

func freeze(t testing.TB, uri string, addrs ...string) (wake func()) {
	t.Helper()
	var containers []string
	for _, addr := range addrs {
		containers = append(containers, containerOf(t, addr))
	}
	docker(t, append([]string{"kill", "--signal=STOP"}, containers...)...)
	thaw := sync.OnceFunc(func() { docker(t, append([]string{"kill", "--signal=CONT"}, containers...)...) })
	t.Cleanup(thaw)
	return func() {
		thaw()
		AwaitMembers(t, uri)
	}
}

// RollOplog writes until the members have forgotten what was written before.
func RollOplog(t testing.TB, uri string) {
	t.Helper()
	client := connect(t, uri).Client()
	junk := client.Database("orgd_test_junk")
	defer func() {
		if err := junk.Drop(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("drop of what was written: %v", err)
		}
	}()
	many := slices.Repeat([]any{bson.D{{Key: "x", Value: strings.Repeat("x", 1<<20)}}}, 16)
	for begin := time.Now(); oldest(t, client) <= uint32(begin.Unix()); {
		if _, err := junk.Collection("junk").InsertMany(t.Context(), many); err != nil {
			t.Fatal(err)
		}
		if time.Since(begin) > 5*membersWait {
			t.Fatalf("the oplog still has what was written %s ago", time.Since(begin))
		}
	}
}

// WriteOthers writes n documents into a database of its own: as many entries of the oplog
// that are no events of anybody. The database is dropped when the test ends.
func WriteOthers(t testing.TB, uri string, n int) {
	t.Helper()
	client := connect(t, uri).Client()
	others := client.Database("orgd_test_others_" + bson.NewObjectID().Hex())
	t.Cleanup(func() {
		if err := others.Drop(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("drop of what was written: %v", err)
		}
	})
	const atOnce = 5000
	many := make([]any, atOnce)
	for written := 0; written < n; written += atOnce {
		for i := range many {
			many[i] = bson.D{{Key: "_id", Value: written + i}}
		}
		if _, err := others.Collection("others").InsertMany(t.Context(), many); err != nil {
			t.Errorf("write into another database: %v", err)
			return
		}
	}
}

// oldest is the time of the oldest entry of the oplog, in seconds.
func oldest(t testing.TB, client *mongo.Client) uint32 {
	t.Helper()
	var entry struct{ TS bson.Timestamp }
	first := client.Database("local").Collection("oplog.rs").FindOne(t.Context(), bson.D{}, options.FindOne().SetSort(bson.D{{Key: "$natural", Value: 1}}))
	if err := first.Decode(&entry); err != nil {
		t.Fatal(err)
	}
	return entry.TS.T
}

// AwaitMembers waits until there is a primary and all other members follow it.
func AwaitMembers(t testing.TB, uri string) {
	t.Helper()
	admin := connect(t, uri)
	ctx, cancel := context.WithTimeout(t.Context(), membersWait)
	defer cancel()
	for {
		states, err := memberStates(ctx, admin)
		if err == nil && followed(states) {
			return
		}
		select {
		case <-time.After(membersPoll):
		case <-ctx.Done():
			t.Fatalf("after %s the members are %v, %v", membersWait, states, err)
		}
	}
}

// memberStates returns the state of each member, such as PRIMARY.
func memberStates(ctx context.Context, admin *mongo.Database) ([]string, error) {
	var status struct {
		Members []struct {
			State string `bson:"stateStr"`
		}
	}
	err := admin.RunCommand(ctx, bson.D{{Key: "replSetGetStatus", Value: 1}}).Decode(&status)
	var states []string
	for _, m := range status.Members {
		states = append(states, m.State)
	}
	return states, err
}

// followed reports whether one member is the primary and all others are secondaries.
func followed(states []string) bool {
	primaries, secondaries := 0, 0
	for _, s := range states {
		switch s {
		case "PRIMARY":
			primaries++
		case "SECONDARY":
			secondaries++
		}
	}
	return primaries == 1 && primaries+secondaries == len(states)
}

// containerOf returns the container of the member at an address.
func containerOf(t testing.TB, addr string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	all, err := process.Output(exec.CommandContext(t.Context(), "docker", "ps", "--no-trunc", "--filter=label="+owned.Label, "--format={{.ID}} {{.Command}}"))
	if err != nil {
		t.Skipf("SKIPPED: no Docker engine answers, so no member was killed: %v", err)
	}
	for line := range strings.Lines(all) {
		if id, command, _ := strings.Cut(line, " "); strings.Contains(command, fmt.Sprintf("--port %s ", port)) {
			return id
		}
	}
	t.Skip("SKIPPED: the primary runs in no container of test/servers, so no member was killed")
	return ""
}

func docker(t testing.TB, args ...string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // also when the test has ended
	if _, err := process.Output(exec.CommandContext(ctx, "docker", args...)); err != nil {
		t.Fatalf("docker %s: %v", args[0], err)
	}
}

// connect returns the database for commands to the servers themselves.
func connect(t testing.TB, uri string) *mongo.Database {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Disconnect(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("Disconnect = %v", err)
		}
	})
	return client.Database("admin")
}
