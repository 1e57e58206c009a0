package faults

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/seed"
)

// saboteur is a client whose changes are to be cut short. What they need it
// prepares through a replica that lives on.
type saboteur struct {
	*worker
	c        *cluster
	survivor *api.Client
	died     time.Time // the last process
	// contested are the names that depend on the change under way.
	contested []contested
	// shownIn is how long the change under way may take to be seen.
	shownIn   time.Duration
	few, many *roster

	// What takes longer than the next crash goes on beside it. What comes of it
	// is written down at the end.
	later   sync.WaitGroup
	mu      sync.Mutex
	results []func() error
	slowest time.Duration // until a name was free
}

// contested is a name that is free if the change under way is true, or if not.
type contested struct {
	name   string
	freeIf bool
}

// reportWait is how long reported events may take to be seen; other changes are
// seen at once.
const reportWait = time.Second

// finishWait is how long a reorder may take that a process has left unfinished.
const finishWait = 10 * time.Second

// manyAgents are reordered in three parts.
const manyAgents = 1101

func newSaboteur(t *testing.T, c *cluster) *saboteur {
	t.Helper()
	s := &saboteur{c: c, survivor: c.client(0, workers)}
	s.worker = hireCrew(t, s.survivor, seed.Rand(t))[0]
	s.few, s.many = s.roster(3), s.roster(manyAgents)
	return s
}

// ask makes a change through the replica that lives on.
func (s *saboteur) ask(next change) {
	s.c.t.Helper()
	if err := s.do(s.c.t.Context(), s.survivor, next); err != nil {
		s.c.t.Fatal(err)
	}
}

// agent returns a new agent with so many versions.
func (s *saboteur) agent(versions int) *agentRecord {
	s.c.t.Helper()
	s.ask(s.worker.hire())
	r := s.agents[len(s.agents)-1]
	for range versions - 1 {
		s.ask(s.patch(r))
	}
	return r
}

// department returns a new department.
func (s *saboteur) department() *thing {
	s.c.t.Helper()
	s.ask(s.create("departments"))
	return s.departments[len(s.departments)-1]
}

func (s *saboteur) hire() change {
	c := s.worker.hire()
	s.contested = []contested{{c.request.Body.(map[string]any)["name"].(string), false}}
	return c
}

func (s *saboteur) hireWithKey() change {
	c := s.worker.hire()
	c.request.Key = s.key()
	return c
}

func (s *saboteur) rename() change {
	r := s.agent(1)
	before := r.now().Name
	c := s.worker.rename(r)
	s.contested = []contested{{before, true}, {c.request.Body.(map[string]any)["name"].(string), false}}
	return c
}

func (s *saboteur) move() change {
	r := s.agent(1)
	next := r.now()
	next.Department = s.department().name
	return s.update(r, next, map[string]any{"department": next.Department})
}

func (s *saboteur) rollback() change { return s.worker.rollback(s.agent(4)) }

func (s *saboteur) label() change { return s.worker.label(s.agent(2)) }

func (s *saboteur) key() string {
	s.made++
	return fmt.Sprintf("sabotage-%d", s.made)
}

func (s *saboteur) fire() change {
	r := s.agent(1)
	s.contested = []contested{{r.now().Name, true}}
	return s.worker.fire(r)
}

func (s *saboteur) found() change    { return s.create("departments") }
func (s *saboteur) dissolve() change { return s.remove(s.department()) }

func (s *saboteur) report() change {
	s.shownIn = reportWait
	return s.worker.report(s.agent(1))
}

// roster is a department whose agents are reordered.
type roster struct {
	department *thing
	order      []string // names
}

// roster returns a department with n agents.
func (s *saboteur) roster(n int) *roster {
	s.c.t.Helper()
	r := &roster{department: s.department()}
	var hires []change
	for range n {
		c := s.worker.hire()
		c.request.Body.(map[string]any)["department"] = r.department.name
		hires = append(hires, c)
	}
	var wg sync.WaitGroup
	for part := range slices.Chunk(hires, (n+workers-1)/workers) {
		wg.Go(func() {
			for _, c := range part {
				if _, err := s.survivor.Do(s.c.t.Context(), c.request); err != nil {
					s.c.t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, c := range hires {
		a, err := c.happened(s.c.t.Context(), s.survivor)
		if err != nil || a == nil {
			s.c.t.Fatalf("%s: %v, want an agent", c.request.Body, err)
		}
		if err := c.apply(*a); err != nil {
			s.c.t.Fatal(err)
		}
		member := s.agents[len(s.agents)-1]
		member.versions[0].Department = r.department.name
		delete(s.touched, member) // there are too many to look into each
	}
	var err error
	if r.order, err = orderOf(s.c.t.Context(), s.survivor, r.department.name); err != nil || len(r.order) != n {
		s.c.t.Fatalf("%s has %d agents, %v, want %d", r.department.name, len(r.order), err, n)
	}
	return r
}

func (s *saboteur) reorderFew() change { return s.reorder(s.few) }

func (s *saboteur) reorderMany() change {
	s.shownIn = finishWait
	return s.reorder(s.many)
}

// reorder turns the order of a department's agents round.
func (s *saboteur) reorder(r *roster) change {
	next := slices.Clone(r.order)
	slices.Reverse(next)
	return change{
		request: api.Request{
			Method: http.MethodPost, Path: api.Path("departments", r.department.name, "reorder-agents"),
			Body: map[string]any{"agent_names": next},
		},
		status: http.StatusCreated,
		apply: func(api.Answer) error {
			r.order = next
			r.department.revision++
			s.touched[r.department] = true
			return nil
		},
		happened: func(ctx context.Context, c *api.Client) (*api.Answer, error) {
			accepted, err := atRevision(r.department.path(), r.department.revision+1)(ctx, c)
			if err != nil {
				return nil, err
			}
			got, err := orderOf(ctx, c, r.department.name)
			switch {
			case err != nil:
				return nil, err
			case accepted != nil && slices.Equal(got, next):
				return accepted, nil
			case accepted != nil || slices.Equal(got, r.order): // not yet, or not at all
				return nil, nil
			}
			return nil, fmt.Errorf("half an order: %v", got)
		},
	}
}

// orderOf returns the names of a department's agents.
func orderOf(ctx context.Context, c *api.Client, department string) ([]string, error) {
	list, err := api.All[agentView](ctx, c, "/agents", url.Values{"department": {department}})
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.Name
	}
	return names, err
}

// wantOrders checks that the reorders that were promised are there.
func (s *saboteur) wantOrders(t *testing.T) {
	t.Helper()
	for _, r := range []*roster{s.few, s.many} {
		if got, err := orderOf(t.Context(), s.survivor, r.department.name); err != nil || !slices.Equal(got, r.order) {
			t.Errorf("%s has the order %v, %v, want %v", r.department.name, got, err, r.order)
		}
	}
}

// nameWait is how long a name may be held by a process that has died.
var nameWait = size(20*time.Second, 5*time.Second)

// contend hires somebody else under a name, which is free, at the latest after a
// while, or taken.
func (s *saboteur) contend(n contested, free bool) {
	r := &agentRecord{versions: []content{{Name: n.name, Department: department, Level: "mid"}}}
	request := api.Request{Method: http.MethodPost, Path: "/agents", Body: map[string]any{
		"name": n.name, "role": "contender", "department": department,
	}}
	died := s.died
	s.later.Go(func() {
		a, err := s.survivor.Do(s.c.t.Context(), request)
		took := time.Since(died)
		switch {
		case err != nil:
			s.c.t.Error(err)
		case !free && (a.Status != http.StatusConflict || a.Code() != 4001):
			s.c.t.Errorf("hire under the name %q = %v, want 409/4001", n.name, a.Err())
		case free && a.Status != http.StatusCreated:
			s.c.t.Errorf("hire under the name %q = %v, %s after the crash, want 201", n.name, a.Err(), took)
		case free:
			if took > nameWait {
				s.c.late(took, "hire under the name %q: %s after the crash, want at most %s", n.name, took, nameWait)
			}
			s.note(took, func() error {
				var v agentView
				s.agents = append(s.agents, r)
				s.touched[r] = true
				err := a.Data(&v)
				r.id, r.versions[0].Level = v.ID, v.Level
				return err
			})
		}
	})
}

// keyWait is how long a key may be held by a process that has died, with some
// time to ask.
const keyWait = 18 * time.Second

// repeat asks all replicas at once for the change again under its key. One of
// them makes it, unless it is made already.
func (s *saboteur) repeat(what string, c change, committed bool) {
	clients := s.c.clients(s.c.token, 1)
	s.later.Go(func() {
		answers, errs := make([]api.Answer, len(clients)), make([]error, len(clients))
		var asking sync.WaitGroup
		for i, client := range clients {
			asking.Go(func() { answers[i], errs[i] = s.retry(client, c.request) })
		}
		asking.Wait()
		if err := errors.Join(errs...); err != nil {
			s.c.t.Errorf("%s: %v", what, err)
			return
		}
		made := 0
		for _, a := range answers {
			if a.Status != c.status {
				s.c.t.Errorf("%s: the same again = %v, want %d", what, a.Err(), c.status)
			}
			if !a.Replayed() {
				made++
				s.note(0, func() error { return c.apply(a) })
			}
		}
		if committed && made != 0 || !committed && made != 1 {
			s.c.t.Errorf("%s: the same again was made %d times, it was committed: %v", what, made, committed)
		}
	})
}

// retry repeats a request until its key is not held any more by who has died.
func (s *saboteur) retry(client *api.Client, r api.Request) (api.Answer, error) {
	for begin := time.Now(); ; time.Sleep(time.Second / 4) {
		a, err := client.Do(s.c.t.Context(), r)
		took := time.Since(begin)
		if took > keyWait+patience {
			return a, errors.New("the key is still held")
		}
		if err != nil || a.Status != http.StatusTooManyRequests {
			if took > keyWait {
				s.c.late(took, "the key was held for %s, want at most %s", took, keyWait)
			}
			return a, err
		}
	}
}

// note keeps a result for the end.
func (s *saboteur) note(took time.Duration, result func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, result)
	s.slowest = max(s.slowest, took)
}

// finish waits for what goes on beside the crashes and writes it down.
func (s *saboteur) finish() {
	s.later.Wait()
	for _, result := range s.results {
		if err := result(); err != nil {
			s.c.t.Error(err)
		}
	}
}
