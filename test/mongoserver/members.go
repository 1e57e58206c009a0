package mongoserver

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strings"
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
	if _, err := process.Output(exec.CommandContext(t.Context(), "docker", args...)); err != nil {
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
