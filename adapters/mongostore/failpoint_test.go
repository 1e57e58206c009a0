package mongostore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/money"
	"orgd/domain/project"
	"orgd/domain/receipt"
	"orgd/domain/webhook"
	"orgd/ports"
	"orgd/ports/portstest"
)

// step is one change, the same at every try.
type step struct {
	do      func(context.Context, portstest.Stores) error
	receipt *receipt.Receipt // that it leaves, or nil
}

// steps prepare a store and return the change that is interrupted.
var steps = map[string]func(*office) step{
	"hire": func(o *office) step {
		o.found("Sales")
		s := o.hiring("Bob", "Sales", o.receipt())
		return step{func(ctx context.Context, st portstest.Stores) error { return portstest.Hire(ctx, st.Agents, s) }, s.Receipt}
	},
	"change and rename and move": func(o *office) step {
		o.found("Sales")
		o.found("Ops")
		return o.update(`{"name":"Bobby","level":"vp","department":"Ops"}`)
	},
	"change": func(o *office) step {
		o.found("Sales")
		return o.update(`{"level":"vp","status":"terminated"}`)
	},
	"fire": func(o *office) step {
		o.found("Sales")
		id := o.hire("Bob", "Sales")
		do := o.firing(id)
		return step{do: func(ctx context.Context, st portstest.Stores) error {
			_, err := st.Agents.Update(ctx, identity.Ref{ID: id}, do)
			return err
		}}
	},
	"found a department": func(o *office) step {
		r := o.receipt()
		do := o.founding("Sales", r)
		return step{func(ctx context.Context, st portstest.Stores) error {
			_, err := st.Departments.Create(ctx, "sales", do)
			return err
		}, r}
	},
	"change a department": func(o *office) step {
		o.found("Sales")
		return o.adapting("Sales", `{"budget_percent":100,"description":"x"}`)
	},
	"reorder agents": func(o *office) step {
		o.found("Sales")
		for _, title := range []string{"a", "b", "c"} {
			o.hire(title, "Sales")
		}
		r := o.receipt()
		do := o.reversing("Sales", r)
		return step{func(ctx context.Context, st portstest.Stores) error {
			_, err := st.Departments.Reorder(ctx, "sales", do)
			return err
		}, r}
	},
	"delete a department": func(o *office) step {
		o.found("Sales")
		do := o.dissolving("Sales")
		return step{do: func(ctx context.Context, st portstest.Stores) error {
			return st.Departments.Delete(ctx, "sales", do)
		}}
	},
	"change the company": func(o *office) step {
		o.found("Sales")
		p, at, note := must(company.ParsePatch(value(`{"currency":"EUR"}`))), o.now(), o.note(audit.Company, nil)
		return step{do: func(ctx context.Context, st portstest.Stores) error {
			_, err := st.Company.Update(ctx, func(c company.Company, costs bool) (ports.CompanyStep, error) {
				next, err := c.Change(p, costs, at)
				return ports.CompanyStep{Company: next, From: c.Revision, Note: note}, err
			})
			return err
		}}
	},
	"start a project": func(o *office) step {
		id := project.NewID(epoch, 1)
		p := must(project.New(id, must(project.ParseNew(value(`{"name":"P"}`))), o.now()))
		s := ports.ProjectStep{Project: p, Note: o.note(audit.Project(string(id)), o.receipt())}
		return step{func(ctx context.Context, st portstest.Stores) error { return st.Projects.Create(ctx, s) }, s.Receipt}
	},
	"issue a session": func(o *office) step {
		s, note := o.session("sid"), o.note(audit.Session("sid"), o.receipt())
		return step{func(ctx context.Context, st portstest.Stores) error { return st.Sessions.Issue(ctx, s, note) }, note.Receipt}
	},
	"revoke a session": func(o *office) step {
		o.must(o.Sessions.See(o.Context(), o.session("sid")))
		r, note := o.session("sid").Revoke("ann", epoch), o.note(audit.Session("sid"), nil)
		return step{do: func(ctx context.Context, st portstest.Stores) error { return st.Sessions.Revoke(ctx, r, note) }}
	},
	"make a webhook": func(o *office) step {
		s := o.hooking()
		s.Receipt = o.receipt()
		return step{func(ctx context.Context, st portstest.Stores) error { return st.Webhooks.Create(ctx, s) }, s.Receipt}
	},
	"give a webhook another secret": func(o *office) step {
		h, at := o.hook(), o.now()
		return o.rewire(h, o.receipt(), func(h webhook.Webhook) ports.WebhookStep {
			next := must(h.Rotate(webhook.Secret{9}, at))
			return ports.WebhookStep{Webhook: next, From: h.Revision}
		})
	},
	"test a webhook": func(o *office) step {
		h := o.hook()
		d := must(h.Probe(activity.ID(o.id()), o.now()))
		return o.rewire(h, o.receipt(), func(h webhook.Webhook) ports.WebhookStep {
			return ports.WebhookStep{Webhook: h, From: h.Revision, Deliver: &d}
		})
	},
	"deliver again": func(o *office) step {
		h := o.hook()
		d := o.delivered(h)
		d = must(h.Again(d, o.now(), o.id()))
		return o.rewire(h, nil, func(h webhook.Webhook) ports.WebhookStep {
			return ports.WebhookStep{Webhook: h, From: h.Revision, Deliver: &d}
		})
	},
	"delete a webhook": func(o *office) step {
		h := o.hook()
		return o.rewire(h, nil, func(h webhook.Webhook) ports.WebhookStep {
			return ports.WebhookStep{Webhook: h, From: h.Revision, Deleted: true}
		})
	},
	"report events": func(o *office) step {
		o.found("Sales")
		reports, r := o.reports(o.hire("Bob", "Sales"), 7), o.receipt()
		note := o.note(audit.Activities, r)
		return step{func(ctx context.Context, st portstest.Stores) error {
			_, err := st.Activities.Append(ctx, reports, func(ports.Counted) ports.Note { return note })
			return err
		}, note.Receipt}
	},
}

func (o *office) update(patch string) step {
	id := o.hire("Bob", "Sales")
	do := o.changing(id, patch)
	return step{do: func(ctx context.Context, st portstest.Stores) error {
		_, err := st.Agents.Update(ctx, identity.Ref{ID: id}, do)
		return err
	}}
}

// adapting is a change of a department.
func (o *office) adapting(title, patch string) step {
	p, at, note := must(department.ParsePatch(value(patch))), o.now(), o.note(audit.Department(title), nil)
	return step{do: func(ctx context.Context, st portstest.Stores) error {
		_, err := st.Departments.Update(ctx, key(title), func(d department.Department, others money.Percent) (ports.DepartmentStep, error) {
			next, err := d.Change(p, others, at)
			return ports.DepartmentStep{Department: next, From: d.Revision, Note: note}, err
		})
		return err
	}}
}

var errCrash = errors.New("crashed here")

// TestCrash stops every change at every point between its steps. Whoever reads
// then sees all of it or nothing; and it is whole, and happened once, after the
// sweeper or a second try has come along.
func TestCrash(t *testing.T) {
	for what, prepare := range steps {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			before, after, points := rehearse(t, prepare)
			for i, point := range points {
				repair := []string{"sweep", "retry"}[i%2]
				t.Run(point+", then "+repair, func(t *testing.T) { crash(t, prepare, point, repair, before, after) })
			}
		})
	}
}

// rehearse does the change undisturbed and notes the points that it passes.
func rehearse(t *testing.T, prepare func(*office) step) (before, after state, points []string) {
	o := newOffice(t)
	s := prepare(o)
	before = o.look(o.db)
	var mu sync.Mutex
	o.db.hook = func(point string) error {
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(points, point) {
			points = append(points, point)
		}
		return nil
	}
	o.must(s.do(o.Context(), o.Stores))
	o.db.hook = nil
	o.wantWhole()
	return before, o.look(o.db), points
}

func crash(t *testing.T, prepare func(*office) step, point, repair string, before, after state) {
	o := newOffice(t)
	s := prepare(o)
	var mu sync.Mutex
	dead := false
	o.db.hook = func(at string) error {
		mu.Lock()
		defer mu.Unlock()
		if dead = dead || at == point; dead {
			return errCrash
		}
		return nil
	}
	if err := s.do(o.Context(), o.Stores); !errors.Is(err, errCrash) {
		t.Fatalf("the change = %v, want to stop at %s", err, point)
	}
	other := o.replica()
	o.clock.advance(batchesAge * time.Millisecond * 2)
	seen := o.look(other)
	isBefore, isAfter := diff(before, seen) == "", diff(after, seen) == ""
	if !isBefore && !isAfter {
		t.Errorf("after stopping at %s somebody sees neither the state before nor after (-before +seen):\n%s", point, diff(before, seen))
	}
	o.clock.advance(10 * time.Second)
	if repair == "sweep" {
		o.must(other.Sweep(t.Context()))
		o.wantWhole()
	}
	o.again(other, s, after)
	o.must(other.Sweep(t.Context()))
	o.wantWhole()
	if d := diff(after, o.look(other)); d != "" {
		t.Errorf("after the repair by %s (-want +got):\n%s", repair, d)
	}
}

// again does what a client does that got no answer: it asks again with the same
// key or, without one, looks first.
func (o *office) again(db *DB, s step, after state) {
	o.Helper()
	stores := storesOf(db)
	if s.receipt == nil {
		if diff(after, o.look(db)) != "" {
			o.must(s.do(o.Context(), stores))
		}
		return
	}
	claim := ports.Claim{Key: s.receipt.Key, Fingerprint: s.receipt.Fingerprint, Owner: "again", At: o.clock.Now()}
	kept, err := stores.Receipts.Claim(o.Context(), claim)
	o.must(err)
	if kept == nil {
		o.must(s.do(o.Context(), stores))
	}
	kept, err = stores.Receipts.Claim(o.Context(), claim)
	o.must(err)
	if kept == nil {
		o.Errorf("the receipt is missing")
	}
}
