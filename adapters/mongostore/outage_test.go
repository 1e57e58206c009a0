package mongostore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/adapters/system"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/identity"
	"orgd/ports"
	"orgd/ports/portstest"
)

// primaryOf returns the number of the member that is the primary.
func primaryOf(t testing.TB, db *DB) string {
	var h struct {
		Primary string `bson:"primary"`
	}
	if err := db.client.Database("admin").RunCommand(context.Background(), bson.D{is("hello", 1)}).Decode(&h); err != nil {
		t.Fatal(err)
	}
	return h.Primary[len(h.Primary)-1:]
}

func shell(t testing.TB, script string) {
	if out, err := exec.Command("bash", "-c", script).CombinedOutput(); err != nil {
		t.Logf("%s: %v %s", script, err, out)
	}
}

// TestOutages hires while members die or freeze, and keeps a ledger.
func TestOutages(t *testing.T) {
	how := os.Getenv("OUTAGE") // kill, freeze or stepdown
	if how == "" {
		t.Skip()
	}
	openTest(t) // makes the database
	cfg := testConfig(t)
	cfg.OperationTimeout = 2 * time.Second
	db, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB()
	ctx := context.Background()
	if err := db.migrate(ctx); err != nil {
		t.Fatal(err)
	}
	s := storesOf(db)
	found(t, s, "d0")
	type line struct {
		step ports.AgentStep
		err  error
		at   time.Time
		took time.Duration
	}
	var mu sync.Mutex
	var ledger []line
	start := time.Now()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for time.Since(start) < 20*time.Second {
				step, at := hiring("d0"), time.Now()
				ctx, cancel := context.WithTimeout(ctx, 2500*time.Millisecond)
				err := portstest.Hire(ctx, s.Agents, step)
				cancel()
				mu.Lock()
				ledger = append(ledger, line{step, err, at, time.Since(at)})
				mu.Unlock()
			}
		})
	}
	time.Sleep(4 * time.Second)
	p := primaryOf(t, db)
	switch how {
	case "kill":
		shell(t, "kill -9 $(cat $MEMBERS/pid"+p+")")
		time.Sleep(6 * time.Second)
		shell(t, "$MEMBERS/start.sh "+p)
	case "freeze":
		shell(t, "kill -STOP $(cat $MEMBERS/pid"+p+")")
		time.Sleep(7 * time.Second)
		shell(t, "kill -CONT $(cat $MEMBERS/pid"+p+")")
	case "stepdown":
		err := db.client.Database("admin").RunCommand(ctx, bson.D{is("replSetStepDown", 10), is("force", true)}).Err()
		fmt.Println("step down:", err)
	}
	all.Wait()
	time.Sleep(3 * time.Second)

	var ok, not, unknown, other, lost, half, ghost int
	var gap time.Duration
	last, slowest := start, time.Duration(0)
	kinds := map[string]int{}
	for _, l := range ledger {
		id := l.step.Agent.ID()
		_, err := s.Agents.Agent(ctx, identity.Ref{ID: id})
		there := err == nil
		if err != nil && !errors.Is(err, agent.ErrNotFound) {
			t.Fatal(err)
		}
		versions, _ := s.Identities.Versions(ctx, id, 0, 10)
		career, _ := s.Activities.Career(ctx, id)
		trail, _ := s.Audit.Entries(ctx, audit.Query{Resource: audit.Agent(string(id)), Limit: 10})
		if whole := len(versions) == 1 && len(career) == 2 && len(trail) == 1; there && !whole || !there && len(versions)+len(career)+len(trail) > 0 {
			half++
		}
		slowest = max(slowest, l.took)
		switch {
		case l.err == nil:
			ok++
			if !there {
				lost++
			}
			if end := l.at.Add(l.took); end.After(last) {
				gap = max(gap, end.Sub(last))
				last = end
			}
		case strings.Contains(l.err.Error(), "was not applied"):
			not++
			if there {
				ghost++
			}
		case strings.Contains(l.err.Error(), "may have been"):
			unknown++
		default:
			other++
			kinds[l.err.Error()]++
		}
		if l.err != nil {
			var f *mongo.CommandError
			cause := errors.Unwrap(l.err)
			if errors.As(l.err, &f) {
				kinds[fmt.Sprint(f.Code, f.Labels)]++
			} else {
				kinds[fmt.Sprintf("%T %.120v", cause, cause)]++
			}
		}
	}
	n, _ := s.Agents.Counts(ctx, key("d0"))
	members, _ := db.coll(agentsColl).CountDocuments(ctx, bson.D{})
	fmt.Printf("%s: %d hired, %d not applied, %d unknown, %d other; lost %d, half %d, ghosts %d; counted %d, members %d; longest gap %v, slowest answer %v, commits retried %d\n%v\n",
		how, ok, not, unknown, other, lost, half, ghost, n.Total, members, gap, slowest, retriedCommits.Load(), kinds)
}

// TestDeadClient measures how long the transaction of a client that died keeps
// others from a document.
func TestDeadClient(t *testing.T) {
	if os.Getenv("DEAD") == "" {
		t.Skip()
	}
	db := openTest(t)
	s := storesOf(db)
	found(t, s, "d0")
	step := hiring("d0")
	if err := portstest.Hire(t.Context(), s.Agents, step); err != nil {
		t.Fatal(err)
	}
	id := string(step.Agent.ID())
	session := must(db.client.StartSession())
	if err := session.StartTransaction(transaction); err != nil {
		t.Fatal(err)
	}
	if _, err := db.coll(agentsColl).UpdateOne(mongo.NewSessionContext(context.Background(), session), byID(id), set(is("x", 1))); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for time.Since(start) < 2*time.Minute {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		err := db.write(ctx, func(tx *tx) error { tx.update(agentsColl, id, set(is("x", 2)), nil); return nil })
		cancel()
		if err == nil {
			break
		}
	}
	fmt.Println("locked for", time.Since(start))
}
