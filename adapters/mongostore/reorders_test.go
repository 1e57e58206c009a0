package mongostore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/idempotency"
	"orgd/domain/name"
	"orgd/ports"
)

// crowd puts agents into a department, which it makes, and returns all in their order.
func (o *office) crowd(title string, members int) []agent.Member {
	o.Helper()
	o.must(o.createDepartment(o.Context(), title, 1))
	first := o.hire(title)
	template, err := one[agentDoc](o.db.ask(o.Context()), agentsColl, mongodb.ByID(string(first)))
	o.must(err)
	docs := make([]agentDoc, members-1)
	for i := range docs {
		d := template
		d.ID = newID()
		d.Key, d.Name, d.OrderKey = "agent "+d.ID, "agent "+d.ID, d.ID
		docs[i] = d
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // else the driver's own time-out counts
	defer cancel()
	_, err = o.db.coll(agentsColl).InsertMany(ctx, docs)
	o.must(err)
	return o.membersOf(title)
}

func (o *office) membersOf(title string) []agent.Member {
	o.Helper()
	members, err := readMembers(o.db.ask(o.Context()), key(title))
	o.must(err)
	return members
}

func memberIDs(members []agent.Member) (ids []agent.ID) {
	for _, m := range members {
		ids = append(ids, m.ID)
	}
	return ids
}

// wantOrder checks the order of a department's agents, who have these order keys.
func (o *office) wantOrder(what, title string, want []agent.Member, keys []agent.Member) {
	o.Helper()
	got := o.membersOf(title)
	if !slices.Equal(memberIDs(got), memberIDs(want)) {
		o.Errorf("%s: the order of %d agents is another one", what, len(got))
	}
	for i, m := range got {
		if m.OrderKey != keys[i].OrderKey {
			o.Fatalf("%s: agent %d has the order key %s, want %s", what, i, m.OrderKey, keys[i].OrderKey)
		}
	}
}

func reversedMembers(members []agent.Member) []agent.Member {
	list := slices.Clone(members)
	slices.Reverse(list)
	return list
}

// The order of many agents is changed, with an idempotency key and without.
func TestLongReorder(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	before := o.crowd("Sales", 5000)
	for i, r := range []*idempotency.Record{nil, newRecord(idempotency.MaxReply)} {
		start := time.Now()
		o.must(o.reverse(t.Context(), "Sales", r))
		fmt.Fprintln(t.Output(), "reorder:", time.Since(start))
		want := [][]agent.Member{reversedMembers(before), before}[i]
		o.wantOrder("after the reorder", "Sales", want, before)
	}
}

// Few order keys are written at once, many in parts.
func TestReorderIsInParts(t *testing.T) {
	slots := make([]slot, 2*reorderPart+1)
	for i := range slots {
		slots[i] = slot{fmt.Sprint(i), "key"}
	}
	few, many := &tx{}, &tx{}
	if few.reorder(agentsColl, slots[:reorderPart]) || len(few.ops) != reorderPart {
		t.Errorf("a reorder of %d writes %d documents, want as many and no part", reorderPart, len(few.ops))
	}
	if !many.reorder(agentsColl, slots) || len(many.ops) != 3 {
		t.Errorf("a reorder of %d writes %d documents, want three parts", len(slots), len(many.ops))
	}
}

// abandon makes a reorder whose process dies before it has written more than some parts.
func (o *office) abandon(title string, parts int, r *idempotency.Record) {
	o.Helper()
	ctx, die := context.WithCancel(o.Context())
	dying := officeOf(o, o.db.replica(o))
	left := parts
	err := func() error {
		_, err := finishing(ctx, dying.db, agentsColl, func() (none struct{}, unfinished bool, err error) {
			err = dying.db.write(ctx, func(t *tx) error {
				members, err := readMembers(t, key(title))
				slots := moved(members, newKeys(members), slotOfMember)
				t.upsert(metaColl, reordersID, mongodb.Increment(mongodb.Is("agents", 1)))
				t.reorder(agentsColl, slots)
				t.addTrail(trail(audit.Department(title), r), true)
				return err
			})
			for ; left > 0 && err == nil; left-- {
				err = dying.db.write(ctx, func(t *tx) error { _, err := t.reorderPart(agentsColl); return err })
			}
			die()
			return none, true, err
		})
		return err
	}()
	if !errors.Is(err, ports.ErrUnavailable) {
		o.Fatalf("the reorder that is abandoned = %v, want ErrUnavailable", err)
	}
}

// newKeys are members in reverse order.
func newKeys(members []agent.Member) []agent.Member {
	next := reversedMembers(members)
	for i := range next {
		next[i].OrderKey = members[i].OrderKey
	}
	return next
}

// TestAbandonedReorder has a process die after it has accepted a reorder. Whoever needs it
// finishes it.
func TestAbandonedReorder(t *testing.T) {
	t.Parallel()
	const many = 2*reorderPart + 100
	for what, finish := range map[string]func(*testing.T, *office, *idempotency.Record) (again bool){
		"background job": func(t *testing.T, o *office, _ *idempotency.Record) bool {
			job := o.db.NewReorderFinisher()
			for range 3 { // the second time nothing has changed, the third time there is none
				o.must(job.Run(t.Context()))
			}
			return false
		},
		"repeated request": func(t *testing.T, o *office, r *idempotency.Record) bool {
			kept, err := o.Idempotency.Lock(t.Context(), idempotency.Lock{Key: r.Key, Fingerprint: r.Fingerprint, Owner: "o", At: now()})
			if o.must(err); kept == nil {
				t.Error("the record is not there")
			}
			return false
		},
		"another reorder of it": func(t *testing.T, o *office, _ *idempotency.Record) bool {
			o.must(o.reverse(t.Context(), "Sales", nil))
			return true
		},
		"reorder of another department": func(t *testing.T, o *office, _ *idempotency.Record) bool {
			o.must(o.reverse(t.Context(), "Ops", nil))
			return false
		},
	} {
		for parts := range 2 {
			t.Run(fmt.Sprint(what, " after ", parts, " parts"), func(t *testing.T) {
				o := newOffice(t)
				before := o.crowd("Sales", many)
				o.must(o.createDepartment(t.Context(), "Ops", 1))
				o.hire("Ops")
				o.hire("Ops")
				r := newRecord(10)
				o.abandon("Sales", parts, r)
				want := reversedMembers(before)
				if finish(t, o, r) {
					want = before
				}
				o.wantOrder("finished", "Sales", want, before)
				if n, err := o.db.coll(reordersColl).CountDocuments(t.Context(), bson.D{}); n != 0 || err != nil {
					t.Errorf("%d parts are left, %v", n, err)
				}
			})
		}
	}
}

// Agents leave, move and come while a reorder is unfinished, and their department is
// deleted: no order key is given twice.
func TestChangesDuringAReorder(t *testing.T) {
	const many = 2*reorderPart + 100
	o := newOffice(t)
	o.crowd("Sales", many-1)
	gone := o.hire("Sales")
	before := o.membersOf("Sales")
	moving := before[0].ID // the other one that is more than a document
	o.must(o.createDepartment(t.Context(), "Ops", 1))
	o.abandon("Sales", 1, nil)
	o.must(o.patch(t.Context(), moving, `{"department":"Ops"}`))
	_, err := o.Agents.Update(t.Context(), refOf(gone), func(a agent.Agent) (ports.AgentChange, error) {
		return ports.AgentChange{Step: a.Fire(cause()), Trail: trail(audit.Agent(string(gone)), nil)}, nil
	})
	o.must(err)
	hired := o.hire("Sales")
	o.must(o.reverse(t.Context(), "Ops", nil))
	want := append(reversedMembers(before)[1:many-1], agent.Member{ID: hired})
	got := o.membersOf("Sales")
	if !slices.Equal(memberIDs(got), memberIDs(want)) {
		t.Errorf("the order of %d agents is not that of the reorder of %d", len(got), len(want))
	}
	holders := map[agent.OrderKey]agent.ID{}
	for _, m := range append(got, o.membersOf("Ops")...) {
		if other, taken := holders[m.OrderKey]; taken {
			t.Fatalf("%s and %s have the order key %s", m.ID, other, m.OrderKey)
		}
		holders[m.OrderKey] = m.ID
	}
}

// The departments are reordered in parts as agents are.
func TestLongReorderOfDepartments(t *testing.T) {
	const many = 2*reorderPart + 100
	o := newOffice(t)
	o.must(o.createDepartment(t.Context(), "First", 0))
	template, err := one[departmentDoc](o.db.ask(t.Context()), departmentsColl, mongodb.ByID("first"))
	o.must(err)
	docs := make([]departmentDoc, many-1)
	for i := range docs {
		d := template
		d.ID = newID()
		d.Key, d.Name, d.OrderKey = "d "+d.ID, "d "+d.ID, d.ID
		docs[i] = d
	}
	_, err = o.db.coll(departmentsColl).InsertMany(t.Context(), docs)
	o.must(err)
	reverse := func(ctx context.Context) ([]name.Key, error) {
		at, n := now(), trail(audit.Company, nil)
		c, err := o.Company.Update(ctx, func(c company.Company, _ bool) (ports.Change[company.Company], error) {
			var order []name.Key
			for _, s := range slices.Backward(c.Slots) {
				order = append(order, s.Department)
			}
			next, err := c.Reorder(order, at)
			return ports.Change[company.Company]{State: next, From: c.Revision, Trail: n}, err
		})
		var keys []name.Key
		for _, s := range c.Slots {
			keys = append(keys, s.Department)
		}
		return keys, err
	}
	for range 2 {
		want, err := reverse(t.Context())
		o.must(err)
		stored, err := o.Company.Company(t.Context())
		o.must(err)
		var got []name.Key
		for _, s := range stored.Slots {
			got = append(got, s.Department)
		}
		if len(got) != many || !slices.Equal(got, want) {
			t.Errorf("the order of %d departments is not that of the reorder", len(got))
		}
	}
}
