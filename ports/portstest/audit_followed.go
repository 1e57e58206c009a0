package portstest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/ports"
)

// followTrail reads the trail behind a position in the order of the log, up to its end.
func (w *world) followTrail(position activity.Seq, limit int) (found []audit.Entry, end activity.Seq) {
	w.Helper()
	for {
		page, err := w.Audit.After(w.Context(), position, limit)
		w.wantNil("After", err)
		if len(page.Entries) > limit || page.Next < position {
			w.Fatalf("After(%d, %d) has %d entries and the position %d", position, limit, len(page.Entries), page.Next)
		}
		found = append(found, page.Entries...)
		if position = page.Next; !page.More {
			return found, position
		}
	}
}

// auditAfter: entries of every kind, whatever their times, are in the order of their
// commits, and a position is that of the log.
func auditAfter(w *world) {
	begin, err := w.Stream.Head(w.Context())
	w.wantNil("Head", err)
	var want []audit.Entry
	var middle activity.Seq
	for i, second := range []int{5, 3, 3, 9, 1, 0} {
		e := audit.Entry{ID: w.id(), At: epoch.Add(time.Duration(second) * time.Second), Actor: "ann", Action: audit.Reported, Resource: audit.Activities}
		if i%2 == 1 {
			e = w.changeEntry(second, "bob", audit.Agent("a"), audit.New(audit.AgentUpdated, "Ann"))
		}
		w.putEntry(e)
		want = append(want, e)
		if i == 2 {
			middle, err = w.Stream.Head(w.Context())
			w.wantNil("Head", err)
		}
	}
	s := sessionOf("s1", "ann", epoch)
	issued := w.trailOf(nil)(audit.Session("s1"), 0, 1)
	w.wantNil("Issue", w.Sessions.Issue(w.Context(), s, issued))
	want = append(want, issued.Audit)
	for limit := 1; limit <= len(want)+1; limit++ {
		got, end := w.followTrail(begin, limit)
		w.want(fmt.Sprintf("After in pages of %d", limit), got, want)
		rest, _ := w.followTrail(end, limit)
		w.want("After the end", rest, nil)
	}
	got, _ := w.followTrail(middle, 2)
	w.want("After the third", got, want[3:])
	_, err = w.Audit.After(w.Context(), 1<<62, 1)
	w.wantErr("After a position that never was", err, activity.ErrTooOld)
	_, err = w.Audit.After(w.Context(), -1, 1)
	w.wantErr("After a negative position", err, activity.ErrTooOld)
}

// auditFrom: the trail is also read forward by time.
func auditFrom(w *world) {
	var all []audit.Entry
	for i, second := range []int{5, 3, 3, 9, 1, 0, 3} {
		e := audit.Entry{ID: w.id(), At: epoch.Add(time.Duration(second) * time.Second), Actor: "ann", Resource: audit.Webhook("w")}
		switch i % 3 {
		case 1:
			e.Resource = audit.Activities
		case 2:
			e = w.changeEntry(second, "bob", audit.Agent("a"), audit.New(audit.AgentUpdated, "Ann"))
		}
		w.putEntry(e)
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b audit.Entry) int { return compareEntries(b.Position(), a.Position()) })
	for n, from := range []audit.Position{{}, all[0].Position(), all[2].Position(), all[6].Position()} {
		want := all[[]int{0, 1, 3, 7}[n]:]
		for limit := 1; limit <= len(all)+1; limit++ {
			got := walk(w, limit, func(last *audit.Entry) ([]audit.Entry, error) {
				at := from
				if last != nil {
					at = last.Position()
				}
				return w.Audit.From(w.Context(), at, limit)
			})
			w.want(fmt.Sprintf("From %v in pages of %d", from, limit), got, slices.Clone(want))
		}
	}
}

// auditParallel follows the trail while eight change things: each entry comes once.
func auditParallel(w *world) {
	const writers, each = 8, 6
	position, err := w.Stream.Head(w.Context())
	w.wantNil("Head", err)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for n := range each {
				id := fmt.Sprintf("s%d-%d", i, n)
				if err := w.Sessions.Issue(w.Context(), sessionOf(id, "ann", epoch), w.trailOf(nil)(audit.Session(id), 0, 1)); err != nil {
					w.Errorf("Issue = %v", err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	seen, last := map[audit.Resource]int{}, map[string]string{}
	for ended := false; ; {
		found, next := w.followTrail(position, 7)
		position = next
		for _, e := range found {
			seen[e.Resource]++
			of, n := e.Resource.ID()[:2], e.Resource.ID()
			if n <= last[of] {
				w.Errorf("%s came after %s", n, last[of])
			}
			last[of] = n
		}
		if ended {
			break
		}
		select {
		case <-done:
			ended = true
		case <-time.After(time.Millisecond):
		}
	}
	for r, n := range seen {
		if n != 1 {
			w.Errorf("%s came %d times", r, n)
		}
	}
	if len(seen) != writers*each {
		w.Errorf("%d entries came, want %d", len(seen), writers*each)
	}
}

// auditOnCommit: what eight commit at once is reported before they are answered, each entry
// once, and nothing of a change that fails.
func auditOnCommit(w *world) {
	const writers, each = 8, 6
	var mu sync.Mutex
	reported := map[string][]audit.Entry{} // by resource
	w.Audit.OnCommit(func(entries []audit.Entry) {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range entries {
			reported[string(e.Resource)] = append(reported[string(e.Resource)], e)
		}
	})
	of := func(r audit.Resource) []audit.Entry {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(reported[string(r)])
	}
	begin, err := w.Stream.Head(w.Context())
	w.wantNil("Head", err)
	var all sync.WaitGroup
	for i := range writers {
		r := audit.Session(fmt.Sprint("s", i))
		all.Go(func() {
			var want []audit.Entry
			for n := range each {
				trail := w.trailOf(nil)(r, 0, int64(n+1))
				if err := w.Sessions.Issue(w.Context(), sessionOf(fmt.Sprintf("s%d-%d", i, n), "ann", epoch), trail); err != nil {
					w.Errorf("Issue = %v", err)
				}
				want = append(want, trail.Audit)
				w.want("reported when Issue returns", of(r), want)
			}
		})
	}
	all.Wait()
	e := w.changeEntry(1, "bob", audit.Company, audit.New(audit.CompanyUpdated, "X"))
	w.putEntry(e)
	refused := errors.New("no")
	_, err = w.Company.Update(w.Context(), func(company.Company, bool) (ports.Change[company.Company], error) {
		return ports.Change[company.Company]{Trail: ports.Trail{Audit: e}}, refused
	})
	w.wantErr("Update", err, refused)
	w.want("reported of the company", of(audit.Company), []audit.Entry{e})
	stored, _ := w.followTrail(begin, 100)
	w.want("entries that are stored", len(stored), writers*each+1)
}
