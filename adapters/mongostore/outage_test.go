package mongostore

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"orgd/adapters/system"
	"orgd/domain/activity"
	"orgd/domain/identity"
	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
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

func lostCalls() map[string]func(context.Context, portstest.Stores) error {
	return map[string]func(context.Context, portstest.Stores) error{
		"Ping": func(ctx context.Context, s portstest.Stores) error { return s.Storage.Ping(ctx) },
		"Agent": func(ctx context.Context, s portstest.Stores) error {
			_, err := s.Agents.Agent(ctx, identity.Ref{Name: "bob"})
			return err
		},
		"Company": func(ctx context.Context, s portstest.Stores) error { _, err := s.Company.Company(ctx); return err },
		"Events": func(ctx context.Context, s portstest.Stores) error {
			_, err := s.Activities.Events(ctx, activity.Query{Limit: 1})
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

func TestMigrateUnknownSchema(t *testing.T) {
	db := openTest(t)
	if err := NewStorage(db).Ping(t.Context()); err != nil {
		t.Errorf("Ping = %v", err)
	}
	if _, err := db.update(t.Context(), metaColl, byKey(schemaID), set(is("version", schemaVersion+1))); err != nil {
		t.Fatal(err)
	}
	if err := NewStorage(db).Ping(t.Context()); !errors.Is(err, ports.ErrUnavailable) || !errors.Is(err, errSchema) {
		t.Errorf("Ping of a newer schema = %v", err)
	}
	if err := db.migrate(t.Context()); !errors.Is(err, errSchema) {
		t.Errorf("Migrate of a newer schema = %v", err)
	}
	if _, err := db.remove(t.Context(), metaColl, byKey(schemaID)); err != nil {
		t.Fatal(err)
	}
	if err := NewStorage(db).Ping(t.Context()); !errors.Is(err, errSchema) {
		t.Errorf("Ping without schema = %v", err)
	}
}
