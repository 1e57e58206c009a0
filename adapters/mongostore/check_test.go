package mongostore

import (
	"cmp"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/description"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/adapters/system"
	"orgd/ports"
	"orgd/test/owned"
	"orgd/test/process"
)

// A database is refused when it is older than the program, or newer than it can
// understand; a newer one that it can use is left as it is. One of before the oldest release
// is not migrated.
func TestSchemas(t *testing.T) {
	db := openTest(t)
	for _, tc := range []struct {
		stored          schemaDoc
		ready, migrates bool
	}{
		{schemaDoc{schemaID, schemaVersion, schemaVersion, ""}, true, true},
		{schemaDoc{schemaID, schemaVersion + 1, schemaVersion, ""}, true, true},
		{schemaDoc{schemaID, schemaVersion + 1, schemaVersion + 1, ""}, false, false},
		{schemaDoc{schemaID, oldestSchema - 1, 1, ""}, false, false},
		{schemaDoc{schemaID, 0, 0, ""}, false, true},
	} {
		if _, err := db.coll(metaColl).UpdateByID(t.Context(), schemaID, mongodb.Set(mongodb.Is("version", tc.stored.Version), mongodb.Is("oldest", tc.stored.Oldest))); err != nil {
			t.Fatal(err)
		}
		wantSchema(t, "Check", db.Check(t.Context()), tc.stored, tc.ready)
		wantSchema(t, "Ping", db.Stores().Storage.Ping(t.Context()), tc.stored, tc.ready)
		err := db.migrate(t.Context())
		wantSchema(t, "Migrate", err, tc.stored, tc.migrates)
		if tc.stored.Version == oldestSchema-1 && (err == nil || !strings.Contains(err.Error(), "migrate it with orgd 0.9.0 first")) {
			t.Errorf("Migrate of schema %+v = %v, want what to do", tc.stored, err)
		}
	}
}

func wantSchema(t *testing.T, call string, err error, stored schemaDoc, ok bool) {
	t.Helper()
	if ok != (err == nil) || !ok && !errors.Is(err, errSchema) {
		t.Errorf("%s of schema %+v = %v, want success %t", call, stored, err, ok)
	}
	if call == "Ping" && !ok && !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("Ping of schema %+v = %v, want ErrUnavailable", stored, err)
	}
}

// What keeps an operator from starting is one line that names the setting.
func TestCheckExplains(t *testing.T) {
	t.Parallel()
	good := testConfig(t)
	host := strings.Split(good.URI, "://")[1]
	for what, tc := range map[string]struct{ uri, want string }{
		"no such host": {"mongodb://nobody.invalid", "--mongo-uri: no server can be used: nobody.invalid:27017: "},
		"refused":      {"mongodb://ann:s3cret@" + lostAddr(t, false), "connect: connection refused"},
		"silent":       {"mongodb://ann:s3cret@" + lostAddr(t, true), "--mongo-uri: no server can be used: 127.0.0.1:"},
		"password":     {"mongodb://ann:s3cret@" + host[strings.Index(host, "@")+1:], "--mongo-uri: the server refuses the user or the password"},
		"not migrated": {good.URI, "--mongo-database: " + good.Database + ": its schema does not fit this program: it has none; run orgd migrate"},
	} {
		t.Run(what, func(t *testing.T) {
			cfg := good
			cfg.URI = tc.uri
			wantExplained(t, "Check", check(t, cfg), tc.want)
		})
	}
}

func check(t *testing.T, cfg Config) error {
	t.Helper()
	db, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	defer closeDB()
	return db.Check(t.Context())
}

func wantExplained(t *testing.T, call string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%s = %v, want one line with %q and no password", call, err, want)
	}
}

// A server without transactions is refused, and nothing is made in it.
func TestStandalone(t *testing.T) {
	cfg := testConfig(t)
	cfg.URI = "mongodb://" + startServer(t, nil)
	const want = "--mongo-uri: the server cannot be used: it is no member of a replica set"
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		err := check(t, cfg)
		if errors.Is(err, ports.ErrUnavailable) && time.Now().Before(end) { // it is starting
			continue
		}
		wantExplained(t, "Check", err, want)
		break
	}
	_, err := Migrate(t.Context(), cfg, system.Clock{})
	wantExplained(t, "Migrate", err, want)
	if errors.Is(err, ports.ErrUnavailable) {
		t.Error("Migrate would be tried again")
	}
}

// startServer starts a server in the network of the machine and returns its address.
func startServer(t *testing.T, docker []string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("docker"); err != nil { // on a server of somebody's own
		t.Skip("SKIPPED: there is no docker")
	}
	addr := lostAddr(t, false)
	_, port, _ := net.SplitHostPort(addr)
	image := cmp.Or(os.Getenv("ORGD_TEST_MONGO_IMAGE"), "mongo:6.0.5")
	id, err := process.Output(exec.Command("docker", slices.Concat(
		[]string{"run", "--detach", owned.Flag(), "--network", "host", "--tmpfs", "/data/db", "--entrypoint", "mongod"}, docker,
		[]string{image, "--dbpath", "/data/db", "--bind_ip", "127.0.0.1", "--port", port, "--wiredTigerCacheSizeGB", "0.25"}, args)...))
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

// A user with nothing but readWrite on the database can migrate it, change and follow
// what is in it, and kill the sessions of a process that has died.
func TestReadWriteIsEnough(t *testing.T) {
	t.Parallel()
	cfg, keyFile := testConfig(t), filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte("c2hhcmVkLWJ5LWFsbC1tZW1iZXJz"), 0o400); err != nil {
		t.Fatal(err)
	}
	addr := startServer(t, []string{"--volume", keyFile + ":/key:ro"}, "--replSet", "orgd", "--keyFile", "/key")
	command := func(login string, c bson.D) {
		t.Helper()
		client, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + login + addr + "/?directConnection=true").SetServerSelectionTimeout(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		defer client.Disconnect(t.Context())                                           // nothing is left to lose
		for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) { // it is starting, or has no primary yet
			if err = client.Database("admin").RunCommand(t.Context(), c).Err(); err == nil {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s = %v", c[0].Key, err)
			}
		}
	}
	user := func(name string, roles ...any) bson.D {
		return bson.D{mongodb.Is("createUser", name), mongodb.Is("pwd", "s3cret"), mongodb.Is("roles", roles)}
	}
	// Without users the server trusts the machine that it runs on.
	command("", bson.D{mongodb.Is("replSetInitiate", bson.D{mongodb.Is("_id", "orgd"), mongodb.Is("members", bson.A{bson.D{mongodb.Is("_id", 0), mongodb.Is("host", addr)}})})})
	command("", user("root", "root"))
	command("root:s3cret@", user("ann", bson.D{mongodb.Is("role", "readWrite"), mongodb.Is("db", cfg.Database)}))

	cfg.URI = "mongodb://ann:s3cret@" + addr + "/?replicaSet=orgd"
	if _, err := Migrate(t.Context(), cfg, system.Clock{}); err != nil {
		t.Fatalf("Migrate = %v", err)
	}
	db, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeDB)
	db.timeout = unhurried
	o := officeOf(t, db)
	o.must(db.Check(t.Context()))
	head, err := o.Stream.Head(t.Context())
	o.must(err)
	o.must(o.createDepartment(t.Context(), "Sales", 1))
	o.wantFreeAfterDeath(o.hire("Sales"))
	o.wantLogged(head, 2)
}

func TestServers(t *testing.T) {
	for what, tc := range map[string]struct {
		hello hello
		want  string
	}{
		"member":     {hello{Set: "s", WireVersion: 17}, ""},
		"mongos":     {hello{Kind: "isdbgrid", WireVersion: 21}, ""},
		"old":        {hello{Set: "s", WireVersion: 16}, "older than MongoDB 6.0"},
		"standalone": {hello{WireVersion: 25}, "--replSet"},
	} {
		if err := tc.hello.check(); (err != nil) != (tc.want != "") || err != nil && (!errors.Is(err, errServer) || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("check of a %s = %v, want %q", what, err, tc.want)
		}
	}
}

// What each server is tells the operator what to do, or that waiting helps.
func TestWhyNoServerCanBeUsed(t *testing.T) {
	e := topology.ServerSelectionError{Desc: description.Topology{Servers: []description.Server{
		{Addr: "a:1", Kind: description.ServerKindRSGhost}, {Addr: "b:2", Kind: description.ServerKindRSSecondary},
		{Addr: "c:3", Kind: description.ServerKindRSMember}, {Addr: "d:4"},
	}}}
	const want = "a:1: its replica set was never initiated; run orgd migrate --initiate; " +
		"b:2: it is a secondary, and there is no primary; c:3: it is starting, or it recovers; d:4: no answer in time"
	if got := (&DB{}).explain(e); got == nil || !strings.HasSuffix(got.Error(), want) {
		t.Errorf("explain(%v) = %v, want %s", e, got, want)
	}
}
