package compose

import (
	"cmp"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"orgd/test/owned"
	"orgd/test/process"
)

// TestInitiate makes replica sets of members that have none, and of no others.
func TestInitiate(t *testing.T) {
	needDocker(t)
	one := startMember(t, "--replSet", "orgd")
	alone := startMember(t)
	three := []string{startMember(t, "--replSet", "orgd"), startMember(t, "--replSet", "orgd"), startMember(t, "--replSet", "orgd")}
	wantRefusals(t, map[string]string{"mongodb://" + one + "/?replicaSet=other": "refuses to initiate its replica set"})
	for _, uri := range []string{one, strings.Join(three, ",")} {
		uri = "mongodb://" + uri + "/?replicaSet=orgd"
		var all sync.WaitGroup
		for range 2 { // at once
			all.Go(func() {
				if err := initiate(uri); err != nil {
					t.Errorf("migrate --initiate of %s = %v, want none", uri, err)
				}
			})
		}
		all.Wait()
		if err := initiate(uri); err != nil {
			t.Errorf("migrate --initiate of %s, again = %v, want none", uri, err)
		}
	}
	wantRefusals(t, map[string]string{
		"mongodb://" + one:                         "does not name the replica set to initiate",
		"mongodb://" + one + "/?replicaSet=other":  "belongs to the replica set orgd, not to other",
		"mongodb://" + alone + "/?replicaSet=orgd": "was not started with --replSet",
	})
}

func wantRefusals(t *testing.T, of map[string]string) {
	t.Helper()
	for uri, want := range of {
		err := initiate(uri)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "orgd: ") != 1 {
			t.Errorf("migrate --initiate of %s = %v, want one line with %q", uri, err, want)
		}
	}
}

// startMember starts a MongoDB in the network of the machine and returns its address.
func startMember(t *testing.T, args ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(addr)
	args = append([]string{
		"run", "--detach", owned.Flag(), "--network", "host", "--tmpfs", "/data/db", "--entrypoint", "mongod", cmp.Or(os.Getenv("MONGO_IMAGE"), "mongo:6.0.5"),
		"--dbpath", "/data/db", "--bind_ip", "127.0.0.1", "--port", port, "--wiredTigerCacheSizeGB", "0.25",
	}, args...)
	id, err := process.Output(exec.Command("docker", args...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := process.Output(exec.Command("docker", "rm", "--force", "--volumes", id)); err != nil {
			t.Error(err)
		}
	})
	return addr
}

// initiate runs the command in the network of the machine.
func initiate(uri string) error {
	_, err := process.Output(exec.Command("docker", "run", "--rm", owned.Flag(), "--network", "host", cmp.Or(os.Getenv("ORGD_IMAGE"), "orgd:latest"),
		"migrate", "--storage", "mongodb", "--mongo-uri", uri, "--initiate", "--wait", "1m", "--mongo-operation-timeout", "10s"))
	return err
}
