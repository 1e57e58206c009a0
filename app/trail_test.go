package app

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
)

// office has a trail.
type office struct {
	t *testing.T
	ports.Stores
	n      int
	tooOld activity.Seq // what is before it is not in the log
}

func (o *office) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// cut is the trail in a log that does not reach back.
type cut struct {
	ports.AuditLog
	o *office
}

func (c cut) After(ctx context.Context, position activity.Seq, limit int) (ports.AuditPage, error) {
	if position < c.o.tooOld {
		return ports.AuditPage{}, activity.ErrTooOld
	}
	return c.AuditLog.After(ctx, position, limit)
}

func newOffice(t *testing.T) (*office, *Trail) {
	o := &office{t: t, Stores: portstest.NewMemory()}
	return o, NewTrail(o, o.Stream, cut{o.Audit, o})
}

// commit makes n entries of a time and returns their ids.
func (o *office) commit(n int, at time.Time) (ids []string) {
	o.t.Helper()
	for range n {
		o.n++
		e := audit.Entry{ID: fmt.Sprintf("%08d", o.n), At: at, Actor: []string{"ann", "bob"}[o.n%2], Resource: audit.Session("s")}
		if err := o.Sessions.Issue(o.t.Context(), session.Session{ID: e.ID}, ports.Trail{Audit: e}); err != nil {
			o.t.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	return ids
}

// follow reads what there is behind a position, in pages of two.
func (o *office) follow(trail *Trail, p TrailPosition, q audit.Query) (ids []string, end TrailPosition) {
	o.t.Helper()
	for more := true; more; {
		page, err := trail.After(o.t.Context(), p, q, 2)
		if err != nil {
			o.t.Fatal(err)
		}
		for _, e := range page.Entries {
			ids = append(ids, e.ID)
		}
		p, more = page.Next, page.More
	}
	return ids, p
}

func begin(t *testing.T, trail *Trail, since time.Time) TrailPosition {
	t.Helper()
	p, err := trail.Begin(t.Context(), since)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wantIDs(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Who begins at a time gets what is stored from then on, and goes on with what is committed,
// whatever its time.
func TestTrailGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, trail := newOffice(t)
		old, since := o.commit(3, o.Now()), o.Now().Add(time.Millisecond)
		time.Sleep(time.Second)
		recent := o.commit(4, o.Now())
		all, _ := o.follow(trail, begin(t, trail, time.Time{}), audit.Query{})
		wantIDs(t, "from the beginning", all, append(old, recent...))
		got, end := o.follow(trail, begin(t, trail, since), audit.Query{})
		wantIDs(t, "since a time", got, recent)
		later := o.commit(3, since.Add(-time.Minute)) // by a process whose clock is behind
		got, end = o.follow(trail, end, audit.Query{})
		wantIDs(t, "of an earlier time, committed later", got, later)
		got, _ = o.follow(trail, end, audit.Query{})
		wantIDs(t, "at the end", got, nil)
		got, _ = o.follow(trail, begin(t, trail, time.Time{}), audit.Query{Actor: "ann"})
		wantIDs(t, "of ann, what is stored by time", got, []string{"00000008", "00000010", "00000002", "00000004", "00000006"})
	})
}

// Who comes back when the log does not reach back so far misses nothing.
func TestTrailBehindTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, trail := newOffice(t)
		_, end := o.follow(trail, begin(t, trail, o.Now()), audit.Query{})
		time.Sleep(time.Hour)
		missed := o.commit(5, o.Now().Add(-2*time.Minute))
		head, err := o.Stream.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o.tooOld = head
		time.Sleep(time.Hour)
		got, end := o.follow(trail, end, audit.Query{})
		wantIDs(t, "behind the log", got, missed)
		later := o.commit(1, o.Now())
		got, _ = o.follow(trail, end, audit.Query{})
		wantIDs(t, "in the log again", got, later)
	})
}
