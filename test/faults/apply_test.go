package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/test/api"
	"orgd/test/seed"
)

// object is one of JSON.
type object = map[string]any

// organization is a document with six departments, from one number on, and
// agents from one number up to another. Each agent reports to one that stands
// before or behind it.
func organization(department, from, to int, name func(i int) string) (doc object, agents []object) {
	const homes = 6
	home := func(i int) string { return fmt.Sprintf("D%d", department+i%homes) }
	var departments []object
	for i := range homes {
		departments = append(departments, object{"name": home(i), "budget_percent": 16 - i%2, "head": name(from + i)})
	}
	for i := from; i < to; i++ {
		a := object{"name": name(i), "role": "worker", "department": home(i), "hiring_date": "2026-01-31", "instructions": fmt.Sprintf("You are number %d.\n", i)}
		if boss := i - i%16 + 7; boss != i && boss >= from && boss < to {
			a["authority"] = object{"reports_to": name(boss)}
		}
		agents = append(agents, a)
	}
	return object{"format": 1, "departments": departments, "agents": agents}, agents
}

// upheaval are two documents: the second one is to be made of the first. Half of
// the agents go, the others change in one way or another, and more come.
func upheaval(n int) (before, after object) {
	before, _ = organization(0, 0, n, func(i int) string { return fmt.Sprintf("a%04d", i) })
	renamed := func(i int) bool { return i < n && i%3 == 0 }
	after, agents := organization(3, n/2, 2*n, func(i int) string {
		if renamed(i) {
			return fmt.Sprintf("b%04d", i)
		}
		return fmt.Sprintf("a%04d", i)
	})
	for j, a := range agents {
		switch i := n/2 + j; {
		case renamed(i):
			a["previous_name"] = fmt.Sprintf("a%04d", i)
		case i < n && i%3 == 1:
			a["level"], a["instructions"] = "lead", "Do something else.\n"
		}
	}
	return before, after
}

func applied(doc object) api.Request {
	return api.Request{Method: http.MethodPost, Path: "/organization/apply?prune=true", Body: doc}
}

// traces are what an apply leaves: the document of the organization, the version
// of each agent, and how many events of each type each of them has.
type traces struct {
	Document object
	Versions map[string]int
	Events   map[string]int
}

func tracesOf(t *testing.T, c *api.Client) traces {
	t.Helper()
	found := traces{Versions: map[string]int{}, Events: map[string]int{}}
	if _, err := c.Get(t.Context(), "/organization", &found.Document); err != nil {
		t.Fatal(err)
	}
	agents, err := api.All[struct {
		Name    string
		Version int
	}](t.Context(), c, "/agents", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range agents {
		found.Versions[a.Name] = a.Version
	}
	events, err := api.All[struct {
		Type string `json:"event_type"`
		Name string `json:"agent_name"`
	}](t.Context(), c, "/activities", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		found.Events[e.Name+" "+e.Type]++
	}
	return found
}

// TestKilledApplyCanBeRunAgain kills the service while it makes one organization
// of another, again and again. What the last run, which nobody disturbs, leaves
// is what an apply leaves that was never disturbed: agents, versions and events.
func TestKilledApplyCanBeRunAgain(t *testing.T) {
	before, after := upheaval(size(300, 5000))
	undisturbed := serve(t)
	c := undisturbed.client(4)
	must(t, c, applied(before), nil)
	must(t, c, applied(after), nil)
	want := tracesOf(t, c)
	undisturbed.terminate()

	rng := seed.Rand(t)
	s := serve(t)
	must(t, s.client(4), applied(before), nil)
	cuts := 0
	for under := true; under && cuts < size(40, 400); s.start() {
		if under = s.cutApply(rng, after); under {
			cuts++
		}
	}
	must(t, s.client(4), applied(after), nil)
	if diff := cmp.Diff(want, tracesOf(t, s.client(4))); diff != "" {
		t.Errorf("after %d cuts (-undisturbed +cut):\n%s", cuts, diff)
	}
	var plan struct{ Changes []object }
	must(t, s.client(4), api.Request{Method: http.MethodPost, Path: "/organization/plan?prune=true", Body: after}, &plan)
	if len(plan.Changes) > 0 {
		t.Errorf("the document would still change %v", plan.Changes)
	}
	if cuts == 0 {
		t.Error("no apply was cut")
	}
	s.terminate()
	wantWhole(t, s.dir)
	t.Logf("%d applies were cut", cuts)
}

// maxCut is how long an apply goes on after its first change.
const maxCut = 20 * time.Millisecond

// cutApply has a document applied and kills the service at some time after the
// first change. It reports whether the apply was under way.
func (s *service) cutApply(rng *rand.Rand, doc object) bool {
	s.t.Helper()
	c := api.New(s.URL, s.token, 2)
	defer c.Close()
	trail := func() (entry struct{ ID string }) {
		var all []struct{ ID string }
		if _, err := c.Get(s.t.Context(), "/audit?limit=1", &all); err != nil {
			s.t.Fatal(err)
		}
		return all[0]
	}
	begin := trail()
	done := make(chan error, 1)
	go func() {
		a, err := c.Do(context.WithoutCancel(s.t.Context()), applied(doc))
		if err == nil && !a.OK() {
			err = errors.Join(errAnswered, a.Err())
		}
		done <- err
	}()
	for trail() == begin {
		select {
		case err := <-done: // there was nothing left to do
			s.Kill()
			if err != nil {
				s.t.Errorf("apply = %v", err)
			}
			return false
		default:
		}
	}
	time.Sleep(upTo(rng, maxCut))
	s.Kill()
	err := <-done
	if errors.Is(err, errAnswered) {
		s.t.Errorf("apply = %v", err)
	}
	return err != nil
}

// errAnswered is an answer that is no success.
var errAnswered = errors.New("answered")
