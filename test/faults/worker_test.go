package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"

	"orgd/test/api"
)

// worker is a client that changes things of its own at random, one after the
// other, and keeps a ledger.
type worker struct {
	ledger
	id      int
	rng     *rand.Rand
	made    int     // things that were named
	pending *change // asked for when the service died
}

func newWorker(id int, seed uint64) *worker {
	return &worker{id: id, rng: rand.New(rand.NewPCG(seed, uint64(id))), ledger: ledger{touched: map[any]bool{}}}
}

// errNoAnswer says that the service did not answer a request.
var errNoAnswer = errors.New("no answer")

// run changes things until the service stops answering, which is
// [errNoAnswer], or answers what it must not.
func (w *worker) run(ctx context.Context, c *api.Client) error { return w.runUntil(ctx, c, nil) }

// runUntil is run until stop is closed, which is no error.
func (w *worker) runUntil(ctx context.Context, c *api.Client, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		if err := w.do(ctx, c, w.next()); err != nil {
			return err
		}
	}
}

// do makes one change.
func (w *worker) do(ctx context.Context, c *api.Client, next change) error {
	a, err := c.Do(ctx, next.request)
	if err != nil {
		w.pending = &next
		return fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	if a.Status != next.status {
		return fmt.Errorf("%s %s, want %d: %w", next.request.Method, next.request.Path, next.status, a.Err())
	}
	return next.apply(a)
}

// settle finds out what became of the change that was not answered.
func (w *worker) settle(ctx context.Context, c *api.Client) error {
	p := w.pending
	w.pending = nil
	if p == nil {
		return nil
	}
	a, err := p.happened(ctx, c)
	if err != nil || a == nil {
		return err
	}
	return p.apply(*a)
}

// next chooses what to do.
func (w *worker) next() change {
	agents := slices.DeleteFunc(slices.Clone(w.agents), func(r *agentRecord) bool { return r.deleted })
	switch n := w.rng.IntN(100); {
	case n < 15 || len(agents) == 0:
		return w.hire()
	case n < 20:
		return w.create("departments")
	case n < 28:
		return w.create("projects")
	case n < 40:
		return w.changeThing()
	case n < 55:
		return w.patch(pick(w.rng, agents))
	case n < 58:
		return w.rename(pick(w.rng, agents))
	case n < 64:
		return w.move(pick(w.rng, agents))
	case n < 74:
		return w.rollback(pick(w.rng, agents))
	case n < 80:
		return w.fire(pick(w.rng, agents))
	case n < 88:
		return w.label(pick(w.rng, agents))
	default:
		return w.report(pick(w.rng, agents))
	}
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// name returns a name that nothing else has.
func (w *worker) name(kind string) string {
	w.made++
	return fmt.Sprintf("%s %d of worker %d", kind, w.made, w.id)
}

// levels of agents, ascending, as far as the tests use them.
var levels = []string{"junior", "mid", "senior", "lead"}

func (w *worker) hire() change {
	r := &agentRecord{}
	first := content{Name: w.name("agent"), Department: department, Level: pick(w.rng, levels), Description: w.name("text")}
	return change{
		request: api.Request{Method: http.MethodPost, Path: "/agents", Body: map[string]any{
			"name": first.Name, "role": "worker", "department": first.Department, "level": first.Level, "description": first.Description,
		}},
		status: http.StatusCreated,
		apply: func(a api.Answer) error {
			r.versions = []content{first}
			w.agents = append(w.agents, r)
			w.touched[r] = true
			var v agentView
			err := a.Data(&v)
			r.id, r.tags = v.ID, a.TagPrefix()
			return err
		},
		happened: exists(api.Path("agents", first.Name)),
	}
}

// patch changes an agent, half of the time under the revision that it has.
func (w *worker) patch(r *agentRecord) change {
	next := r.now()
	next.Level, next.Description = pick(w.rng, levels), w.name("text")
	c := w.update(r, next, map[string]any{"level": next.Level, "description": next.Description})
	if w.rng.IntN(2) == 0 {
		c.request.IfMatch = fmt.Sprintf(`"%s%s.%d"`, r.tags, r.id, r.revision())
	}
	return c
}

// rename gives an agent another name.
func (w *worker) rename(r *agentRecord) change {
	next := r.now()
	next.Name = w.name("agent")
	return w.update(r, next, map[string]any{"name": next.Name})
}

// move brings an agent into another department: the crew's, or one of the
// worker's own.
func (w *worker) move(r *agentRecord) change {
	to := slices.DeleteFunc(w.places(), func(name string) bool { return name == r.now().Department })
	if len(to) == 0 {
		return w.rename(r)
	}
	next := r.now()
	next.Department = pick(w.rng, to)
	return w.update(r, next, map[string]any{"department": next.Department})
}

// places are the departments that the worker's agents may be in.
func (w *worker) places() []string {
	names := []string{department}
	for _, d := range w.departments {
		if !d.deleted {
			names = append(names, d.name)
		}
	}
	return names
}

// update changes an agent by a body to what it is next.
func (w *worker) update(r *agentRecord, next content, body map[string]any) change {
	next.restoredFrom = 0
	return change{
		request:  api.Request{Method: http.MethodPatch, Path: api.Path("agents", r.now().Name), Body: body},
		status:   http.StatusOK,
		apply:    w.version(r, next),
		happened: atRevision(api.Path("agents", r.id), r.revision()+1),
	}
}

// rollback takes an agent back to an earlier version whose content is another
// and whose department is still there.
func (w *worker) rollback(r *agentRecord) change {
	for range 10 {
		target := w.rng.IntN(len(r.versions))
		next := r.versions[target]
		if next.Description == r.now().Description || !slices.Contains(w.places(), next.Department) {
			continue
		}
		next.restoredFrom = int64(target + 1)
		return change{
			request: api.Request{
				Method: http.MethodPost, Path: api.Path("agents", r.id, "versions", "rollback"),
				Body: map[string]any{"target_version": target + 1},
			},
			status:   http.StatusOK,
			apply:    w.version(r, next),
			happened: atRevision(api.Path("agents", r.id), r.revision()+1),
		}
	}
	return w.patch(r) // it has only one content
}

// version writes the next version of an agent down.
func (w *worker) version(r *agentRecord, next content) func(api.Answer) error {
	return func(api.Answer) error {
		r.versions = append(r.versions, next)
		w.touched[r] = true
		return nil
	}
}

// label is the name of the label that workers move.
const label = "production"

// label has the label of an agent name another version.
func (w *worker) label(r *agentRecord) change {
	to := 1 + w.rng.Int64N(int64(len(r.versions)))
	if to == r.labeled() {
		return w.patch(r)
	}
	status := http.StatusOK
	if r.labeled() == 0 {
		status = http.StatusCreated
	}
	return change{
		request: api.Request{
			Method: http.MethodPut, Path: api.Path("agents", r.now().Name, "labels", label), Body: map[string]any{"version": to},
		},
		status: status,
		apply: func(api.Answer) error {
			r.moves = append(r.moves, to)
			w.touched[r] = true
			return nil
		},
		happened: atRevision(api.Path("agents", r.id), r.revision()+1),
	}
}

func (w *worker) fire(r *agentRecord) change {
	return change{
		request: api.Request{Method: http.MethodDelete, Path: api.Path("agents", r.now().Name)},
		status:  http.StatusNoContent,
		apply: func(api.Answer) error {
			r.deleted = true
			w.touched[r] = true
			return nil
		},
		happened: atRevision(api.Path("agents", r.id), 0),
	}
}

// maxBatch bounds how many events a worker reports at once.
const maxBatch = 20

// report reports that an agent has completed some tasks.
func (w *worker) report(r *agentRecord) change {
	ids := make([]string, 1+w.rng.IntN(maxBatch))
	events := make([]map[string]any, len(ids))
	for i := range ids {
		ids[i] = randomID(w.rng)
		events[i] = map[string]any{
			"id": ids[i], "event_type": "task_completed", "agent": r.now().Name,
			"data": map[string]any{"task_id": ids[i], "success": true, "cost": 0.25},
		}
	}
	return change{
		request: api.Request{Method: http.MethodPost, Path: "/activities", Body: map[string]any{"events": events}},
		status:  http.StatusCreated,
		apply: func(api.Answer) error {
			r.events = append(r.events, ids...)
			w.touched[r] = true
			return nil
		},
		happened: batchHappened(r.id, ids),
	}
}

// randomID returns a random UUID (version 4).
func randomID(rng *rand.Rand) string {
	a, b := rng.Uint64()&^0xf000|0x4000, rng.Uint64()&^(0xc<<60)|0x8<<60
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffffffffffff)
}

// create creates a department or a project, always with an idempotency key.
func (w *worker) create(kind string) change {
	r := &thing{kind: kind, name: w.name(kind), description: w.name("text"), revision: 1}
	c := change{
		request: api.Request{
			Method: http.MethodPost, Path: api.Path(kind), Key: fmt.Sprintf("key-%d-%d", w.id, w.made),
			Body: map[string]any{"name": r.name, "description": r.description},
		},
		status: http.StatusCreated,
		apply: func(a api.Answer) error {
			var v thingView
			err := a.Data(&v)
			w.touched[r] = true
			if r.id = v.ID; kind == "departments" {
				r.id = r.name
				w.departments = append(w.departments, r)
			} else {
				w.projects = append(w.projects, r)
			}
			return err
		},
		happened: projectExists(r.name),
	}
	if kind == "departments" {
		c.happened = exists(api.Path(kind, r.name))
	}
	return c
}

// changeThing changes or deletes a department or a project.
func (w *worker) changeThing() change {
	all := slices.Concat(w.departments, w.projects)
	all = slices.DeleteFunc(all, func(r *thing) bool { return r.deleted })
	if len(all) == 0 {
		return w.create("projects")
	}
	r := pick(w.rng, all)
	if w.rng.IntN(4) == 0 && w.isEmpty(r) {
		return w.remove(r)
	}
	return w.describe(r)
}

// isEmpty reports whether no agent is in a department.
func (w *worker) isEmpty(r *thing) bool {
	return !slices.ContainsFunc(w.agents, func(a *agentRecord) bool {
		return r.kind == "departments" && !a.deleted && a.now().Department == r.name
	})
}

// remove deletes a department or a project.
func (w *worker) remove(r *thing) change {
	return change{
		request: api.Request{Method: http.MethodDelete, Path: r.path()},
		status:  http.StatusNoContent,
		apply: func(api.Answer) error {
			r.deleted = true
			w.touched[r] = true
			return nil
		},
		happened: atRevision(r.path(), 0),
	}
}

// describe gives a department or a project another description.
func (w *worker) describe(r *thing) change {
	text := w.name("text")
	return change{
		request: api.Request{Method: http.MethodPatch, Path: r.path(), Body: map[string]any{"description": text}},
		status:  http.StatusOK,
		apply: func(api.Answer) error {
			r.description = text
			r.revision++
			w.touched[r] = true
			return nil
		},
		happened: atRevision(r.path(), r.revision+1),
	}
}
