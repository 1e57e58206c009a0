// Package mongobench compares the service on MongoDB, and the store at its port, with
// the plain driver. All use the same replica set in turn, so that whatever else the
// machine does affects all of them. docs/performance.md has the results.
package mongobench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"orgd/adapters/mongostore"
	"orgd/adapters/system"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/jsondoc"
	"orgd/ports"
	"orgd/ports/portstest"
	"orgd/test/process"
)

const (
	departments = 8
	agents      = 2000 // at least, before anything is measured
)

// TestCosts takes five minutes.
func TestCosts(t *testing.T) {
	if os.Getenv("ORGD_TEST_MONGOBENCH") == "" {
		t.Skip("SKIPPED: ORGD_TEST_MONGOBENCH is not set; make bench-mongo sets it")
	}
	b := open(t)
	c := newComparison()
	defer c.Flush()
	for _, clients := range []int{1, 32} {
		c.compare(t, "change", clients, 1,
			side{"driver: insertOne", b.inserts()},
			side{"store: hire", b.storeHires()},
			side{"service: hire", b.hires(b.addrs, departments)},
			side{"service: update", b.updates()})
		c.compare(t, "100 events", clients, 100, side{"driver: insertMany", b.insertManys()}, side{"service: report", b.reports(b.addrs, b.ids, 100)})
		c.compare(t, "one agent", clients, 1, side{"driver: findOne", b.findOnes()},
			side{"service: GET", b.asks(b.addrs, "200", func(int) []byte { return b.request("GET", "/agents/"+oneOf(b.ids), "") })})
		c.compare(t, "50 agents", clients, 1, side{"driver: find", b.finds()},
			side{"service: GET", b.asks(b.addrs, "200", func(int) []byte { return b.request("GET", "/agents?limit=50", "") })})
	}
	c.compare(t, "change", 96, 1,
		side{"driver: insertOne", b.inserts()}, side{"service: hire", b.hires(b.addrs, departments)}, side{"service: update", b.updates()})
	alone := b.addrs
	b.serve()
	b.serve()
	c.compare(t, "hires into one department", 32, 1, side{"one replica", b.hires(alone, 1)}, side{"three replicas", b.hires(b.addrs, 1)})
	c.compare(t, "100 events of one department's day", 32, 100,
		side{"one replica", b.reports(alone, b.colleagues, 100)}, side{"three replicas", b.reports(b.addrs, b.colleagues, 100)})
}

// bench is the service and a plain client of its database.
type bench struct {
	*testing.T
	dir, binary, token string
	uri                string
	flags              []string // of every replica
	addrs              []string // of those that run
	db                 *mongo.Database
	ids, colleagues    []string // agents: all; those of one department
}

// open starts the service on an empty database and hires agents.
func open(t *testing.T) *bench {
	b := &bench{T: t, dir: t.TempDir()}
	uri := os.Getenv("ORGD_TEST_MONGO_URI")
	if uri == "" {
		t.Skip("SKIPPED: ORGD_TEST_MONGO_URI is not set; make bench-mongo sets it")
	}
	t.Setenv("ORGD_MONGO_URI", uri)
	b.uri = uri
	journal := true
	plain, err := mongo.Connect(options.Client().ApplyURI(uri).SetReadConcern(readconcern.Majority()).
		SetWriteConcern(&writeconcern.WriteConcern{W: "majority", Journal: &journal}))
	b.must(err)
	b.db = plain.Database("orgd_bench_" + bson.NewObjectID().Hex())
	t.Cleanup(func() {
		if err := errors.Join(b.db.Drop(context.Background()), plain.Disconnect(context.Background())); err != nil {
			t.Error(err)
		}
	})
	cursorKey := filepath.Join(b.dir, "cursor.key")
	b.must(os.WriteFile(cursorKey, []byte(strings.Repeat("A", 43)+"="), 0o600))
	b.binary, err = process.Build(b.dir)
	b.must(err)
	b.token, err = process.Token(t.Context(), b.binary, b.dir, "bench")
	b.must(err)
	storage := []string{"--storage", "mongodb", "--mongo-database", b.db.Name()}
	_, err = process.Run(t.Context(), b.binary, append([]string{"migrate"}, storage...)...)
	b.must(err)
	b.flags = append(storage, "--signing-key-file", filepath.Join(b.dir, "signing.key"), "--cursor-key-file", cursorKey,
		"--replicas", "3", "--limit-at-once", "activities.ingest=1000")
	for _, name := range []string{"address", "subject", "departments.create", "agents.create", "agents.update", "activities.ingest"} {
		b.flags = append(b.flags, "--limit", name+"=1000000000/60s")
	}
	b.serve()
	do, end := b.asks(b.addrs, "201", func(int) []byte {
		return b.request("POST", "/departments", fmt.Sprintf(`{"name":"Department %d"}`, made.Add(1)-1))
	})(0)
	defer end()
	for range departments {
		b.must(do())
	}
	stored, department := b.db.Collection("agents"), bson.D{{Key: "department", Value: "department 0"}}
	for len(b.ids) < agents {
		b.must(errors.Join(drive(32, b.hires(b.addrs, departments), time.Second).errs...))
		b.must(stored.Distinct(t.Context(), "_id", bson.D{}).Decode(&b.ids))
	}
	b.must(stored.Distinct(t.Context(), "_id", department).Decode(&b.colleagues))
	return b
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// serve starts one more replica.
func (b *bench) serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	b.must(err)
	addr := l.Addr().String() // free again in a moment
	log, err := os.Create(filepath.Join(b.dir, addr))
	b.must(errors.Join(err, l.Close()))
	defer log.Close() // the replica has its own
	p, err := process.ServeQuietly(b.Context(), b.binary, addr, log, b.flags...)
	b.must(err)
	b.Cleanup(func() {
		if code, err := p.Terminate(); code != 0 || err != nil {
			b.Errorf("Terminate = %d, %v, want 0 and no error", code, err)
		}
	})
	b.addrs = append(b.addrs, addr)
}

// made counts what is made, for names and ids that are new.
var made atomic.Int64

func uuid() string { return fmt.Sprintf("0198c3f2-1c7e-7d4b-9a51-%012x", made.Add(1)) }

func oneOf(ids []string) string { return ids[rand.N(len(ids))] }

// hires makes agents in the first n departments.
func (b *bench) hires(addrs []string, n int64) operations {
	return b.asks(addrs, "201", func(int) []byte {
		i := made.Add(1)
		return b.request("POST", "/agents", fmt.Sprintf(`{"name":"Agent %d","role":"Researcher","department":"Department %d","level":"senior",`+
			`"model":{"provider":"acme","model_id":"large"},"tools":{"allowed":["Read","Grep","Bash"]},"instructions":"Look closely."}`, i, i%n))
	})
}

// updates changes one agent after the other.
func (b *bench) updates() operations {
	return b.asks(b.addrs, "200", func(int) []byte {
		i := made.Add(1)
		return b.request("PATCH", "/agents/"+b.ids[i%int64(len(b.ids))], fmt.Sprintf(`{"description":"change %d"}`, i))
	})
}

// storeHires makes agents at the port of a store of its own in this process.
func (b *bench) storeHires() operations {
	cfg := mongostore.Default()
	cfg.URI, cfg.Database = b.uri, b.db.Name()
	db, closeDB, err := mongostore.Open(cfg, system.Clock{})
	b.must(err)
	b.Cleanup(closeDB)
	agents := db.Stores().Agents
	return plain(func(ctx context.Context) error {
		i := made.Add(1)
		text := fmt.Sprintf(`{"name":"Agent %d","role":"Researcher","department":"Department %d","level":"senior",`+
			`"model":{"provider":"acme","model_id":"large"},"tools":{"allowed":["Read","Grep","Bash"]},"instructions":"Look closely."}`, i, i%departments)
		v, err := jsondoc.Parse([]byte(text))
		if err != nil {
			return err
		}
		profile, err := agent.ParseNew(v)
		if err != nil {
			return err
		}
		now := system.Clock{}.Now()
		step, err := agent.Hire(agent.ID(uuid()), profile, activity.Cause{At: now, By: "bench", IDs: &activity.IDs{New: uuid}})
		if err != nil {
			return err
		}
		entry := audit.Entry{ID: uuid(), At: now, Actor: "bench", Route: "POST /agents", Resource: audit.Agent(string(step.Agent.ID()))}
		return portstest.Hire(ctx, agents, ports.AgentChange{Step: step, Trail: ports.Trail{Audit: entry}})
	})
}

// usual is what agents report.
var usual = [][2]string{
	{"task_started", `{"task_id":"T-4711"}`},
	{"task_completed", `{"task_id":"T-4711","success":true,"duration_seconds":93.25,"quality_score":7.5,"cost":0.0421,"tokens":4200}`},
	{"tool_used", `{"tool":"search","success":true}`},
	{"cost_incurred", `{"amount":0.0123,"model":"large-1","input_tokens":4000,"output_tokens":900}`},
}

// reports reports n events at once. Each client tells of 20 agents of its own.
func (b *bench) reports(addrs, ids []string, n int) operations {
	return b.asks(addrs, "201", func(client int) []byte {
		events := make([]string, n)
		for i := range events {
			e := usual[i%len(usual)]
			events[i] = fmt.Sprintf(`{"id":%q,"event_type":%q,"agent":%q,"timestamp":%q,"description":"looked into the answers of yesterday","data":%s}`,
				uuid(), e[0], ids[(client*20+i%20)%len(ids)], time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), e[1])
		}
		return b.request("POST", "/activities", `{"events":[`+strings.Join(events, ",")+`]}`)
	})
}

// inserts inserts documents of 800 bytes.
func (b *bench) inserts() operations {
	coll, text := b.db.Collection("bench_documents"), strings.Repeat("x", 765)
	return plain(func(ctx context.Context) error {
		_, err := coll.InsertOne(ctx, bson.D{{Key: "text", Value: text}})
		return err
	})
}

// insertManys inserts a hundred events as the store has them, with its indexes.
func (b *bench) insertManys() operations {
	b.must(errors.Join(drive(1, b.reports(b.addrs, b.ids, 100), time.Second).errs...))
	cursor, err := b.db.Collection("events").Find(b.Context(), bson.D{{Key: "data", Value: bson.D{{Key: "$exists", Value: true}}}}, options.Find().SetLimit(100))
	b.must(err)
	var samples []bson.D
	b.must(cursor.All(b.Context(), &samples))
	coll := b.db.Collection("bench_events")
	byType := bson.D{{Key: "type", Value: 1}, {Key: "at", Value: 1}, {Key: "_id", Value: 1}}
	byAgent := append(bson.D{{Key: "agent", Value: 1}}, byType...)
	_, err = coll.Indexes().CreateMany(b.Context(), []mongo.IndexModel{{Keys: byType}, {Keys: byAgent}})
	b.must(err)
	return plain(func(ctx context.Context) error {
		docs := make([]bson.D, 100)
		for i, d := range samples {
			docs[i] = append(bson.D{{Key: "_id", Value: uuid()}}, d[1:]...)
		}
		_, err := coll.InsertMany(ctx, docs)
		return err
	})
}

func (b *bench) findOnes() operations {
	coll := b.db.Collection("agents")
	return plain(func(ctx context.Context) error {
		return coll.FindOne(ctx, bson.D{{Key: "_id", Value: oneOf(b.ids)}}).Err()
	})
}

func (b *bench) finds() operations {
	coll, order := b.db.Collection("agents"), bson.D{{Key: "order_key", Value: 1}, {Key: "_id", Value: 1}}
	return plain(func(ctx context.Context) error {
		cursor, err := coll.Find(ctx, bson.D{}, options.Find().SetSort(order).SetLimit(50).SetBatchSize(50))
		if err != nil {
			return err
		}
		var all []bson.Raw
		return cursor.All(ctx, &all)
	})
}
