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
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/adapters/system"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
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
	t.Parallel()
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
			return s.Sessions.Issue(ctx, session.Session{ID: "s"}, ports.Trail{})
		},
		"Lock": func(ctx context.Context, s portstest.Stores) error {
			_, err := s.Idempotency.Lock(ctx, idempotency.Lock{Key: "k"})
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
	t.Parallel()
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
	t.Parallel()
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
	if err := w.begin(); err != nil {
		t.Fatal(err)
	}
	written := &tx{}
	written.insert(projectsColl, bson.D{mongodb.Is("_id", "p")}, nil)
	j.Change.tx = written
	b := &batch{writer: w, ctx: mongo.NewSessionContext(timeLimit(t, time.Minute), w.session), kept: []*job{j}}
	b.ops = map[string][]op{projectsColl: written.ops}
	if err := b.flush(); err != nil {
		t.Fatal(err)
	}
	proxy.DropReplies()
	cut.Reset(200 * time.Millisecond)
	var err error
	if b.unknown, err = w.commit(context.WithoutCancel(t.Context()), w.session.CommitTransaction); err != nil {
		t.Fatal(err)
	}
	b.answer()
	err = <-answer
	wantOutcome(t, "a commit without an answer", err, "may have been applied")
	if n, err := near.coll(projectsColl).CountDocuments(t.Context(), mongodb.ByID("p")); n != 1 || err != nil {
		t.Errorf("%d documents, %v; the first commit reached the server", n, err)
	}
	proxy.Pass()
	wantBack(t, db)
	if err := db.write(timeLimit(t, time.Minute), inserting("q").fn); err != nil {
		t.Errorf("the next change = %v", err)
	}
}

// After a commit that has timed out another transaction begins, whose statements the driver
// does not retry.
func TestBeginAfterACommitThatHasTimedOut(t *testing.T) {
	t.Parallel()
	db, proxy := openTest(t).behindProxy(t)
	w := db.writer
	insert := func() error {
		_, err := db.coll(projectsColl).InsertOne(mongo.NewSessionContext(timeLimit(t, time.Minute), w.session), bson.D{})
		return err
	}
	if err := errors.Join(w.begin(), insert()); err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if err := w.session.CommitTransaction(late); !mongo.IsTimeout(err) {
		t.Fatalf("CommitTransaction that is late = %v, want a time-out", err)
	}
	if err := errors.Join(w.begin(), insert()); err != nil {
		t.Fatalf("the next transaction = %v", err)
	}
	proxy.Cut()
	if err := insert(); !mongodb.HasLabel(err, mongodb.TransientLabel) {
		t.Errorf("a statement without a server = %v, want %s", err, mongodb.TransientLabel)
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
	t.Parallel()
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
	t.Parallel()
	near := openTest(t)
	db, proxy := near.behindProxy(t)
	err := db.write(t.Context(), func(t *tx) error {
		t.update(metaColl, companyID, mongodb.Set(mongodb.Is("guard", 7)), nil)
		sent := &batch{writer: db.writer, ctx: t, ops: map[string][]op{metaColl: t.ops}}
		if err := sent.flush(); err != nil {
			return err
		}
		proxy.HalfOpen()
		return nil
	})
	// The commit goes over a connection that is there, or waits for a new one and is not sent.
	wantOutcome(t, "a change in a silent network", err, "applied")
	proxy.Pass()
	start := time.Now()
	err = near.write(t.Context(), func(t *tx) error {
		t.update(metaColl, companyID, mongodb.Set(mongodb.Is("guard", 8)), nil)
		return nil
	})
	if err != nil {
		t.Errorf("a change of the same document = %v", err)
	}
	wantWithin(t, "a change of the same document", start, 6*time.Second)
}

// A lock that could not be released does not last for its lease.
func TestLeftLock(t *testing.T) {
	t.Parallel()
	near := openTest(t)
	db, proxy := near.behindProxy(t)
	c := idempotency.Lock{Key: "k", Fingerprint: "f", Owner: "first", At: now()}
	if _, err := db.Stores().Idempotency.Lock(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	proxy.Cut()
	if err := db.Stores().Idempotency.Release(t.Context(), c); !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("Release without a server = %v, want ErrUnavailable", err)
	}
	proxy.Pass()
	c.Owner = "second" // at the same time, so that the lease does not end
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		_, err := near.Stores().Idempotency.Lock(t.Context(), c)
		if err == nil {
			return
		}
		if !errors.Is(err, idempotency.ErrRunning) || time.Since(begin) > 30*time.Second {
			t.Fatalf("Lock = %v %v after the network is back", err, time.Since(begin))
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
			if err := mongodb.Translate(err); !errors.Is(err, ports.ErrUnavailable) {
				t.Errorf("translate of code %d = %v, want ErrUnavailable", c, err)
			}
			if !mongodb.IsLost(mongodb.LostOr(err)) {
				t.Errorf("a statement that fails with code %d is not tried again", c)
			}
		}
	}
	for _, err := range []error{code(1, mongodb.TransientLabel), code(1, mongodb.RetryableLabel), code(1, "NetworkError"), context.DeadlineExceeded, groupcommit.ErrClosing, mongodb.ErrNoConnection} {
		if err := mongodb.Translate(err); !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("translate = %v, want ErrUnavailable", err)
		}
	}
	for _, err := range []error{code(1), code(14031), errors.New("other")} {
		if err := mongodb.Translate(err); !errors.Is(err, ports.ErrStorage) {
			t.Errorf("translate = %v, want ErrStorage", err)
		}
	}
}

// What the states of a server make of a statement and of a commit: the statement runs again,
// and a commit is stored only if the server says so in the end.
func TestStatesOfTheServer(t *testing.T) {
	const (
		noLabel      = ""
		unknownLabel = "UnknownTransactionCommitResult"
	)
	code := func(c int32, label string) error { return mongo.CommandError{Code: c, Labels: []string{label}} }
	for name, x := range map[string]struct{ statement, commit error }{
		"not primary":       {code(10107, mongodb.TransientLabel), code(10107, unknownLabel)},
		"stepping down":     {code(189, mongodb.TransientLabel), code(189, mongodb.RetryableLabel)},
		"state changes":     {code(11602, mongodb.TransientLabel), code(11602, mongodb.RetryableLabel)},
		"shutting down":     {code(91, mongodb.TransientLabel), code(91, mongodb.RetryableLabel)},
		"killed at the end": {code(11600, mongodb.TransientLabel), code(11600, mongodb.RetryableLabel)},
		"interrupted":       {code(11601, noLabel), code(11601, noLabel)},
		"too slow":          {code(50, noLabel), code(50, unknownLabel)},
		"no primary in time": {topology.ServerSelectionError{Wrapped: context.DeadlineExceeded},
			topology.ServerSelectionError{Wrapped: context.DeadlineExceeded}},
		"network":             {code(0, "NetworkError"), code(0, unknownLabel)},
		"not replicated":      {code(64, noLabel), mongo.WriteException{WriteConcernError: &mongo.WriteConcernError{Code: 64}}},
		"write conflict":      {code(112, mongodb.TransientLabel), code(112, mongodb.TransientLabel)},
		"no transaction":      {code(251, mongodb.TransientLabel), code(251, mongodb.TransientLabel)},
		"no such transaction": {code(251, noLabel), code(251, noLabel)},
		"transaction too old": {code(225, noLabel), code(225, noLabel)},
		"snapshot too old":    {code(239, mongodb.TransientLabel), code(239, mongodb.TransientLabel)},
		"no snapshot yet":     {code(246, mongodb.TransientLabel), code(246, mongodb.TransientLabel)},
		"something else":      {code(24, noLabel), code(1, noLabel)},
	} {
		t.Run(name, func(t *testing.T) {
			if err := mongodb.LostOr(x.statement); !mongodb.IsLost(err) || !errors.Is(mongodb.Translate(err), ports.ErrUnavailable) {
				t.Errorf("the statement fails with %v, want one that runs again and else is an outage", err)
			}
			once, always := "", "may have been applied"
			if mongodb.HasLabel(x.commit, mongodb.TransientLabel) {
				once, always = "runs again", "runs again"
			}
			for times, want := range map[int]string{1: once, 1_000_000: always} {
				if got := outcomeOfCommit(t, x.commit, times); got != want {
					t.Errorf("the outcome of a commit that fails %d times is %q, want %q", times, got, want)
				}
			}
		})
	}
}

// outcomeOfCommit returns what becomes of a change whose commit fails some times: it is
// stored if that is empty.
func outcomeOfCommit(t *testing.T, failure error, times int) (outcome string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &writer{db: &engine{timeout: time.Second}}
		w.aborting.Store(true) // there is no server to begin another transaction on
		q, answer := groupcommit.New[*change](), make(chan error, 1)
		go func() { answer <- q.Do(t.Context(), inserting("p")) }()
		synctest.Wait()
		j := q.Next()
		j.Change.tx = &tx{}
		if err := j.Change.fn(j.Change.tx); err != nil || !j.Seal() {
			t.Fatalf("the change cannot be committed: %v", err)
		}
		b := &batch{kept: []*job{j}}
		var err error
		b.unknown, err = w.commit(t.Context(), func(context.Context) error {
			if times--; times >= 0 {
				return failure
			}
			return nil
		})
		if b.answer(); mongodb.IsLost(err) {
			outcome = "runs again"
			return
		}
		if err != nil {
			t.Errorf("commit = %v, want that the change runs again or that its outcome is unknown", err)
		}
		if err := <-answer; err != nil {
			outcome = "may have been applied"
			wantOutcome(t, "a commit that is not confirmed", err, outcome)
		}
	})
	return outcome
}

// A request waits for a connection for half of its time.
func TestConnections(t *testing.T) {
	db := &engine{connections: make(chan struct{}, 1), timeout: 100 * time.Millisecond}
	release, err := db.connection(t.Context())
	if err != nil {
		t.Fatalf("connection = %v", err)
	}
	if _, err := db.connection(t.Context()); !errors.Is(err, mongodb.ErrNoConnection) {
		t.Errorf("a second connection of one = %v, want errNoConnection", err)
	}
	time.AfterFunc(time.Millisecond, release)
	db.timeout = time.Minute
	if _, err := db.connection(t.Context()); err != nil {
		t.Errorf("a connection that was released = %v", err)
	}
}
