package mongostore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/ports"
)

// Departments keeps departments.
type Departments struct{ db *DB }

// Department implements [ports.DepartmentStore].
func (s *Departments) Department(ctx context.Context, key name.Key) (_ department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.get").End(&err)
	return findDepartment(s.db.ask(ctx), key, departmentDoc.department)
}

// Name implements [ports.DepartmentStore].
func (s *Departments) Name(ctx context.Context, key name.Key) (_ name.Name, err error) {
	defer s.db.observer.Begin(&ctx, "departments.name").End(&err)
	d, err := findDepartment(s.db.ask(ctx), key, asStored, options.FindOne().SetProjection(mongodb.By("name")))
	return d.name(), err
}

// Departments implements [ports.DepartmentStore].
func (s *Departments) Departments(ctx context.Context, after company.OrderKey, limit int) (_ []department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.list").End(&err)
	return list(s.db.ask(ctx), departmentsColl, bson.D{mongodb.Compare("order_key", "$gt", string(after))},
		departmentDoc.department, first(limit, "order_key", "_id"))
}

// Create implements [ports.DepartmentStore].
func (s *Departments) Create(ctx context.Context, key name.Key, create func(company.Company, money.Percent) (ports.DepartmentChange, error)) (_ department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.create").End(&err)
	return write(ctx, s.db.engine, func(t *tx) (d department.Department, err error) {
		if err := mustBeFree(t, key); err != nil {
			return d, err
		}
		c, err := readCompany(t)
		if err != nil {
			return d, err
		}
		step, err := create(c.Company, c.sharesBut(""))
		if err != nil {
			return d, err
		}
		d = step.State
		d.OrderKey = step.Company.OrderKey(d.Name.Key, d.ID)
		t.addTrail(step.Trail, true)
		t.updateCompany(step.Company) // where two creations conflict
		t.insert(departmentsColl, departmentOf(d), nil)
		t.insertHeadcounts(d.Name.Key)
		return d, nil
	}, needByID(departmentsColl, string(key)))
}

// mustBeFree returns department.ErrExists if a department has the key.
func mustBeFree(t *tx, key name.Key) error {
	d, err := oneOrZero[departmentDoc](t, departmentsColl, mongodb.ByID(string(key)))
	if d.Key != "" {
		return department.Taken(d.Name)
	}
	return err
}

// Update implements [ports.DepartmentStore].
func (s *Departments) Update(ctx context.Context, key name.Key, change func(department.Department, money.Percent) (ports.DepartmentChange, error)) (_ department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.update").End(&err)
	return s.step(ctx, key, func(t *tx, d department.Department) (ports.DepartmentChange, error) {
		c, err := readCompany(t)
		if err != nil {
			return ports.DepartmentChange{}, err
		}
		step, err := change(d, c.sharesBut(key))
		if err == nil && !slices.Equal(step.State.Policies.ProtectedLabels, d.Policies.ProtectedLabels) {
			t.changeRules(key)
		}
		if err == nil && step.State.BudgetPercent != d.BudgetPercent {
			t.update(metaColl, companyID, mongodb.Increment(mongodb.Is("guard", 1)), nil)
		}
		return step, err
	}, (*tx).updateDepartment)
}

// Reorder implements [ports.DepartmentStore]. Two reorders conflict in a document that
// both write, a reorder and a change of a member in the member.
func (s *Departments) Reorder(ctx context.Context, key name.Key, order func(department.Department, []agent.Member) (ports.DepartmentChange, error)) (_ department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.reorder").End(&err)
	return finishing(ctx, s.db, agentsColl, func() (_ department.Department, unfinished bool, err error) {
		d, err := s.step(ctx, key, func(t *tx, d department.Department) (step ports.DepartmentChange, err error) {
			unfinished = false
			if err := mustBeFinished(t, agentsColl); err != nil {
				return step, err
			}
			members, err := readMembers(t, key)
			if err != nil {
				return step, err
			}
			if step, err = order(d, members); err == nil && step.Effective() {
				t.upsert(metaColl, reordersID, mongodb.Increment(mongodb.Is("agents", 1)))
				unfinished = t.reorder(agentsColl, moved(members, step.Members, slotOfMember))
			}
			return step, err
		}, (*tx).updateDepartment)
		return d, unfinished, err
	})
}

func slotOfMember(m agent.Member) slot { return slot{string(m.ID), string(m.OrderKey)} }

// Delete implements [ports.DepartmentStore].
func (s *Departments) Delete(ctx context.Context, key name.Key, remove func(department.Department, int64, company.Company) (ports.DepartmentChange, error)) (err error) {
	defer s.db.observer.Begin(&ctx, "departments.delete").End(&err)
	_, err = s.step(ctx, key, func(t *tx, d department.Department) (ports.DepartmentChange, error) {
		n, err := headcounts(t, []name.Key{key})
		if err != nil {
			return ports.DepartmentChange{}, err
		}
		c, err := readCompany(t)
		if err != nil {
			return ports.DepartmentChange{}, err
		}
		return remove(d, n[key].Total, c.Company)
	}, func(t *tx, step ports.DepartmentChange) {
		t.updateCompany(step.Company)
		t.remove(departmentsColl, string(key))
		t.removeHeadcounts(key)
	})
	return err
}

// step stores what decide makes of a department. store writes an effective step
// without its audit entry.
func (s *Departments) step(ctx context.Context, key name.Key,
	decide func(*tx, department.Department) (ports.DepartmentChange, error),
	store func(*tx, ports.DepartmentChange),
) (department.Department, error) {
	step, err := write(ctx, s.db.engine, func(t *tx) (step ports.DepartmentChange, err error) {
		d, err := findDepartment(t, key, departmentDoc.department)
		if err != nil {
			return step, err
		}
		if step, err = decide(t, d); err != nil {
			return step, err
		}
		t.addTrail(step.Trail, step.Effective())
		if step.Effective() {
			store(t, step)
		}
		return step, nil
	}, needByID(departmentsColl, string(key)))
	return step.State, err
}

// findDepartment returns a department, or department.ErrNotFound.
func findDepartment[T any](r reader, key name.Key, convert func(departmentDoc) (T, error), opts ...options.Lister[options.FindOneOptions]) (T, error) {
	d, err := get(r, departmentsColl, mongodb.ByID(string(key)), convert, opts...)
	return d, mongodb.NotFound(err, "department", string(key), department.ErrNotFound)
}

// departmentDoc is a department.
type departmentDoc struct {
	Key      string `bson:"_id"`
	ID       string `bson:"id"`
	Name     string `bson:"name"`
	OrderKey string `bson:"order_key"`
	Share    int64  `bson:"share"`
	Doc      string `bson:"doc"`
	Revision int64  `bson:"revision"`
	Created  int64  `bson:"created"`
	Updated  int64  `bson:"updated"`
}

func departmentOf(d department.Department) departmentDoc {
	return departmentDoc{
		Key: string(d.Name.Key), ID: d.ID, Name: d.Name.Text, OrderKey: string(d.OrderKey), Share: int64(d.BudgetPercent),
		Doc: string(d.Canonical()), Revision: d.Revision, Created: mongodb.Millis(d.CreatedAt), Updated: mongodb.Millis(d.UpdatedAt),
	}
}

func (d departmentDoc) name() name.Name { return name.Name{Text: d.Name, Key: name.Key(d.Key)} }

func (d departmentDoc) department() (department.Department, error) {
	found, err := department.Parse(d.Doc)
	if err != nil {
		return department.Department{}, fmt.Errorf("mongostore: read department %q: %w", d.Key, err)
	}
	found.ID, found.Name, found.OrderKey, found.Revision = d.ID, d.name(), company.OrderKey(d.OrderKey), d.Revision
	found.CreatedAt, found.UpdatedAt = mongodb.FromMillis(d.Created), mongodb.FromMillis(d.Updated)
	return found, nil
}

// updateDepartment writes what a step changes of a department. Its order key is left
// out: a change of the company writes it.
func (t *tx) updateDepartment(step ports.DepartmentChange) {
	d := departmentOf(step.State)
	t.update(departmentsColl, d.Key, mongodb.Set(
		mongodb.Is("share", d.Share), mongodb.Is("doc", d.Doc), mongodb.Is("revision", d.Revision), mongodb.Is("updated", d.Updated),
	), nil)
}

// readMembers returns the agents of a department in their order.
func readMembers(r reader, department name.Key) ([]agent.Member, error) {
	return every(r, agentsColl, bson.D{mongodb.Is("department", string(department))}, func(d agentDoc) (agent.Member, error) {
		return agent.Member{ID: agent.ID(d.ID), Name: name.Key(d.Key), OrderKey: agent.OrderKey(d.OrderKey)}, nil
	}, options.Find().SetSort(mongodb.By("order_key", "_id")).SetProjection(mongodb.By("key", "order_key")))
}

// departmentFor returns the department that an agent joins, or agent.ErrDepartment.
func departmentFor(t *tx, asked name.Name) (departmentDoc, error) {
	d, err := findDepartment(t, asked.Key, asStored)
	if errors.Is(err, department.ErrNotFound) {
		return d, agent.NoDepartment(asked)
	}
	return d, err
}

// headcountDoc is a part of a department's headcount, which may be negative.
//
// A department has all its parts from the beginning, and a deletion removes them
// all. So a hire into a department that is being deleted conflicts with the deletion
// in the part that it adds to: one of them does not commit. For that reason nothing
// makes a part that is missing.
type headcountDoc struct {
	ID     string `bson:"_id"`
	Total  int64  `bson:"total"`
	Active int64  `bson:"active"`
}

func headcountID(department name.Key, shard int) string {
	return fmt.Sprintf("%s\n%02d", department, shard)
}

func (t *tx) insertHeadcounts(department name.Key) {
	for i := range shards {
		t.insert(headcountsColl, headcountDoc{ID: headcountID(department, i)}, nil)
	}
}

func (t *tx) removeHeadcounts(department name.Key) {
	for i := range shards {
		t.remove(headcountsColl, headcountID(department, i))
	}
}

// headcounts counts the agents of departments; unknown ones have none.
func headcounts(r reader, departments []name.Key) (map[name.Key]agent.Counts, error) {
	ids := make([]string, 0, len(departments)*shards)
	for _, d := range departments {
		for i := range shards {
			ids = append(ids, headcountID(d, i))
		}
	}
	counts := make(map[name.Key]agent.Counts, len(departments))
	parts, err := all[headcountDoc](r, headcountsColl, bson.D{mongodb.In("_id", ids)})
	for _, p := range parts {
		d, _, _ := strings.Cut(p.ID, "\n")
		n := counts[name.Key(d)]
		counts[name.Key(d)] = agent.Counts{Total: n.Total + p.Total, Active: n.Active + p.Active}
	}
	return counts, err
}

// recount counts the change of an agent from one identity to another; nil means that
// there is none.
func (t *tx) recount(from, to *identity.Content) {
	switch {
	case from == nil:
		t.count(to, 1)
	case to == nil:
		t.count(from, -1)
	case from.Department.Key != to.Department.Key || active(from) != active(to):
		t.count(from, -1)
		t.count(to, 1)
	}
}

func active(c *identity.Content) int64 {
	if c.Status == identity.Active {
		return 1
	}
	return 0
}

func (t *tx) count(c *identity.Content, n int64) {
	t.update(headcountsColl, headcountID(c.Department.Key, t.shard), mongodb.Increment(mongodb.Is("total", n), mongodb.Is("active", n*active(c))), nil)
}
