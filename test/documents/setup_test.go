// Package documents checks the use cases on the organization as one document on
// every store: what they promise is a matter of many steps together.
package documents

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"orgd/adapters/mongostore"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/organization"
	"orgd/domain/page"
	"orgd/ports"
	"orgd/ports/portstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tester is the part of a test, plain or of rapid, that the checks use.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Context() context.Context
}

// service is what the checks work on: the use cases over one storage.
type service struct {
	tester
	stores ports.Stores
	docs   *app.Documents
	cut    *atomic.Int64 // how many writes succeed before one fails; negative: all
	others func()        // what others do before an order is written; nil: nothing
}

func newService(t tester, stores ports.Stores) *service {
	s := &service{tester: t, stores: stores, cut: new(atomic.Int64)}
	s.cut.Store(-1)
	s.docs = app.NewDocuments(system.Clock{}, system.IDs{}, cutAgents{stores.Agents, s}, cutDepartments{stores.Departments, s}, cutCompany{stores.Company, s}, stores.Identities)
	return s
}

func openSQLite(t testing.TB) ports.Stores {
	t.Helper()
	cfg := sqlitestore.Default()
	cfg.Dir = filepath.Join(t.TempDir(), "data")
	db, closeDB, err := sqlitestore.Open(context.Background(), cfg, zap.NewNop())
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(closeDB)
	return db.Stores()
}

const mongoVariable = "ORGD_TEST_MONGO_URI"

func openMongo(t testing.TB) ports.Stores {
	t.Helper()
	cfg := mongostore.Default()
	if cfg.URI = os.Getenv(mongoVariable); cfg.URI == "" {
		t.Skipf("%s is not set", mongoVariable)
	}
	cfg.Database = "orgd_test_" + bson.NewObjectID().Hex()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := mongostore.Migrate(ctx, cfg, system.Clock{}); err != nil {
		t.Fatalf("Migrate = %v", err)
	}
	db, closeDB, err := mongostore.Open(cfg, system.Clock{})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(closeDB)
	return db.Stores()
}

// onEveryStore runs a check on each of the stores.
func onEveryStore(t *testing.T, check func(*testing.T, func() ports.Stores)) {
	t.Run("memory", func(t *testing.T) { check(t, portstest.NewMemory) })
	t.Run("sqlite", func(t *testing.T) { check(t, func() ports.Stores { return openSQLite(t) }) })
	t.Run("mongodb", func(t *testing.T) { check(t, func() ports.Stores { return openMongo(t) }) })
}

// text is a document in JSON.
type text string

// entries are the agents of a document.
type entries []jsondoc.Value

func (e entries) Agent(i int) (jsondoc.Value, error) { return e[i], nil }

func (s *service) read(doc text, prune bool) (*organization.Document, entries) {
	s.Helper()
	v, err := jsondoc.ParseStored([]byte(doc))
	if err != nil {
		s.Fatalf("ParseStored = %v of %s", err, doc)
	}
	b := organization.NewBuilder()
	var agents entries
	for _, m := range v.Members() {
		b.Field(m.Name, 0)
		switch m.Name {
		case organization.FieldFormat:
			b.Format(m.Value, 0)
		case organization.FieldCompany:
			b.Company(m.Value, organization.Where{})
		case organization.FieldDepartments:
			for _, d := range m.Value.Items() {
				b.Department(d, organization.Where{})
			}
		case organization.FieldAgents:
			for _, a := range m.Value.Items() {
				b.Agent(a, organization.Where{})
				agents = append(agents, a)
			}
		}
	}
	d, err := b.Document(prune)
	if err != nil {
		s.Fatalf("Document = %v of %s", err, doc)
	}
	return d, agents
}

var call = app.Call{Actor: access.Actor{Subject: "root", Role: access.Editor}, Route: "POST /api/v1/organization/apply"}

func (s *service) tryApply(doc text, prune bool) (app.Applied, error) {
	s.Helper()
	return s.tryPlan(doc, prune, "")
}

// tryPlan applies a document if its plan has a hash; "" is any.
func (s *service) tryPlan(doc text, prune bool, hash string) (app.Applied, error) {
	s.Helper()
	d, agents := s.read(doc, prune)
	return s.docs.Apply(s.Context(), call, app.ApplyDocument{
		Document: d, Entries: agents, Prune: prune, Hash: hash, Reply: func(app.Applied) idempotency.Reply { return idempotency.Reply{Status: 200} },
	})
}

func (s *service) apply(doc text, prune bool) organization.Counts {
	s.Helper()
	done, err := s.tryApply(doc, prune)
	if err != nil {
		s.Fatalf("Apply = %v of %s", err, doc)
	}
	return done.Counts
}

// changes are the paths of what a document would change.
func (s *service) changes(doc text, prune bool) []string {
	s.Helper()
	paths, _ := s.plan(doc, prune)
	return paths
}

// plan returns the paths of what a document would change, and the plan's hash.
func (s *service) plan(doc text, prune bool) (paths []string, hash string) {
	s.Helper()
	d, agents := s.read(doc, prune)
	hash, err := s.docs.Plan(s.Context(), call, app.PlanDocument{
		Document: d, Entries: agents, Prune: prune,
		Emit:    func(c organization.Change) error { paths = append(paths, string(c.Action)+" "+c.Path); return nil },
		Restart: func() error { paths = nil; return nil },
		Reply:   func(string) *idempotency.Reply { return nil },
	})
	if err != nil {
		s.Fatalf("Plan = %v of %s", err, doc)
	}
	return paths, hash
}

// export is the organization as a document, one entry a line.
func (s *service) export() text {
	s.Helper()
	var b strings.Builder
	var departments, agents []string
	err := s.docs.Export(s.Context(), call, app.Export{
		Company: func(c company.Company) error {
			fmt.Fprintf(&b, "{\"format\":1,\n\"company\":%s,\n", organization.AppendCompany(nil, c))
			return nil
		},
		Department: func(d app.Department) error {
			departments = append(departments, string(organization.AppendDepartment(nil, d.Department, d.Names.Show)))
			return nil
		},
		Agent: func(a agent.Agent, show identity.Show) error {
			agents = append(agents, string(organization.AppendAgent(nil, a, show)))
			return nil
		},
	})
	if err != nil {
		s.Fatalf("Export = %v", err)
	}
	fmt.Fprintf(&b, "\"departments\":[\n%s],\n\"agents\":[\n%s]}\n", strings.Join(departments, ",\n"), strings.Join(agents, ",\n"))
	return text(b.String())
}

// agents reads all agents.
func (s *service) agents() []agent.Agent {
	s.Helper()
	var all []agent.Agent
	q := agent.Query{Limit: 200}
	for {
		records, err := s.stores.Agents.Records(s.Context(), q)
		if err != nil {
			s.Fatalf("Records = %v", err)
		}
		for _, r := range records {
			a, err := r.Agent()
			if err != nil {
				s.Fatalf("Agent of the record of %s = %v", r.ID, err)
			}
			all = append(all, a)
		}
		if page.IsLast(records, q.Limit) {
			return all
		}
		last := all[len(all)-1].Position()
		q.After = &last
	}
}

// errCut is what a write ends with after the last that succeeds.
var errCut = ports.ErrUnavailable.With("cut")

func (s *service) write() error {
	for {
		left := s.cut.Load()
		if left < 0 {
			return nil
		}
		if left == 0 {
			return errCut
		}
		if s.cut.CompareAndSwap(left, left-1) {
			return nil
		}
	}
}

// letOthers does what others do, once.
func (s *service) letOthers() {
	if do := s.others; do != nil {
		s.others = nil
		do()
	}
}

type cutAgents struct {
	ports.AgentStore
	s *service
}

func (c cutAgents) Create(ctx context.Context, asked name.Name, hire func(name.Name) (ports.AgentChange, error)) (agent.Agent, error) {
	if err := c.s.write(); err != nil {
		return agent.Agent{}, err
	}
	return c.AgentStore.Create(ctx, asked, hire)
}

func (c cutAgents) Update(ctx context.Context, ref identity.Ref, change func(agent.Agent) (ports.AgentChange, error)) (agent.Agent, error) {
	if err := c.s.write(); err != nil {
		return agent.Agent{}, err
	}
	return c.AgentStore.Update(ctx, ref, change)
}

type cutDepartments struct {
	ports.DepartmentStore
	s *service
}

func (c cutDepartments) Create(ctx context.Context, key name.Key, found func(company.Company, money.Percent) (ports.DepartmentChange, error)) (department.Department, error) {
	if err := c.s.write(); err != nil {
		return department.Department{}, err
	}
	return c.DepartmentStore.Create(ctx, key, found)
}

func (c cutDepartments) Update(ctx context.Context, key name.Key, change func(department.Department, money.Percent) (ports.DepartmentChange, error)) (department.Department, error) {
	if err := c.s.write(); err != nil {
		return department.Department{}, err
	}
	return c.DepartmentStore.Update(ctx, key, change)
}

func (c cutDepartments) Reorder(ctx context.Context, key name.Key, order func(department.Department, []agent.Member) (ports.DepartmentChange, error)) (department.Department, error) {
	if err := c.s.write(); err != nil {
		return department.Department{}, err
	}
	c.s.letOthers()
	return c.DepartmentStore.Reorder(ctx, key, order)
}

func (c cutDepartments) Delete(ctx context.Context, key name.Key, remove func(department.Department, int64, company.Company) (ports.DepartmentChange, error)) error {
	if err := c.s.write(); err != nil {
		return err
	}
	return c.DepartmentStore.Delete(ctx, key, remove)
}

type cutCompany struct {
	ports.CompanyStore
	s *service
}

func (c cutCompany) Update(ctx context.Context, change func(company.Company, bool) (ports.Change[company.Company], error)) (company.Company, error) {
	if err := c.s.write(); err != nil {
		return company.Company{}, err
	}
	c.s.letOthers()
	return c.CompanyStore.Update(ctx, change)
}
