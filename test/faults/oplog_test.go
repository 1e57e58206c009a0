package faults

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/mongoserver"
)

// TestOplogRolledOver follows the stream from a position that MongoDB has forgotten. The
// client is told once that it has missed something, and then what is new.
func TestOplogRolledOver(t *testing.T) {
	if size(true, false) {
		t.Skip("is for the long form alone (ORGD_LONG=1): it writes half a gigabyte")
	}
	uri := mongoURI(t)
	c := startCluster(t, 1, uri, impatient...)
	client := c.client(0, 1)
	must(t, client, api.Request{Method: http.MethodPost, Path: "/departments", Body: object{"name": department}}, nil)
	hire := func(name string) {
		must(t, client, api.Request{Method: http.MethodPost, Path: "/agents", Body: object{"name": name, "role": "worker", "department": department}}, nil)
	}
	events, err := client.Follow(t.Context(), streamPath, "")
	if err != nil {
		t.Fatal(err)
	}
	hire("early")
	position := next(t, events, "").ID
	if err := events.Close(); err != nil {
		t.Error(err)
	}
	hire("missed")
	begin := time.Now()
	mongoserver.RollOplog(t, uri)
	t.Logf("R31: the oplog has rolled over in %s", time.Since(begin).Round(time.Second))
	if code, err := c.replicas[0].Terminate(); code != 0 || err != nil { // it has the last events in memory
		t.Fatalf("Terminate = %d, %v", code, err)
	}
	c.start(0)
	client = c.client(0, 1)
	if events, err = client.Follow(t.Context(), streamPath, position); err != nil {
		t.Fatal(err)
	}
	defer events.Close() // nothing was written that it could lose
	next(t, events, "resync")
	hire("late")
	if late := next(t, events, ""); late.ID == position {
		t.Errorf("after resync comes %+v, want the hire since then", late)
	}
	t.Log("R31: a position that is older than the oplog: one resync, then what is new")
}

// next reads the next event, which must be of a type: "" is an activity.
func next(t *testing.T, events *api.Events, want string) api.Event {
	t.Helper()
	for {
		e, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e.Data == "" {
			continue
		}
		if e.Type != want {
			t.Fatalf("the next event is %+v, want one of the type %q", e, want)
		}
		return e
	}
}

const (
	// goesOn is within what time everybody must have every event.
	goesOn = 10 * time.Second
	// readWait bounds every wait of this test, on any machine.
	readWait = 3 * time.Minute
)

// entriesOfOthers is what another database writes into the oplog, which is everybody's.
var entriesOfOthers = size(100_000, 1_000_000)

// quietRun are replicas beside another database that writes much.
type quietRun struct {
	*cluster
	uri       string
	followers []*hireFollower
	webhook   *hireReceiver
	hired     int
}

// TestOplogOfOthers has another database fill the oplog while a replica stands still, and
// while all run. Followers and a webhook get every event soon, and so does a client that
// comes back from before all of it.
func TestOplogOfOthers(t *testing.T) {
	uri := mongoURI(t)
	q := &quietRun{uri: uri}
	q.cluster = startCluster(t, 2, uri, append([]string{"--webhook-allow-http", "--webhook-allow-private"}, impatient...)...)
	admin := q.client(0, 1)
	must(t, admin, api.Request{Method: http.MethodPost, Path: "/departments", Body: object{"name": department}}, nil)
	q.webhook = startHireReceiver(t, admin)
	for i := range q.replicas {
		q.followers = append(q.followers, startHireFollower(t, q.client(i, 1)))
	}
	events, err := admin.Follow(t.Context(), streamPath, "")
	if err != nil {
		t.Fatal(err)
	}
	begin, err := events.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := events.Close(); err != nil {
		t.Error(err)
	}
	q.hire(0)
	q.received("at first", time.Now())
	q.stoodStill()
	q.besideWriter()
	q.comesBack(begin.ID)
	q.received("in the end", time.Now())
}

// hire hires an agent through a replica.
func (q *quietRun) hire(replica int) {
	q.t.Helper()
	q.hired++
	name := fmt.Sprint("agent-", q.hired) // also its key
	answer, err := retry(q.t.Context(), q.client(replica, 1), api.Request{
		Method: http.MethodPost, Path: "/agents", Key: name, Body: object{"name": name, "role": "worker", "department": department},
	})
	if err != nil || !answer.OK() {
		q.t.Fatalf("hire %q = %v, %v", name, answer.Err(), err)
	}
}

// stoodStill stops a replica while others write, and another replica hires.
func (q *quietRun) stoodStill() {
	q.t.Helper()
	pid := q.replicas[0].PID()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		q.t.Fatal(err)
	}
	q.hire(1)
	mongoserver.WriteOthers(q.t, q.uri, entriesOfOthers)
	q.hire(1)
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		q.t.Fatal(err)
	}
	q.received(fmt.Sprintf("after a replica stood still during %d entries", entriesOfOthers), time.Now())
}

// besideWriter hires one agent after the other while others write. Each is waited for.
func (q *quietRun) besideWriter() {
	q.t.Helper()
	written := make(chan struct{})
	go func() {
		defer close(written)
		mongoserver.WriteOthers(q.t, q.uri, entriesOfOthers)
	}()
	var slowest time.Duration
	for n := 0; ; n++ {
		q.hire(n % len(q.replicas))
		slowest = max(slowest, q.received("", time.Now()))
		select {
		case <-written:
			q.t.Logf("R33: %d hires beside %d entries: the slowest was received everywhere after %s", n+1, entriesOfOthers, slowest.Round(time.Millisecond))
			return
		default:
		}
	}
}

// comesBack has a client come back to a replica that was started again and remembers
// nothing.
func (q *quietRun) comesBack(position string) {
	q.t.Helper()
	if code, err := q.replicas[0].Terminate(); code != 0 || err != nil {
		q.t.Fatalf("Terminate = %d, %v", code, err)
	}
	q.start(0)
	f := &hireFollower{t: q.t, client: q.client(0, 1)}
	ctx, stop := context.WithTimeout(q.t.Context(), readWait)
	defer stop()
	begun, done := time.Now(), make(chan struct{})
	go func() {
		defer close(done)
		for last := position; ctx.Err() == nil; time.Sleep(readyPoll) {
			if events, err := f.client.Follow(ctx, streamPath, last); err == nil {
				last = f.read(events, last)
			}
		}
	}()
	for len(f.received()) < q.hired && ctx.Err() == nil {
		time.Sleep(readyPoll)
	}
	took := time.Since(begun)
	stop()
	<-done
	if got, want := f.received(), q.followers[1].received(); !slices.Equal(got, want) {
		q.t.Errorf("a client that came back from before %d entries has %d events after %s, want the %d that others have", 2*entriesOfOthers, len(got), took, len(want))
	}
	q.t.Logf("R33: back from before %d entries: all %d events after %s", 2*entriesOfOthers, q.hired, took.Round(time.Millisecond))
}

// received waits until all followers and the webhook have every event, and returns how
// long that took since a time. It is late after goesOn.
func (q *quietRun) received(when string, since time.Time) time.Duration {
	q.t.Helper()
	missing := func() (who []string) {
		for i, f := range q.followers {
			if n := len(f.received()); n < q.hired {
				who = append(who, fmt.Sprintf("follower %d has %d", i, n))
			}
		}
		if n := len(q.webhook.received()); n < q.hired {
			who = append(who, fmt.Sprintf("the webhook has %d", n))
		}
		return who
	}
	for len(missing()) > 0 {
		if time.Since(since) > readWait {
			q.t.Fatalf("of %d events %v, %s %s", q.hired, missing(), when, readWait)
		}
		time.Sleep(readyPoll)
	}
	took := time.Since(since)
	if took > goesOn {
		q.late(took, "everybody had every event %s %s, want at most %s", when, took, goesOn)
	}
	if when != "" {
		q.t.Logf("R33: everybody had all %d events %s after %s", q.hired, when, took.Round(time.Millisecond))
	}
	return took
}
