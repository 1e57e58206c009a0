package mongostore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/project"
	"orgd/domain/webhook"
	"orgd/ports"
	"orgd/ports/portstest"
)

// maxDocument is how many bytes of a document MongoDB takes.
const maxDocument = 16 << 20

// debtor is a home whose changes owe something each.
type debtor struct {
	home   home
	most   int              // debts that it may have
	change func(n int) step // the n-th
	// owed finds, in the collections besides, what changes of the home owe: each
	// of them one document.
	owed map[string]bson.D
}

// debtors make the home of each kind that can have debts of several changes, and
// the company, which never has.
var debtors = map[string]func(*office) debtor{
	"agent": func(o *office) debtor {
		o.found("Sales")
		id := o.hire("Bob", "Sales")
		return debtor{home{agentsColl, string(id)}, maxDebts, func(n int) step {
			level := otherLevels[n%len(otherLevels)] // which owes an event
			large := strings.Repeat(`\u0001`, 128<<10-1) + string(rune('a'+n))
			do := o.changing(id, fmt.Sprintf(`{"level":%q,"instructions":"%s"}`, level, large))
			return step{do: func(ctx context.Context, st portstest.Stores) error {
				_, err := st.Agents.Update(ctx, refOf(id), do)
				return err
			}}
		}, map[string]bson.D{
			auditColl:    about(audit.Agent(string(id))),
			versionsColl: {startsWith("_id", string(id)+"/")},
			eventsColl:   {is("agent", string(id))},
		}}
	},
	"company": func(o *office) debtor {
		o.found("Sales")
		return debtor{companyHome, 1, func(n int) step {
			return o.adapting("Sales", fmt.Sprintf(`{"description":"%d"}`, n))
		}, map[string]bson.D{auditColl: about(audit.Department("Sales"))}}
	},
	"project": func(o *office) debtor {
		p := o.project()
		return debtor{home{projectsColl, string(p.ID)}, maxDebts, func(n int) step {
			return o.replan(p.ID, fmt.Sprintf(`{"description":"%d"}`, n))
		}, map[string]bson.D{auditColl: about(audit.Project(string(p.ID))), receiptsColl: {is("done", true)}}}
	},
	"session": func(o *office) debtor {
		o.must(o.Sessions.See(o.Context(), o.session("sid")))
		return debtor{home{sessionsColl, "sid"}, maxDebts, func(n int) step {
			s, note := o.session("sid"), o.note(audit.Session("sid"), nil)
			r := s.Revoke("ann", epoch.Add(time.Duration(n)*time.Second))
			return step{do: func(ctx context.Context, st portstest.Stores) error { return st.Sessions.Revoke(ctx, r, note) }}
		}, map[string]bson.D{auditColl: about(audit.Session("sid"))}}
	},
	"webhook": func(o *office) debtor {
		h := o.hook()
		return debtor{home{webhooksColl, string(h.ID)}, maxDebts, func(n int) step {
			d := must(h.Probe(activity.ID(o.id()), o.now()))
			return o.rewire(h, o.receipt(), func(h webhook.Webhook) ports.WebhookStep {
				return ports.WebhookStep{Webhook: h, From: h.Revision, Deliver: &d}
			})
		}, map[string]bson.D{
			auditColl: about(audit.Webhook(string(h.ID))), receiptsColl: {is("done", true)}, deliveriesColl: {is("webhook", string(h.ID))},
		}}
	},
}

// otherLevels are those that nobody is hired with: so many changes of a level owe
// an event each, whatever their order.
var otherLevels = []string{"junior", "senior", "lead", "principal", "director", "vp", "c_suite"}

// about finds the audit entries of a thing.
func about(of audit.Resource) bson.D { return bson.D{is("resource", string(of))} }

// project starts one.
func (o *office) project() project.Project {
	o.Helper()
	id := project.NewID(epoch, 1)
	p := must(project.New(id, must(project.ParseNew(value(`{"name":"P"}`))), o.now()))
	o.must(o.Projects.Create(o.Context(), ports.ProjectStep{Project: p, Note: o.note(audit.Project(string(id)), nil)}))
	return p
}

// replan is a change of a project that leaves a receipt.
func (o *office) replan(id project.ID, patch string) step {
	p, at, note := must(project.ParsePatch(value(patch))), o.now(), o.note(audit.Project(string(id)), o.receipt())
	return step{func(ctx context.Context, st portstest.Stores) error {
		_, err := st.Projects.Update(ctx, id, func(before project.Project) (ports.ProjectStep, error) {
			next, err := before.Change(p, at)
			return ports.ProjectStep{Project: next, From: before.Revision, Note: note}, err
		})
		return err
	}, note.Receipt}
}

// TestDebtsAreBounded changes a home again and again while its debts cannot be
// paid. Changes are true until it owes as much as it may, and from then on
// refused without a trace. Once debts can be paid the next change pays them
// first, and what follows from each change is there once.
func TestDebtsAreBounded(t *testing.T) {
	for what, prepare := range debtors {
		for _, point := range []string{"settle.begin", "settle.audit", "settle.paid"} {
			t.Run(what+" that stops at "+point, func(t *testing.T) {
				t.Parallel()
				o := newOffice(t)
				d := prepare(o)
				before := o.countOwed(d)
				o.stopAt(point)
				o.pileUp(d)
				o.wantPaidFirst(d)
				o.wantPaid(d, before, d.most+1)
			})
		}
	}
}

// TestDebtsAreBoundedAmongWriters changes a home on many replicas at once, while
// no debt can be paid, and leaves the rest to the sweeper.
func TestDebtsAreBoundedAmongWriters(t *testing.T) {
	for what, prepare := range debtors {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			d := prepare(o)
			before := o.countOwed(d)
			o.stopAt("settle.begin")
			var all sync.WaitGroup
			for n := range otherLevels {
				other, s := o.replica(), d.change(n)
				other.hook = o.db.hook
				all.Go(func() {
					if err := s.do(t.Context(), storesOf(other)); !errors.Is(err, errCrash) {
						t.Errorf("change %d = %v, want %v", n, err, errCrash)
					}
				})
			}
			all.Wait()
			o.wantDebts(d, d.most)
			o.db.hook = nil
			o.clock.advance(10 * time.Second)
			o.must(o.db.Sweep(t.Context()))
			o.wantPaid(d, before, d.most)
		})
	}
}

// stopAt lets everything stop at a point that comes there.
func (o *office) stopAt(point string) {
	o.db.hook = func(at string) error {
		if at == point {
			return errCrash
		}
		return nil
	}
}

// pileUp changes a home more often than it may have debts.
func (o *office) pileUp(d debtor) {
	o.Helper()
	var full bson.Raw
	for n := range 3 * maxDebts {
		if err := d.change(n).do(o.Context(), o.Stores); !errors.Is(err, errCrash) {
			o.Errorf("change %d = %v, want %v", n, err, errCrash)
		}
		now := o.wantDebts(d, min(n+1, d.most))
		switch {
		case full != nil && !bytes.Equal(now, full):
			o.Errorf("change %d of a home that was full has left a trace", n)
		case n+1 == d.most:
			full = now
		}
	}
	if len(full) > maxDocument {
		o.Errorf("the home has %d bytes, want at most %d", len(full), maxDocument)
	}
}

// wantDebts checks how many debts a home has, and returns all of it.
func (o *office) wantDebts(d debtor, want int) (raw bson.Raw) {
	o.Helper()
	o.must(o.db.find(o.Context(), o.db.coll(d.home.Coll), byKey(d.home.ID), nil, &raw))
	var h head
	o.must(bson.Unmarshal(raw, &h))
	if len(h.Pending) != want {
		o.Errorf("%s %s has %d debts, want %d", d.home.Coll, d.home.ID, len(h.Pending), want)
	}
	return raw
}

// wantPaidFirst changes a home that is full, when debts can be paid, and checks
// that all of them were paid before the change was true.
func (o *office) wantPaidFirst(d debtor) {
	o.Helper()
	var mu sync.Mutex
	var points []string
	o.db.hook = func(at string) error {
		mu.Lock()
		defer mu.Unlock()
		if at == "settle.paid" || at == "commit.before" {
			points = append(points, at)
		}
		return nil
	}
	o.must(d.change(3*maxDebts).do(o.Context(), o.Stores))
	o.db.hook = nil
	want := append(slices.Repeat([]string{"settle.paid"}, d.most), "commit.before", "settle.paid")
	if !slices.Equal(points, want) {
		o.Errorf("the next change passed %q, want %q", points, want)
	}
}

// countOwed counts what changes of a home have left besides.
func (o *office) countOwed(d debtor) map[string]int64 {
	o.Helper()
	n := map[string]int64{}
	for coll, filter := range d.owed {
		n[coll] = o.count(coll, filter)
	}
	return n
}

// wantPaid checks that what so many changes owed is there once, and that nobody
// owes anything.
func (o *office) wantPaid(d debtor, before map[string]int64, changes int) {
	o.Helper()
	for coll, n := range o.countOwed(d) {
		if n -= before[coll]; n != int64(changes) {
			o.Errorf("%s: %d for %d changes that are true", coll, n, changes)
		}
	}
	o.wantWhole()
}
