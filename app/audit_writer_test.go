package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/jsondoc"
	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
)

// paper is what an audit writer writes to. It may refuse, and hold up who writes.
type paper struct {
	mu    sync.Mutex
	text  bytes.Buffer
	room  int // bytes that it takes; negative for any number
	holds chan struct{}
}

var errFull = errors.New("no room")

func (p *paper) Write(lines []byte) (int, error) {
	if p.holds != nil {
		<-p.holds
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.room < 0 || len(lines) <= p.room {
		p.room -= min(max(p.room, 0), len(lines))
		return p.text.Write(lines)
	}
	whole := bytes.LastIndexByte(lines[:p.room], '\n') + 1
	p.text.Write(lines[:whole])
	return whole, errFull
}

// ids are those of the entries on the paper.
func (p *paper) ids(t *testing.T) (ids []string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(p.text.String()) {
		v, err := jsondoc.Parse([]byte(line))
		if err != nil {
			t.Fatalf("a line is not JSON: %v: %s", err, line)
		}
		id, _ := v.Get("id")
		ids = append(ids, id.Text())
	}
	return ids
}

// office has a trail, and those who write it.
type office struct {
	t *testing.T
	ports.Stores
	n                int
	failed           int
	behind           time.Duration
	tooOld           activity.Seq // what is before it is not in the log
	keeps            int
	progressIsBroken bool
}

func (o *office) Now() time.Time              { return time.Now().UTC().Truncate(time.Millisecond) }
func (o *office) NewID() string               { o.n++; return fmt.Sprintf("%08d", o.n) }
func (o *office) AuditBehind(d time.Duration) { o.behind = d }
func (o *office) AuditFailed()                { o.failed++ }

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

// keeping counts what is kept.
type keeping struct {
	ports.AuditProgress
	o *office
}

func (c keeping) Keep(ctx context.Context, writer string, w ports.Written) (bool, error) {
	c.o.keeps++
	if c.o.progressIsBroken {
		return false, errFull
	}
	return c.AuditProgress.Keep(ctx, writer, w)
}

func newOffice(t *testing.T) *office { return &office{t: t, Stores: portstest.NewMemory()} }

func (o *office) writer(p *paper) *AuditWriter {
	o.t.Helper()
	w := NewAuditWriter(o, o, o.Stream, cut{o.Audit, o}, keeping{o.Written, o}, p, o)
	if err := w.Begin(o.t.Context()); err != nil {
		o.t.Fatalf("Begin = %v", err)
	}
	return w
}

// commit makes n entries and returns their ids.
func (o *office) commit(n int) (ids []string) {
	o.t.Helper()
	for range n {
		e := audit.Entry{ID: o.NewID(), At: o.Now(), Actor: "ann", Resource: audit.Session("s")}
		if err := o.Sessions.Issue(o.t.Context(), session.Session{ID: e.ID}, ports.Trail{Audit: e}); err != nil {
			o.t.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	return ids
}

func run(t *testing.T, w *AuditWriter, want error) {
	t.Helper()
	if err := w.Run(t.Context()); !errors.Is(err, want) {
		t.Errorf("Run = %v, want %v", err, want)
	}
}

func (o *office) wantIDs(p *paper, want []string) {
	o.t.Helper()
	if got := p.ids(o.t); !slices.Equal(got, want) {
		o.t.Errorf("written are %v, want %v", got, want)
	}
}

// What is committed after the beginning is written, in order; a writer that comes later
// goes on where the last one has kept that it was, and leaves nothing out.
func TestAuditWriterGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.commit(3) // before it begins
		p := &paper{room: -1}
		w := o.writer(p)
		first := o.commit(2*entriesAtOnce + 7)
		run(t, w, nil)
		o.wantIDs(p, first)
		time.Sleep(ports.AuditLease + time.Second) // it was killed without having kept anything but the beginning
		p = &paper{room: -1}
		w = o.writer(p)
		run(t, w, nil)
		o.wantIDs(p, first)
		second := o.commit(2)
		time.Sleep(keepEvery)
		run(t, w, nil)
		o.wantIDs(p, append(first, second...))
		time.Sleep(ports.AuditLease + time.Second) // this one has kept it
		third := o.commit(1)
		p = &paper{room: -1}
		run(t, o.writer(p), nil)
		o.wantIDs(p, third)
	})
}

// It is kept once a second at most, and once a minute if nothing is written.
func TestAuditWriterKeepsSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		w := o.writer(&paper{room: -1})
		o.keeps = 0
		for range 100 { // ten seconds
			o.commit(1)
			run(t, w, nil)
			time.Sleep(time.Second / 10)
		}
		if o.keeps < 9 || o.keeps > 10 {
			t.Errorf("it was kept %d times in ten seconds, want once a second", o.keeps)
		}
		time.Sleep(keepEvery)
		run(t, w, nil)
		o.keeps = 0
		for range 5 * 60 {
			run(t, w, nil)
			time.Sleep(time.Second)
		}
		if o.keeps != 0 {
			t.Errorf("it was kept %d times while the log did not move, want never", o.keeps)
		}
	})
}

// A full disk: the writer says so, is behind, and goes on with the line that it could not
// write.
func TestAuditWriterCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		p := &paper{room: 1000}
		w := o.writer(p)
		want := o.commit(20)
		run(t, w, errFull)
		p.mu.Lock()
		p.room = 0
		p.mu.Unlock()
		time.Sleep(time.Hour)
		want = append(want, o.commit(20)...)
		run(t, w, errFull)
		if o.failed != 2 || o.behind != time.Hour {
			t.Errorf("%d failures, %v behind, want 2 and an hour", o.failed, o.behind)
		}
		p.mu.Lock()
		p.room = -1
		p.mu.Unlock()
		run(t, w, nil)
		o.wantIDs(p, want)
		if o.failed != 2 || o.behind != 0 {
			t.Errorf("%d failures, %v behind, want 2 and nothing", o.failed, o.behind)
		}
		o.progressIsBroken = true
		want = append(want, o.commit(1)...)
		time.Sleep(keepEvery)
		run(t, w, errFull)
		want = append(want, o.commit(1)...)
		run(t, w, errFull)
		o.wantIDs(p, want)
	})
}

// What the log does not reach back to is read from the trail by time.
func TestAuditWriterOfAnOldPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		p := &paper{room: -1}
		o.commit(1)
		time.Sleep(clockSkew + time.Second) // it is not written once more
		w := o.writer(p)
		first := o.commit(5)
		time.Sleep(keepEvery)
		if err := w.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		o.wantIDs(p, first)
		time.Sleep(24 * time.Hour)
		second := o.commit(entriesAtOnce + 3)
		head, err := o.Stream.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o.tooOld = head
		p = &paper{room: -1}
		w = o.writer(p)
		run(t, w, nil)
		if got := p.ids(t); !slices.Equal(got[len(got)-len(second):], second) || len(got) > len(first)+len(second) {
			t.Errorf("written are %v, want at the end %v", got, second)
		}
		third := o.commit(2)
		run(t, w, nil)
		if got := p.ids(t); !slices.Equal(got[len(got)-2:], third) {
			t.Errorf("written are %v, want at the end %v", got, third)
		}
	})
}

// Of two processes one writes. When it dies the other one goes on.
func TestAuditWriterTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		p, q := &paper{room: -1}, &paper{room: -1}
		a, b := o.writer(p), o.writer(q)
		var want []string
		for range 60 {
			want = append(want, o.commit(1)...)
			run(t, a, nil)
			run(t, b, nil)
			time.Sleep(time.Second)
		}
		o.wantIDs(p, want)
		o.wantIDs(q, nil)
		want = nil // the first one has kept all that it has written
		for range 20 {
			want = append(want, o.commit(1)...)
			run(t, b, nil)
			time.Sleep(time.Second)
		}
		o.wantIDs(q, want)
		run(t, a, nil) // it was only slow
		before := len(p.ids(t))
		o.commit(1)
		run(t, a, nil)
		if got := len(p.ids(t)); got != before {
			t.Errorf("two write: %d lines, want %d", got, before)
		}
	})
}

// Nobody waits longer than he wants for a reader who does not read; what was held up is
// written when he does.
func TestAuditWriterIsHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		p := &paper{room: -1, holds: make(chan struct{})}
		w := o.writer(p)
		want := o.commit(2)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := w.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Drain = %v, want that time is over", err)
		}
		close(p.holds)
		want = append(want, o.commit(2)...)
		run(t, w, nil)
		o.wantIDs(p, want)
	})
}
