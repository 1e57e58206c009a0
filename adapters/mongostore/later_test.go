package mongostore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/ports"
)

// settledLater are the changes that are settled behind their answers.
var settledLater = []string{
	"hire", "change", "change and rename and move", "fire", "start a project", "issue a session", "revoke a session",
	"make a webhook", "give a webhook another secret", "delete a webhook",
}

// hold lets the process of an office settle behind its answers, so many changes
// at once, and holds all of that until release is called.
func (o *office) hold(atOnce int) (release func()) {
	o.db.later = later{room: make(chan struct{}, atOnce)}
	held := make(chan struct{})
	o.db.hook = func(point string) error {
		if point != "settle.begin" {
			return nil
		}
		select {
		case <-held:
			return nil
		case <-time.After(unhurried): // an answer waits for it
			return errCrash
		}
	}
	release = sync.OnceFunc(func() { close(held) })
	o.Cleanup(release)
	return release
}

// setLevel changes an agent so that it owes a version and an event.
func (o *office) setLevel(id agent.ID, level string) error {
	_, err := o.Agents.Update(o.Context(), refOf(id), o.changing(id, `{"level":"`+level+`"}`))
	return err
}

// owing counts the homes that owe something.
func (o *office) owing() (n int64) {
	o.Helper()
	for _, coll := range homeColls {
		n += o.count(coll, bson.D{exists("pending.0", true)})
	}
	return n
}

// TestSettledBehindTheAnswer answers changes before they are settled. Another
// process sees all of each, and who asks again with its key gets the answer.
func TestSettledBehindTheAnswer(t *testing.T) {
	for _, what := range settledLater {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			_, after, _ := rehearse(t, steps[what])
			o := newOffice(t)
			s := steps[what](o)
			release := o.hold(1)
			o.must(s.do(o.Context(), o.Stores))
			if n := o.owing(); n != 1 {
				t.Errorf("%d homes owe something after the answer, want 1", n)
			}
			other := o.replica()
			o.again(other, s, after)
			if d := diff(after, o.look(other)); d != "" {
				t.Errorf("somebody else sees (-want +got):\n%s", d)
			}
			release()
			o.db.later.wait(t.Context())
			o.wantWhole()
			if d := diff(after, o.look(other)); d != "" {
				t.Errorf("after it is settled twice (-want +got):\n%s", d)
			}
		})
	}
}

// TestSettledInOrder settles a later change of an agent first. Its events stand
// behind those of the change before, in the log too.
func TestSettledInOrder(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	release := o.hold(2)
	hold, first := o.db.hook, atomic.Bool{}
	o.db.hook = func(point string) error {
		if point == "settle.begin" && first.CompareAndSwap(false, true) {
			return hold(point)
		}
		return nil
	}
	for _, level := range otherLevels[:2] {
		o.must(o.setLevel(id, level))
	}
	deadline := time.Now().Add(unhurried)
	for o.owing() > 0 {
		if time.Now().After(deadline) {
			t.Fatal("the second change does not settle the first one")
		}
		time.Sleep(10 * time.Millisecond)
	}
	other := o.replica()
	o.sequenceAll(other)
	career, err := storesOf(other).Activities.Career(t.Context(), id)
	o.must(err)
	var want []activity.ID
	for _, e := range career {
		want = append(want, e.ID)
	}
	if got := o.readLog(other); len(want) != 4 || !slices.Equal(got, want) {
		t.Errorf("the log has %v, want %v", got, want)
	}
	release()
	o.db.later.wait(t.Context())
	o.wantWhole()
}

// TestSettledBeforeTheAnswer has no room behind the answers any more: the next
// change is settled before it is answered.
func TestSettledBeforeTheAnswer(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	ann, bob := o.hire("Ann", "Sales"), o.hire("Bob", "Sales")
	release := o.hold(1)
	o.must(o.setLevel(ann, "vp"))
	done := make(chan error)
	go func() { done <- o.setLevel(bob, "vp") }()
	select {
	case err := <-done:
		t.Fatalf("the second change is answered with %v before it can be settled", err)
	case <-time.After(time.Second):
	}
	release()
	o.must(<-done)
	o.db.later.wait(t.Context())
	o.wantWhole()
}

// TestSettlingPanics settles a change by the sweeper when what should have done
// so behind the answer has panicked.
func TestSettlingPanics(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	o.db.later = newLater()
	o.db.hook = func(point string) error {
		if point == "settle.events" {
			panic(point)
		}
		return nil
	}
	o.must(o.setLevel(id, "vp"))
	o.db.later.wait(t.Context())
	if n := o.owing(); n != 1 {
		t.Errorf("%d homes owe something, want 1", n)
	}
	o.clock.advance(10 * time.Second)
	o.must(o.replica().Sweep(t.Context()))
	o.wantWhole()
}

// TestCloseSettles closes a store while a change is being settled.
func TestCloseSettles(t *testing.T) {
	l := newLater()
	begun, release := make(chan struct{}), make(chan struct{})
	if !l.do(func() {
		close(begun)
		<-release
	}) {
		t.Fatal("there is no room")
	}
	<-begun
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	l.close(short)
	if short.Err() == nil {
		t.Error("nobody waited")
	}
	if l.do(func() {}) {
		t.Error("something begins behind the end")
	}
	close(release)
	l.wait(t.Context())
	if len(l.room) != 0 {
		t.Errorf("%d have not left", len(l.room))
	}
}

// TestReceiptComesLast stops changes before something that their answers promise.
// Nobody can repeat the answer then without doing that.
func TestReceiptComesLast(t *testing.T) {
	for point, what := range map[string]string{
		"settle.tally": "report events", "settle.open": "report events", "settle.audit": "report events",
		"settle.order": "reorder agents", "settle.department": "found a department", "settle.delivery": "test a webhook",
	} {
		t.Run(point+" of "+what, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			s := steps[what](o)
			o.stopAt(point)
			if err := s.do(t.Context(), o.Stores); !errors.Is(err, errCrash) {
				t.Fatalf("the change = %v, want to stop at %s", err, point)
			}
			if n := o.count(receiptsColl, bson.D{is("_id", string(s.receipt.Key)), is("done", true)}); n != 0 {
				t.Error("there is a receipt already")
			}
		})
	}
}

// TestFeedWaits reads the feed while a change is settled by another process, and
// then while nobody settles it.
func TestFeedWaits(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	release := o.hold(1)
	o.must(o.setLevel(id, "vp"))
	other := o.replica()
	var paid atomic.Bool
	other.hook = func(point string) error {
		paid.Store(paid.Load() || point == "settle.begin")
		return nil
	}
	feed := func() int {
		events, err := NewActivities(other).Feed(t.Context(), activity.Query{Limit: 10})
		o.must(err)
		return len(events)
	}
	if n := feed(); n != 3 || !paid.Load() {
		t.Errorf("a reader whom nobody helps sees %d events, settled by himself = %v; want 3, true", n, paid.Load())
	}
	release()
	o.db.later.wait(t.Context())
	o.must(o.setLevel(id, "lead"))
	if n := feed(); n != 4 {
		t.Errorf("a reader beside who settles sees %d events, want 4", n)
	}
	o.db.later.wait(t.Context())
	o.wantWhole()
}

// TestReadersSettleBatchesOnce has many readers find a batch that was left half
// settled. One of them pays for it, and all see it.
func TestReadersSettleBatchesOnce(t *testing.T) {
	const readers = 8
	o := newOffice(t)
	id, resume := o.halfSettled()
	other := o.replica()
	held, begun := make(chan struct{}), atomic.Int64{}
	other.hook = func(point string) error {
		if point == "settle.begin" {
			begun.Add(1)
			<-held
		}
		return nil
	}
	var reading sync.WaitGroup
	for range readers {
		reading.Go(func() {
			events, err := NewActivities(other).Feed(t.Context(), activity.Query{Limit: 10})
			if err != nil || len(events) != 5 {
				t.Errorf("Feed = %d events, %v; want those of the hiring and of the batch, 5", len(events), err)
			}
		})
	}
	time.Sleep(300 * time.Millisecond) // for all to find the batch
	close(held)
	reading.Wait()
	if n := begun.Load(); n != 1 {
		t.Errorf("%d of %d readers settled the batch, want one", n, readers)
	}
	o.must(resume())
	o.wantSums(id, 3)
	o.wantWhole()
}

// TestReportsStandBehind reports of an agent that owes events. They stand in the
// log behind these.
func TestReportsStandBehind(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	release := o.hold(1)
	o.must(o.setLevel(id, "vp"))
	other := o.replica()
	o.clock.advance(time.Second) // lines are in the order of time
	reports := o.reports(id, 1)
	var n ports.Counted
	o.must(o.appending(reports, &n)(t.Context(), storesOf(other)))
	o.sequenceAll(other)
	if got := o.readLog(other); len(got) != 4 || got[3] != reports[0].Event.ID {
		t.Errorf("the log has %v, want the report %s behind the three events of the agent", got, reports[0].Event.ID)
	}
	release()
	o.db.later.wait(t.Context())
	o.wantWhole()
}

// TestReportsStandBehindOtherClocks reports of an agent that was hired by a clock
// that is ahead of the reporter's, while its hiring waits for a place in the log.
func TestReportsStandBehindOtherClocks(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	o.made += 1000 // the times of changes; the clock of processes stays behind
	id := o.hire("Bob", "Sales")
	other := o.replica()
	if _, err := storesOf(other).Agents.Find(t.Context(), []identity.Ref{refOf(id)}); err != nil {
		t.Fatalf("Find = %v", err)
	}
	reports := o.reports(id, 1)
	o.must(o.appending(reports, new(ports.Counted))(t.Context(), storesOf(other)))
	o.sequenceAll(other)
	if got := o.readLog(other); len(got) < 2 || got[len(got)-1] != reports[0].Event.ID {
		t.Errorf("the log has %v, want the report %s behind the hiring", got, reports[0].Event.ID)
	}
	o.wantWhole()
}

// TestAllThatIsOwed: a reader waits for every batch that is owed, also when there
// are more than one reader settles at once.
func TestAllThatIsOwed(t *testing.T) {
	const many = sweepAtOnce + 50
	o := newOffice(t)
	var batches []head
	for range many {
		op := newToken()
		batches = append(batches, head{ID: op, Rev: 1, Op: op, Pending: []debt{{Op: op, At: 1}}})
	}
	o.must(insertAll(t.Context(), o.db, batchesColl, batches))
	owed, err := o.db.owed(t.Context(), wanted{
		coll: batchesColl, filter: owes(), concerns: func(debt) bool { return true }, atMost: sweepAtOnce,
	})
	if len(owed) != many || err != nil {
		t.Errorf("%d batches are owed, %v, want %d", len(owed), err, many)
	}
	o.must(o.db.awaitBatches(t.Context()))
	if n := o.owing(); n != 0 {
		t.Errorf("a reader has seen %d of %d batches settled", many-n, many)
	}
}

// TestSweepGoesOn sweeps when one of many debts cannot be paid.
func TestSweepGoesOn(t *testing.T) {
	const many = 3 * homesAtOnce
	o := newOffice(t)
	o.found("Sales")
	var ids []agent.ID
	for i := range many {
		ids = append(ids, o.hire(fmt.Sprint("Bob ", i), "Sales"))
	}
	o.db.later = newLater()
	o.stopAt("settle.begin")
	for _, id := range ids {
		o.must(o.setLevel(id, "vp"))
	}
	o.db.later.wait(t.Context())
	o.clock.advance(10 * time.Second)
	other := o.replica()
	failed := atomic.Bool{}
	other.hook = func(point string) error {
		if point == "settle.begin" && failed.CompareAndSwap(false, true) {
			return errCrash
		}
		return nil
	}
	if err := other.Sweep(t.Context()); !errors.Is(err, errCrash) {
		t.Errorf("Sweep = %v, want %v", err, errCrash)
	}
	if n := o.owing(); n != 1 {
		t.Errorf("%d of %d homes owe something, want the one that failed", n, many)
	}
	o.must(other.Sweep(t.Context()))
	o.wantWhole()
}
