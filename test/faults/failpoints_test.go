package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/process"
)

// failing is the program that kills itself at a named point, built once.
var failing = sync.OnceValues(func() (string, error) { return process.BuildFailing(binaryDir) })

// crash is a change that dies at a named point between two of its steps.
type crash struct {
	point string
	what  string
	// committed says that the change is true when the process has died.
	committed bool
	change    func(*saboteur) change
}

// behindAnswer reports whether the process may come to the point behind its
// answer.
func (k crash) behindAnswer() bool { return strings.HasPrefix(k.point, "settle.") }

// crashes come to every point. The first ones do so only while no cost is
// recorded.
var crashes = []crash{
	{"reserve.costs", "report of the first cost", false, (*saboteur).report},
	{"settle.costs", "report of the first cost", true, (*saboteur).report},

	{"reserve.intent", "hire", false, (*saboteur).hire},
	{"reserve.name", "hire", false, (*saboteur).hire},
	{"reserve.department", "hire", false, (*saboteur).hire},
	{"commit.before", "hire", false, (*saboteur).hire},
	{"commit.after", "hire", true, (*saboteur).hire},
	{"settle.begin", "hire", true, (*saboteur).hire},
	{"settle.version", "hire", true, (*saboteur).hire},
	{"settle.events", "hire", true, (*saboteur).hire},
	{"settle.audit", "hire", true, (*saboteur).hire},
	{"settle.intent", "hire", true, (*saboteur).hire},
	{"settle.paid", "hire", true, (*saboteur).hire},

	{"reserve.receipt", "hire with a key", false, (*saboteur).hireWithKey},
	{"commit.before", "hire with a key", false, (*saboteur).hireWithKey},
	{"commit.after", "hire with a key", true, (*saboteur).hireWithKey},
	{"settle.receipt", "hire with a key", true, (*saboteur).hireWithKey},
	{"receipt.alone", "rollback without effect", false, (*saboteur).rollbackToSame},

	{"commit.before", "rename", false, (*saboteur).rename},
	{"settle.name", "rename", true, (*saboteur).rename},
	{"reserve.department", "move", false, (*saboteur).move},
	{"commit.after", "move", true, (*saboteur).move},
	{"settle.version", "rollback", true, (*saboteur).rollback},
	{"settle.name", "dismissal", true, (*saboteur).fire},

	{"commit.before", "department", false, (*saboteur).found},
	{"settle.department", "department", true, (*saboteur).found},
	{"dissolve.close", "deletion of a department", false, (*saboteur).dissolve},
	{"dissolve.closed", "deletion of a department", false, (*saboteur).dissolve},
	{"commit.before", "deletion of a department", false, (*saboteur).dissolve},
	{"settle.dissolved", "deletion of a department", true, (*saboteur).dissolve},
	{"settle.order", "reorder", true, (*saboteur).reorderFew},
	{"settle.order.half", "reorder of many", true, (*saboteur).reorderMany},

	{"reserve.events", "report", false, (*saboteur).report},
	{"commit.before", "report", false, (*saboteur).report},
	{"commit.after", "report", true, (*saboteur).report},
	{"settle.tally", "report", true, (*saboteur).report},
	{"settle.shares", "report", true, (*saboteur).report},
	{"settle.open", "report", true, (*saboteur).report},
}

// logPoints are passed beside the requests, by who writes a page of the log.
var logPoints = []string{"log.insert", "log.inserted", "log.finished"}

// TestCrashesBetweenSteps lets a replica die at each named point between the
// steps of a change. The others show the change as a whole or not at all, at
// once; its names are free again within five seconds; its key can be used again;
// and they repair the rest.
func TestCrashesBetweenSteps(t *testing.T) {
	c := startCluster(t, 2, mongoURI(t))
	program, err := failing()
	if err != nil {
		t.Fatal(err)
	}
	s := newSaboteur(t, c)
	n := 0
	for round := range size(1, 3) {
		for _, k := range crashes {
			if round > 0 && strings.HasSuffix(k.point, ".costs") {
				continue // there are costs since the first round
			}
			n++
			t.Run(k.point+" of a "+k.what, func(t *testing.T) { s.crash(t, program, k) })
		}
		for _, point := range logPoints {
			n++
			t.Run(point, func(t *testing.T) { s.crashLogging(t, program, point) })
		}
	}
	repaired := c.wantRepaired(s.died)
	s.finish()
	c.wantRepaired(time.Now())
	crew := []*worker{s.worker}
	for _, problem := range append(inspect(t.Context(), s.survivor, crew), strangers(t.Context(), s.survivor, crew)...) {
		t.Error(problem)
	}
	s.wantOrders(t)
	c.wantCleanLogs()
	t.Logf("R5: %d crashes at %d points; repaired %s after the last one; names were free again after %s at the latest; %s",
		n, len(points()), repaired.Round(time.Millisecond), s.slowest.Round(time.Millisecond), tally(crew))
}

func points() map[string]bool {
	all := map[string]bool{}
	for _, k := range crashes {
		all[k.point] = true
	}
	for _, point := range logPoints {
		all[point] = true
	}
	return all
}

// deathWait is how long a process may take to come to its point.
const deathWait = 10 * time.Second

// crash asks a replica that dies at a point for a change, and looks what the
// others make of it.
func (s *saboteur) crash(t *testing.T, program string, k crash) {
	s.contested, s.shownIn = nil, 0
	next := k.change(s)
	p, victim := s.victim(t, program, k.point)
	err := s.do(t.Context(), victim, next)
	answered := err == nil && k.behindAnswer() // before it died
	if !answered && !errors.Is(err, errNoAnswer) {
		t.Fatalf("the change = %v, want the death of the process", err)
	}
	s.wantDead(t, p)
	if !answered {
		if err := s.settleAs(t.Context(), k.committed); err != nil {
			t.Error(err)
		}
	}
	for _, n := range s.contested {
		s.contend(n, n.freeIf == k.committed)
	}
	if next.request.Key != "" {
		s.repeat(t.Name(), next, k.committed)
	}
	// The audit trail settles everything, so that the next process finds nothing
	// of this one that it could die of.
	must(t, s.survivor, api.Request{Method: http.MethodGet, Path: "/audit?limit=1"}, nil)
}

// victim starts a replica that dies at a point.
func (s *saboteur) victim(t *testing.T, program, point string) (*process.Process, *api.Client) {
	t.Helper()
	env := append([]string{"ORGD_FAILPOINT=" + point}, s.c.env...)
	p, err := process.Serve(t.Context(), program, env, s.c.flags(0)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p, api.New(p.URL, s.c.token, 0)
}

// underWay is how long the storage may take for what a process had sent before
// it died. Nothing tells when that is done.
const underWay = 500 * time.Millisecond

// wantDead waits for the end of a process that does not answer any more, and for
// what it had sent.
func (s *saboteur) wantDead(t *testing.T, p *process.Process) {
	t.Helper()
	select {
	case <-p.Ended():
		s.died = time.Now()
		time.Sleep(underWay)
	case <-time.After(deathWait):
		t.Fatalf("the process did not die at the point\n%s", p.Log())
	}
}

// crashLogging asks a replica for changes until it dies while it gives their
// events places in the log. What it had answered stays; that the others finish
// the log is seen at the end.
func (s *saboteur) crashLogging(t *testing.T, program, point string) {
	p, victim := s.victim(t, program, point)
	for begin := time.Now(); ; {
		err := s.do(t.Context(), victim, s.worker.hire())
		if errors.Is(err, errNoAnswer) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if time.Since(begin) > deathWait {
			t.Fatalf("the process did not die at the point\n%s", p.Log())
		}
	}
	s.wantDead(t, p)
	if err := s.settle(t.Context(), s.survivor); err != nil {
		t.Error(err)
	}
}

// settleAs finds out what became of the change under way, which is known to be
// true or not.
func (s *saboteur) settleAs(ctx context.Context, committed bool) error {
	p := s.pending
	s.pending = nil
	for missed := false; ; missed = true {
		asked := time.Since(s.died)
		a, err := p.happened(ctx, s.survivor)
		switch {
		case err != nil:
			return err
		case a != nil && committed:
			if missed && asked > s.shownIn {
				s.c.late(asked, "not shown before %s after the crash, want %s at most", asked, s.shownIn)
			}
			return p.apply(*a)
		case a == nil && !committed:
			return nil
		case !committed || s.shownIn == 0 || time.Since(s.died) > s.shownIn+patience:
			return fmt.Errorf("after the crash the change is there: %v, want %v", a != nil, committed)
		}
	}
}

// deliveryPoint is passed by who attempts a delivery to a webhook. The tests of the
// store stop there, and at those of the outbox.
const deliveryPoint = "settle.delivery"

// TestEveryFailurePointIsTried compares the points of the tests with those that
// are documented.
func TestEveryFailurePointIsTried(t *testing.T) {
	text, err := os.ReadFile("../../docs/storage.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "### Failure points")
	section, _, ended := strings.Cut(section, "\n###")
	if !found || !ended {
		t.Fatal("docs/storage.md has no section on failure points")
	}
	described := map[string]bool{}
	for _, m := range regexp.MustCompile("`((?:reserve|dissolve|commit|settle|receipt|log|)\\.[a-z.]+)`").FindAllStringSubmatch(section, -1) {
		if strings.HasPrefix(m[1], ".") {
			m[1] = "settle" + m[1] // as the table abbreviates
		}
		described[m[1]] = true
	}
	delete(described, deliveryPoint)
	got, want := slices.Sorted(maps.Keys(points())), slices.Sorted(maps.Keys(described))
	if !slices.Equal(got, want) {
		t.Errorf("the tests come to the points\n%v, described are\n%v", got, want)
	}
}
