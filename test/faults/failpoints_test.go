package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// crashes come to every point with every kind of change.
var crashes = func() (all []crash) {
	for _, c := range []struct {
		what   string
		change func(*saboteur) change
	}{
		{"report of the first cost", (*saboteur).report}, {"hire", (*saboteur).hire}, {"hire with a key", (*saboteur).hireWithKey},
		{"rename", (*saboteur).rename}, {"move", (*saboteur).move}, {"rollback", (*saboteur).rollback}, {"label", (*saboteur).label}, {"dismissal", (*saboteur).fire},
		{"department", (*saboteur).found}, {"deletion of a department", (*saboteur).dissolve},
		{"reorder", (*saboteur).reorderFew}, {"reorder of many", (*saboteur).reorderMany}, {"report", (*saboteur).report},
	} {
		for _, point := range []string{"begin", "commit.before", "commit.after"} {
			all = append(all, crash{point, c.what, point == "commit.after", c.change})
		}
	}
	for _, point := range []string{"reorder.accepted", "reorder.part"} {
		all = append(all, crash{point, "reorder of many", true, (*saboteur).reorderMany})
	}
	return all
}()

// TestCrashesBetweenSteps lets a replica die at each named point between the
// steps of a change. The others show the change as a whole or not at all. Its
// names are free again soon, and its key can be used again.
func TestCrashesBetweenSteps(t *testing.T) {
	c := startCluster(t, 2, mongoURI(t))
	program, err := failing()
	if err != nil {
		t.Fatal(err)
	}
	s := newSaboteur(t, c)
	n := 0
	for range size(1, 3) {
		for _, k := range crashes {
			n++
			t.Run(k.point+" of a "+k.what, func(t *testing.T) { s.crash(t, program, k) })
		}
	}
	s.finish()
	c.wantWhole()
	crew := []*worker{s.worker}
	for _, problem := range append(inspect(t.Context(), s.survivor, crew), strangers(t.Context(), s.survivor, crew)...) {
		t.Error(problem)
	}
	s.wantOrders(t)
	c.wantCleanLogs()
	t.Logf("R5: %d crashes at %d points; names were free again after %s at the latest; %s",
		n, len(points()), s.slowest.Round(time.Millisecond), tally(crew))
}

func points() map[string]bool {
	all := map[string]bool{}
	for _, k := range crashes {
		all[k.point] = true
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
	if !errors.Is(err, errNoAnswer) {
		t.Fatalf("the change = %v, want the death of the process", err)
	}
	s.wantDead(t, p)
	if err := s.settleAs(t.Context(), k.committed); err != nil {
		t.Error(err)
	}
	for _, n := range s.contested {
		s.contend(n, n.freeIf == k.committed)
	}
	if next.request.Key != "" {
		s.repeat(t.Name(), next, k.committed)
	}
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
	for _, m := range regexp.MustCompile("`(begin|(?:commit|reorder)\\.[a-z]+)`").FindAllStringSubmatch(section, -1) {
		described[m[1]] = true
	}
	got, want := slices.Sorted(maps.Keys(points())), slices.Sorted(maps.Keys(described))
	if !slices.Equal(got, want) {
		t.Errorf("the tests come to the points\n%v, described are\n%v", got, want)
	}
}
