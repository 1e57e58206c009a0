package mongostore

import (
	"slices"
	"testing"
	"time"

	"orgd/domain/agent"
	"orgd/domain/performance"
	"orgd/ports"
)

// stopped is a clock that shows one time.
type stopped time.Time

func (c stopped) Now() time.Time { return time.Time(c) }

// clocks has two replicas show a time, of which the first is half an hour behind.
func clocks(a, b *office, at time.Time) {
	a.db.clock, b.db.clock = stopped(at.Add(-30*time.Minute)), stopped(at)
}

// daysAgo are a finished task of each of some agents, some days ago.
func daysAgo(ids []agent.ID, at time.Time, ago int) (batch []ports.Report) {
	for _, id := range ids {
		r := reports(id, 1)[0]
		r.Event.At = at.AddDate(0, 0, -ago)
		r.Measures.Incurred = r.Measures.Cost
		batch = append(batch, r)
	}
	return batch
}

// What replicas report of any day, also of one that is closed to others already, is among
// the figures that each of them shows next, whatever it remembers.
func TestFiguresOfReplicas(t *testing.T) {
	a := newOffice(t)
	b := officeOf(t, a.db.replica(t))
	ids := []agent.ID{agent.ID(newID()), agent.ID(newID())}
	asked := slices.Clone(ids)
	for len(asked) <= fewAgents {
		asked = append(asked, agent.ID(newID()))
	}
	midnight := performance.DateOf(now()).Start()
	var done []performance.Day // of the first agent
	check := func(at time.Time) {
		t.Helper()
		today := performance.DateOf(at)
		for _, size := range performance.Sizes() {
			var want performance.Figures
			for _, d := range done {
				want = want.Add(d, size, today)
			}
			for i, o := range []*office{b, a} {
				got, err := o.Measures.AgentFigures(t.Context(), asked, size, today)
				if err != nil || got[0] != want || got[2] != (performance.Figures{}) {
					t.Fatalf("replica %d shows of %v %+v, %v, want %+v", i, size, got[0], err, want)
				}
			}
		}
	}
	for _, at := range []time.Time{midnight.Add(-time.Minute), midnight.Add(time.Minute), midnight.Add(time.Hour)} {
		clocks(a, b, at)
		check(at)
		for i, ago := range []int{0, 1, 2, 3, 8, 29, 30, 50, 89, 90, 179, 2} {
			batch := daysAgo(ids, at, ago)
			n, err := []*office{a, b}[i%2].report(t.Context(), batch)
			if a.must(err); n.Accepted != len(batch) {
				t.Fatalf("%d of %d were accepted", n.Accepted, len(batch))
			}
			done = append(done, performance.Day{Date: performance.DateOf(batch[0].Event.At)}.Add(batch[0].Measures))
			check(at)
		}
	}
}

// Late reports of very many agents are all seen at once.
func TestLateFiguresOfMany(t *testing.T) {
	a := newOffice(t)
	b := officeOf(t, a.db.replica(t))
	var ids []agent.ID
	for range manyLate + 2 {
		ids = append(ids, agent.ID(newID()))
	}
	at := now()
	for n := range int64(3) {
		for _, o := range []*office{b, a} {
			got, err := o.Measures.AgentFigures(t.Context(), ids, performance.Month, performance.DateOf(at))
			a.must(err)
			for i, f := range got {
				if f.TasksCompleted != n || f.Cost.Units != n+n/2 {
					t.Fatalf("agent %d has after %d reports of each %+v", i, n, f)
				}
			}
		}
		for some := range slices.Chunk(ids, 500) {
			_, err := a.report(t.Context(), daysAgo(some, at, 5))
			a.must(err)
		}
	}
}
