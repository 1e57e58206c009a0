package faults

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/limit"
	"orgd/ports"
	"orgd/test/api"
	"orgd/test/faultproxy"
	"orgd/test/mongoserver"
	"orgd/test/process"
)

// mongoVariable names the server on which the tests make databases of their own.
const mongoVariable = "ORGD_TEST_MONGO_URI"

// mongoURI returns the server to use, or skips the test if there is none.
func mongoURI(t *testing.T) string {
	t.Helper()
	uri := os.Getenv(mongoVariable)
	if uri == "" {
		t.Skipf("SKIPPED: %s is not set, so replicas that share a database were NOT tried", mongoVariable)
	}
	return uri
}

// through returns a way to the primary that can be broken, and the URI that leads
// there and to no other member.
func through(t *testing.T, uri string) (*faultproxy.Proxy, string) {
	t.Helper()
	p := faultproxy.Start(t, mongoserver.Primary(t, uri))
	return p, mongoserver.Through(t, uri, p.Addr())
}

// cluster are replicas of the program that share what they can share.
type cluster struct {
	t        *testing.T
	db       *mongo.Database // that they share, nil if they do not
	env      []string        // of every replica
	flags    func(replica int) []string
	signing  string // the key file of tokens
	token    string // of an admin
	replicas []*process.Process
	storage  *watch // of the database, nil without
	begun    time.Time
}

// late is the function of that name for what these replicas were late with.
func (c *cluster) late(took time.Duration, format string, args ...any) {
	c.t.Helper()
	late(c.t, c.storage, took, format, args...)
}

// startCluster makes a database and starts n replicas on it, with all limits on
// and out of the way, that are patient with their servers. uri is how the replicas
// come to the server. More flags of `orgd serve` may follow.
func startCluster(t *testing.T, n int, uri string, flags ...string) *cluster {
	t.Helper()
	direct := mongoURI(t) // the way that the replicas take may be broken already
	db := newDatabase(t, direct)
	migrate := append([]string{"migrate", "--storage", "mongodb", "--mongo-database", db.Name(), "--mongo-uri", direct}, process.PatientStorage()...)
	if _, err := process.Run(t.Context(), binary, migrate...); err != nil {
		t.Fatal(err)
	}
	c := newCluster(t, n)
	c.db, c.env, c.storage = db, []string{"ORGD_MONGO_URI=" + uri}, watchStorage(t, db)
	all := slices.Concat(c.keyFlags(), highLimits(), process.Patient(), []string{
		"--storage", "mongodb", "--mongo-database", db.Name(), "--replicas", fmt.Sprint(n),
	}, flags)
	c.flags = func(int) []string { return all }
	c.startAll()
	return c
}

// startLimited starts n replicas that share nothing but their limits: each has a
// data directory of its own.
func startLimited(t *testing.T, n int, redis string, flags ...string) *cluster {
	t.Helper()
	c := newCluster(t, n)
	dirs := t.TempDir()
	all := slices.Concat(c.keyFlags(), highLimits(), []string{
		"--redis-addr", redis, "--redis-prefix", rand.Text()[:16], "--redis-timeout", "1s", // for a busy machine
	}, flags)
	c.flags = func(i int) []string {
		return append([]string{"--data-dir", filepath.Join(dirs, fmt.Sprint(i))}, all...)
	}
	c.startAll()
	return c
}

func newCluster(t *testing.T, n int) *cluster {
	t.Helper()
	c := &cluster{t: t, replicas: make([]*process.Process, n), begun: time.Now()}
	c.signing = writeKeys(t, t.TempDir())
	c.token = c.newToken("faults")
	t.Cleanup(c.end)
	return c
}

// keyFlags name the keys that all replicas share.
func (c *cluster) keyFlags() []string {
	return []string{"--signing-key-file", c.signing, "--cursor-key-file", filepath.Join(filepath.Dir(c.signing), cursorKey)}
}

func (c *cluster) startAll() {
	c.t.Helper()
	for i := range c.replicas {
		c.start(i)
	}
}

// newDatabase returns a database that is dropped when the test ends.
func newDatabase(t *testing.T, uri string) *mongo.Database {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatalf("%s: %v", mongoVariable, err)
	}
	db := client.Database("orgd_faults_" + rand.Text()[:16])
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(endSessions(ctx, db), db.Drop(ctx)); err != nil {
			t.Errorf("drop the database: %v", err)
		}
		if err := client.Disconnect(ctx); err != nil {
			t.Errorf("disconnect: %v", err)
		}
	})
	return db
}

// endSessions ends the transactions that killed replicas have left open, for which
// a drop would wait for a minute.
func endSessions(ctx context.Context, db *mongo.Database) error {
	cursor, err := db.Collection("replicas").Find(ctx, bson.D{})
	if err != nil {
		return err
	}
	var left []struct{ Sessions bson.A }
	if err := cursor.All(ctx, &left); err != nil {
		return err
	}
	for _, l := range left {
		err = errors.Join(err, db.Client().Database("admin").RunCommand(ctx, bson.D{{Key: "killSessions", Value: l.Sessions}}).Err())
	}
	return err
}

// cursorKey is the name of the file beside that of the signing key.
const cursorKey = "cursor.key"

// writeKeys makes the keys that replicas share.
func writeKeys(t *testing.T, dir string) (signing string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	signing = filepath.Join(dir, "signing.key")
	for path, text := range map[string][]byte{
		signing:                       pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
		filepath.Join(dir, cursorKey): []byte(base64.StdEncoding.EncodeToString(secret) + "\n"),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return signing
}

// newToken makes a token of role admin.
func (c *cluster) newToken(subject string) string {
	c.t.Helper()
	token, err := process.Run(c.t.Context(), binary, "token", "create", "--signing-key-file", c.signing, "--role", "admin", "--subject", subject)
	if err != nil {
		c.t.Fatal(err)
	}
	return token
}

// highLimits are flags for limits that are on and that no test comes to.
func highLimits() []string {
	const far = "=1000000/60s"
	flags := []string{"--limit", "address" + far, "--limit", "subject" + far, "--limit", "auth-failures" + far}
	defaults := limit.Defaults()
	for name := range defaults.Operations {
		flags = append(flags, "--limit", name+far)
	}
	for name := range defaults.Slots {
		flags = append(flags, "--limit-at-once", name+"=1000")
	}
	return flags
}

// start starts a replica, or starts it again.
func (c *cluster) start(i int) {
	c.t.Helper()
	p, err := process.Serve(context.WithoutCancel(c.t.Context()), binary, c.env, c.flags(i)...)
	if err != nil {
		c.t.Fatal(err)
	}
	c.replicas[i] = p
}

// end kills what is left of the replicas.
func (c *cluster) end() {
	for i, p := range c.replicas {
		if p == nil {
			continue
		}
		p.Kill()
		if c.t.Failed() {
			for _, line := range failures(p) {
				if !strings.Contains(line, "SERVICE_UNAVAILABLE") && !strings.Contains(line, ports.ErrUnavailable.Error()) {
					c.t.Logf("replica %d: %s", i, line)
				}
			}
			c.t.Logf("end of the log of replica %d:\n%s", i, p.Log())
		}
	}
}

// client returns a client of one replica, closed when the test ends.
func (c *cluster) client(i, conns int) *api.Client {
	client := api.New(c.replicas[i].URL, c.token, conns)
	c.t.Cleanup(client.Close)
	return client
}

// clients returns a client of each replica.
func (c *cluster) clients(token string, conns int) []*api.Client {
	all := make([]*api.Client, len(c.replicas))
	for i, p := range c.replicas {
		all[i] = api.New(p.URL, token, conns)
		c.t.Cleanup(all[i].Close)
	}
	return all
}

// wantCleanLogs wants no errors in the logs of the replicas.
func (c *cluster) wantCleanLogs() {
	c.t.Helper()
	for i, p := range c.replicas {
		c.wantCleanLog(i, p)
	}
}

// wantCleanLog wants no errors in the log of a replica, but those that tell why
// readiness was refused at the end. A storage that is asked by readiness has a
// second, which is a matter of time.
func (c *cluster) wantCleanLog(i int, p *process.Process) {
	c.t.Helper()
	var failed, slow []string
	for _, line := range failures(p) {
		if strings.Contains(line, ports.ErrUnavailable.Error()) {
			slow = append(slow, line)
		} else {
			failed = append(failed, line)
		}
	}
	if len(failed) > 0 {
		c.t.Errorf("replica %d logged errors:\n%s", i, strings.Join(failed, "\n"))
	}
	if len(slow) > 0 {
		c.late(time.Since(c.begun), "replica %d found the storage too slow:\n%s", i, strings.Join(slow, "\n"))
	}
}
