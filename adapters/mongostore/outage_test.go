package mongostore

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orgd/adapters/system"
	"orgd/domain/activity"
	"orgd/domain/identity"
	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
	"orgd/test/faultproxy"
	"orgd/test/mongoserver"
)

// lost returns the address of a server that does not exist, or that takes
// connections and never says a word.
func lost(t *testing.T, silent bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Listen = %v", err)
	}
	if silent {
		t.Cleanup(func() { l.Close() })
	} else {
		l.Close()
	}
	return l.Addr().String()
}

func TestLostServer(t *testing.T) {
	for what, silent := range map[string]bool{"refuses": false, "is silent": true} {
		t.Run(what, func(t *testing.T) {
			cfg := Default()
			cfg.URI = "mongodb://ann:s3cret@" + lost(t, silent)
			db, closeDB, err := Open(cfg, system.Clock{})
			if err != nil {
				t.Fatalf("Open = %v", err)
			}
			t.Cleanup(closeDB)
			for call, do := range lostCalls() {
				t.Run(call, func(t *testing.T) {
					t.Parallel()
					wantLost(t, call, func(ctx context.Context) error { return do(ctx, storesOf(db)) })
				})
			}
		})
	}
}

// A network that goes silent under load is an outage to everybody: to those whose
// answers are lost, and to those who meet the driver clearing its connections.
func TestSilentNetwork(t *testing.T) {
	cfg := testConfig(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := Migrate(ctx, cfg, system.Clock{}); err != nil {
		t.Fatalf("Migrate = %v", err)
	}
	proxy := faultproxy.Start(t, mongoserver.Primary(t, cfg.URI))
	cfg.URI = mongoserver.Through(t, cfg.URI, proxy.Addr())
	db, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(func() {
		if err := db.data.Drop(context.Background()); err != nil {
			t.Errorf("Drop = %v", err)
		}
		closeDB()
	})
	time.AfterFunc(200*time.Millisecond, proxy.HalfOpen)
	end := time.Now().Add(5 * time.Second)
	var all sync.WaitGroup
	var outages atomic.Int32
	for range 200 {
		all.Go(func() {
			for time.Now().Before(end) {
				_, err := NewCompany(db).Company(t.Context())
				if err != nil && !errors.Is(err, ports.ErrUnavailable) {
					t.Errorf("Company = %v, want ErrUnavailable", err)
					return
				}
				if err != nil {
					outages.Add(1)
				}
				time.Sleep(rand.N(100 * time.Millisecond))
			}
		})
	}
	all.Wait()
	if outages.Load() == 0 {
		t.Error("nobody met the outage")
	}
	proxy.Pass()
	for begin := time.Now(); NewStorage(db).Ping(t.Context()) != nil; time.Sleep(20 * time.Millisecond) {
		if since := time.Since(begin); since > 5*time.Second {
			t.Fatalf("Ping fails %v after the network is back", since)
		}
	}
}

func lostCalls() map[string]func(context.Context, portstest.Stores) error {
	return map[string]func(context.Context, portstest.Stores) error{
		"Ping": func(ctx context.Context, s portstest.Stores) error { return s.Storage.Ping(ctx) },
		"Agent": func(ctx context.Context, s portstest.Stores) error {
			_, err := s.Agents.Agent(ctx, identity.Ref{Name: "bob"})
			return err
		},
		"Company": func(ctx context.Context, s portstest.Stores) error { _, err := s.Company.Company(ctx); return err },
		"Feed": func(ctx context.Context, s portstest.Stores) error {
			_, err := s.Activities.Feed(ctx, activity.Query{Limit: 1})
			return err
		},
		"Issue": func(ctx context.Context, s portstest.Stores) error {
			return s.Sessions.Issue(ctx, session.Session{ID: "s"}, ports.Note{})
		},
		"Claim": func(ctx context.Context, s portstest.Stores) error {
			_, err := s.Receipts.Claim(ctx, ports.Claim{Key: "k"})
			return err
		},
	}
}

func wantLost(t *testing.T, call string, do func(context.Context) error) {
	t.Helper()
	start := time.Now()
	err := do(t.Context())
	took := time.Since(start)
	if !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("%s = %v, want ErrUnavailable", call, err)
	}
	if most := 2500 * time.Millisecond; took > most || call == "Ping" && took > time.Second+100*time.Millisecond {
		t.Errorf("%s took %v", call, took)
	}
	if err != nil && strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%s = %v, which tells the password", call, err)
	}
}

// A database is refused when it is older than the program, or newer than it can
// understand; a newer one that it can use is left as it is.
func TestSchemas(t *testing.T) {
	db := openTest(t)
	for _, tc := range []struct {
		found           schemaDoc
		ready, migrates bool
	}{
		{schemaDoc{schemaID, schemaVersion, oldestProgram}, true, true},
		{schemaDoc{schemaID, schemaVersion + 1, schemaVersion}, true, true},
		{schemaDoc{schemaID, schemaVersion + 1, schemaVersion + 1}, false, false},
		{schemaDoc{schemaID, schemaVersion - 1, 0}, false, true},
	} {
		if _, err := db.update(t.Context(), metaColl, byKey(schemaID), set(is("version", tc.found.Version), is("oldest", tc.found.Oldest))); err != nil {
			t.Fatal(err)
		}
		wantSchema(t, "Check", db.Check(t.Context()), tc.found, tc.ready)
		wantSchema(t, "Ping", NewStorage(db).Ping(t.Context()), tc.found, tc.ready)
		wantSchema(t, "Migrate", db.migrate(t.Context()), tc.found, tc.migrates)
		after, err := db.schema(t.Context())
		if want := max(tc.found.Version, schemaVersion); err != nil || after.Version != want {
			t.Errorf("after Migrate of %+v the schema is %+v, %v, want version %d", tc.found, after, err, want)
		}
	}
	if _, err := db.remove(t.Context(), metaColl, byKey(schemaID)); err != nil {
		t.Fatal(err)
	}
	wantSchema(t, "Check", db.Check(t.Context()), schemaDoc{}, false)
}

func wantSchema(t *testing.T, call string, err error, found schemaDoc, ok bool) {
	t.Helper()
	if ok != (err == nil) || !ok && !errors.Is(err, errSchema) {
		t.Errorf("%s of schema %+v = %v, want success %t", call, found, err, ok)
	}
	if call == "Ping" && !ok && !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("Ping of schema %+v = %v, want ErrUnavailable", found, err)
	}
}

// What keeps an operator from starting is one line that names the setting.
func TestCheckExplains(t *testing.T) {
	good := testConfig(t)
	host := strings.Split(good.URI, "://")[1]
	for what, tc := range map[string]struct{ uri, want string }{
		"no such host": {"mongodb://nobody.invalid", "--mongo-uri: no server can be used: nobody.invalid:27017: "},
		"refused":      {"mongodb://ann:s3cret@" + lost(t, false), "connect: connection refused"},
		"silent":       {"mongodb://ann:s3cret@" + lost(t, true), "--mongo-uri: no server can be used: 127.0.0.1:"},
		"password":     {"mongodb://ann:s3cret@" + host[strings.Index(host, "@")+1:], "--mongo-uri: the server refuses the user or the password"},
		"not migrated": {good.URI, "--mongo-database: " + good.Database + ": its schema does not fit this program: it has none; run orgd migrate"},
	} {
		t.Run(what, func(t *testing.T) {
			cfg := good
			cfg.URI = tc.uri
			db, closeDB, err := Open(cfg, system.Clock{})
			if err != nil {
				t.Fatalf("Open = %v", err)
			}
			defer closeDB()
			err = db.Check(t.Context())
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("Check = %v, want one line with %q and no password", err, tc.want)
			}
		})
	}
}
