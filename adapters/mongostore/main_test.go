package mongostore

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"orgd/adapters/system"
	"orgd/ports/portstest"
)

// databases are empty ones that no test uses. Making one takes twenty times as
// long as emptying it.
var databases struct {
	mu   sync.Mutex
	free []string
	made int
}

func testConfig(t testing.TB) Config {
	t.Helper()
	uri := os.Getenv("ORGD_TEST_MONGO_URI")
	if uri == "" {
		t.Skip("ORGD_TEST_MONGO_URI is not set")
	}
	cfg := Default()
	cfg.URI, cfg.OperationTimeout = uri, 10*time.Second
	databases.mu.Lock()
	defer databases.mu.Unlock()
	if n := len(databases.free); n > 0 {
		cfg.Database = databases.free[n-1]
		databases.free = databases.free[:n-1]
		return cfg
	}
	databases.made++
	cfg.Database = fmt.Sprintf("tx_%s_%d", bson.NewObjectID().Hex(), databases.made)
	return cfg
}

var makeTime, emptyTime, openCount = new(sum), new(sum), new(sum)

type sum struct {
	mu sync.Mutex
	d  time.Duration
	n  int
}

func (s *sum) add(since time.Time) { s.mu.Lock(); s.d += time.Since(since); s.n++; s.mu.Unlock() }

func openTest(t testing.TB) *DB {
	t.Helper()
	cfg := testConfig(t)
	db, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	db.timeout = 20 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	start := time.Now()
	fresh := db.checkSchema(ctx) != nil
	if fresh {
		err = db.migrate(ctx)
		makeTime.add(start)
	} else {
		err = db.empty(ctx)
		emptyTime.add(start)
	}
	if err != nil {
		t.Fatalf("making a database = %v", err)
	}
	t.Cleanup(func() {
		closeDB()
		databases.mu.Lock()
		defer databases.mu.Unlock()
		databases.free = append(databases.free, cfg.Database)
	})
	return db
}

// empty makes the database what migrate has left.
func (db *DB) empty(ctx context.Context) error {
	soon := options.Collection().SetWriteConcern(writeconcern.W1())
	for coll := range indexes() {
		if coll == metaColl {
			continue
		}
		if _, err := db.data.Collection(coll, soon).DeleteMany(ctx, bson.D{}); err != nil {
			return err
		}
	}
	if _, err := db.data.Collection(metaColl, soon).DeleteMany(ctx, bson.D{}); err != nil {
		return err
	}
	return db.found(ctx)
}

func TestMain(m *testing.M) {
	code := m.Run()
	if uri := os.Getenv("ORGD_TEST_MONGO_URI"); uri != "" && os.Getenv("KEEP") == "" {
		c, _ := mongo.Connect(options.Client().ApplyURI(uri))
		for _, name := range databases.free {
			_ = c.Database(name).Drop(context.Background())
		}
	}
	fmt.Printf("made %d databases in %v, emptied %d in %v\n", makeTime.n, makeTime.d, emptyTime.n, emptyTime.d)
	os.Exit(code)
}

func storesOf(db *DB) portstest.Stores {
	return portstest.Stores{
		Agents: NewAgents(db), Identities: NewIdentities(db), Activities: NewActivities(db), Stream: NewStream(db), Measures: NewMeasures(db),
		Departments: NewDepartments(db), Company: NewCompany(db), Projects: NewProjects(db), Audit: NewAudit(db),
		Receipts: NewReceipts(db), Sessions: NewSessions(db),
		Webhooks: NewWebhooks(db), Outbox: NewOutbox(db), Storage: NewStorage(db),
	}
}

func TestPorts(t *testing.T) {
	portstest.All(t, func(t *testing.T) portstest.Stores { return storesOf(openTest(t)) })
}
