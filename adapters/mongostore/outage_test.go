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

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/adapters/groupcommit"
	"orgd/adapters/system"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/receipt"
	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
	"orgd/test/faultproxy"
	"orgd/test/mongoserver"
)

// lostAddr returns the address of a server that does not exist, or that takes
// connections and never says a word.
func lostAddr(t *testing.T, silent bool) string {
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
			cfg.URI = "mongodb://ann:s3cret@" + lostAddr(t, silent)
			db, closeDB, err := Open(cfg, system.Clock{})
			if err != nil {
				t.Fatalf("Open = %v", err)
			}
			t.Cleanup(closeDB)
			for call, do := range lostCalls() {
				t.Run(call, func(t *testing.T) {
					t.Parallel()
					wantLost(t, call, func(ctx context.Context) error { return do(ctx, db.Stores()) })
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
	if !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("%s = %v, want ErrUnavailable", call, err)
	}
	most := 2500 * time.Millisecond
	if call == "Ping" {
		most = time.Second
	}
	wantWithin(t, call, start, most)
	if err != nil && strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%s = %v, which tells the password", call, err)
	}
}

// behindProxy opens the database of another store behind a proxy.
func (db *DB) behindProxy(t *testing.T) (*DB, *faultproxy.Proxy) {
	t.Helper()
	cfg := testConfig(t)
	proxy := faultproxy.Start(t, mongoserver.Primary(t, cfg.URI))
	cfg.URI, cfg.Database = mongoserver.Through(t, cfg.URI, proxy.Addr()), db.data.Name()
	far, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(closeDB)
	return far, proxy
}

// A network that goes silent under load is an outage to everybody: to those whose
// answers are lost, and to those who meet the driver clearing its connections.
func TestSilentNetwork(t *testing.T) {
	db, proxy := openTest(t).behindProxy(t)
	time.AfterFunc(200*time.Millisecond, proxy.HalfOpen)
	end := time.Now().Add(5 * time.Second)
	var all sync.WaitGroup
	var outages atomic.Int32
	for range 200 {
		all.Go(func() {
			for time.Now().Before(end) {
				_, err := db.Stores().Company.Company(t.Context())
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
	wantBack(t, db)
}

// wantBack waits until the store answers again.
func wantBack(t *testing.T, db *DB) {
	t.Helper()
	for begin := time.Now(); db.Stores().Storage.Ping(t.Context()) != nil; time.Sleep(20 * time.Millisecond) {
		if since := time.Since(begin); since > 30*time.Second {
			t.Fatalf("Ping fails %v after the network is back", since)
		}
	}
}

// A commit whose answer is lost, and whose retry comes to no server, may have been
// applied.
func TestUnconfirmedCommit(t *testing.T) {
	near := openTest(t)
	db, proxy := near.behindProxy(t)
	cut := time.AfterFunc(time.Hour, proxy.Cut)
	defer cut.Stop()
	db.timeout = time.Second
	q, answer := groupcommit.New[*change](), make(chan error, 1)
	go func() { answer <- q.Do(timeLimit(t, time.Minute), &change{}) }()
	var j *job
	for j == nil {
		j = q.Next()
	}
	w := db.writer
	if err := w.session.StartTransaction(transaction); err != nil {
		t.Fatal(err)
	}
	written := &tx{}
	written.insert(projectsColl, bson.D{is("_id", "p")}, nil)
	j.Change.tx = written
	b := &batch{writer: w, ctx: mongo.NewSessionContext(timeLimit(t, time.Minute), w.session), kept: []*job{j}}
	b.ops = map[string][]op{projectsColl: written.ops}
	if err := b.flush(); err != nil {
		t.Fatal(err)
	}
	proxy.DropReplies()
	cut.Reset(200 * time.Millisecond)
	var err error
	if b.unknown, err = w.commit(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	b.answer()
	err = <-answer
	wantOutcome(t, "a commit without an answer", err, "may have been applied")
	if n, err := near.coll(projectsColl).CountDocuments(t.Context(), byID("p")); n != 1 || err != nil {
		t.Errorf("%d documents, %v; the first commit reached the server", n, err)
	}
	proxy.Pass()
	wantBack(t, db)
	if err := db.write(timeLimit(t, time.Minute), inserting("q").fn); err != nil {
		t.Errorf("the next change = %v", err)
	}
}

func timeLimit(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func wantOutcome(t *testing.T, what string, err error, want string) {
	t.Helper()
	if !errors.Is(err, ports.ErrUnavailable) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s = %v, want ErrUnavailable with %q", what, err, want)
	}
}

// A refusal that nobody confirms is none, and what was not stored is said to be so.
func TestUnconfirmedRefusal(t *testing.T) {
	for what, refusal := range map[string]error{"a refusal": agent.ErrExists, "no effect": nil} {
		t.Run(what, func(t *testing.T) {
			db, proxy := openTest(t).behindProxy(t)
			start := time.Now()
			err := db.write(t.Context(), func(t *tx) error {
				if _, err := readCompany(t); err != nil {
					return err
				}
				proxy.Cut()
				return refusal
			})
			wantOutcome(t, what, err, "was not applied")
			wantWithin(t, what, start, 2500*time.Millisecond)
			proxy.Pass()
			wantBack(t, db)
			err = db.write(t.Context(), func(t *tx) error { _, err := readCompany(t); return errors.Join(err, refusal) })
			if !errors.Is(err, refusal) {
				t.Errorf("write with a server = %v, want %v", err, refusal)
			}
		})
	}
}

// A transaction that could not be ended in time does not lock its documents until
// the next one.
func TestLeftTransaction(t *testing.T) {
	near := openTest(t)
	db, proxy := near.behindProxy(t)
	err := db.write(t.Context(), func(t *tx) error {
		t.update(metaColl, companyID, set(is("guard", 7)), nil)
		sent := &batch{writer: db.writer, ctx: t, ops: map[string][]op{metaColl: t.ops}}
		if err := sent.flush(); err != nil {
			return err
		}
		proxy.HalfOpen()
		return nil
	})
	wantOutcome(t, "a change in a silent network", err, "was not applied")
	proxy.Pass()
	start := time.Now()
	err = near.write(t.Context(), func(t *tx) error {
		t.update(metaColl, companyID, set(is("guard", 8)), nil)
		return nil
	})
	if err != nil {
		t.Errorf("a change of the same document = %v", err)
	}
	wantWithin(t, "a change of the same document", start, 6*time.Second)
}

// A lock that could not be released does not last for its lease.
func TestLeftLock(t *testing.T) {
	near := openTest(t)
	db, proxy := near.behindProxy(t)
	c := ports.Claim{Key: "k", Fingerprint: "f", Owner: "first", At: now()}
	if _, err := db.Stores().Receipts.Claim(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	proxy.Cut()
	if err := db.Stores().Receipts.Release(t.Context(), c); !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("Release without a server = %v, want ErrUnavailable", err)
	}
	proxy.Pass()
	c.Owner = "second" // at the same time, so that the lease does not end
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		_, err := near.Stores().Receipts.Claim(t.Context(), c)
		if err == nil {
			return
		}
		if !errors.Is(err, receipt.ErrRunning) || time.Since(begin) > 30*time.Second {
			t.Fatalf("Claim = %v %v after the network is back", err, time.Since(begin))
		}
	}
}

// What an election or a network makes of a request is an outage; other failures are
// the store's own.
func TestTranslate(t *testing.T) {
	code := func(c int32, labels ...string) error { return mongo.CommandError{Code: c, Labels: labels} }
	concern := func(c int) error {
		return mongo.WriteException{WriteConcernError: &mongo.WriteConcernError{Code: c}}
	}
	for _, c := range []int{24, 50, 64, 91, 112, 189, 225, 239, 244, 246, 251, 262, 263, 10058, 10107, 11600, 11601, 11602, 13435, 13436} {
		for _, err := range []error{code(int32(c)), concern(c)} {
			if err := translate(err); !errors.Is(err, ports.ErrUnavailable) {
				t.Errorf("translate of code %d = %v, want ErrUnavailable", c, err)
			}
			if !isLost(lostOr(err)) {
				t.Errorf("a statement that fails with code %d is not tried again", c)
			}
		}
	}
	for _, err := range []error{code(1, transientLabel), code(1, retryableLabel), code(1, "NetworkError"), context.DeadlineExceeded, errDraining, errNoConnection} {
		if err := translate(err); !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("translate = %v, want ErrUnavailable", err)
		}
	}
	for _, err := range []error{code(1), code(14031), errors.New("other")} {
		if err := translate(err); !errors.Is(err, ports.ErrStorage) {
			t.Errorf("translate = %v, want ErrStorage", err)
		}
	}
}

// A request waits for a connection for half of its time.
func TestConnections(t *testing.T) {
	db := &DB{connections: make(chan struct{}, 1), timeout: 100 * time.Millisecond}
	release, err := db.connection(t.Context())
	if err != nil {
		t.Fatalf("connection = %v", err)
	}
	if _, err := db.connection(t.Context()); !errors.Is(err, errNoConnection) {
		t.Errorf("a second connection of one = %v, want errNoConnection", err)
	}
	time.AfterFunc(time.Millisecond, release)
	db.timeout = time.Minute
	if _, err := db.connection(t.Context()); err != nil {
		t.Errorf("a connection that was released = %v", err)
	}
}
