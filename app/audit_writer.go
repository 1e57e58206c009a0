package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/ports"
)

const (
	// entriesAtOnce bounds the entries that are written together.
	entriesAtOnce = 1000
	// writeTime bounds a turn of writing.
	writeTime = 10 * time.Second
	// keepEvery is after how long it is kept what was written.
	keepEvery = time.Second
	// keepQuiet is the same if nothing was written: the log has moved on all the same.
	keepQuiet = time.Minute
	// clockSkew is how far an entry may be older than what entered the log before it: clocks
	// of processes differ, and a change may take a while.
	clockSkew = 10 * time.Minute
)

// AuditMeter measures how the audit trail is written.
type AuditMeter interface {
	// AuditBehind records for how long the oldest entry waits that is not written.
	AuditBehind(d time.Duration)
	// AuditFailed counts a turn that has failed.
	AuditFailed()
}

// AuditWriter writes the audit trail for others to read: each entry as a line of JSON, after
// its commit, in the order of the log, and each at least once. Of several processes that
// keep their progress in one place one writes. A turn is one call of Run, which a
// background job repeats.
type AuditWriter struct {
	clock    ports.Clock
	log      ports.EventStream
	trail    ports.AuditLog
	progress ports.AuditProgress
	out      io.Writer
	meter    AuditMeter
	id       string

	ours    bool          // as far as this one knows
	claimed time.Time     // when it was last
	place   ports.Written // everything up to it is
	kept    ports.Written
	keptAt  time.Time
	moved   bool      // entries were written since
	older   *olderLog // unless nil, what the log does not reach back to is being read

	lines   []byte        // that are not written
	next    ports.Written // the place behind them
	writing chan wrote    // unless nil, a write that has not returned

	waiting atomic.Int64 // since when an entry waits, in Unix milliseconds; 0 if none does
}

// olderLog is the trail by time, where the log does not reach back to.
type olderLog struct {
	from audit.Position
	upTo ports.Written // from where the log is followed again
}

type wrote struct {
	n   int
	err error
}

// NewAuditWriter returns a writer that has begun nothing. A Write of out takes whole lines,
// and if it fails it says how many bytes of whole lines it has written.
func NewAuditWriter(clock ports.Clock, ids ports.IDs, log ports.EventStream, trail ports.AuditLog, progress ports.AuditProgress,
	out io.Writer, meter AuditMeter,
) *AuditWriter {
	return &AuditWriter{clock: clock, log: log, trail: trail, progress: progress, out: out, meter: meter, id: ids.NewID()}
}

// Begin finds out where to go on, or keeps that writing begins now. Call it before the
// first change can be made.
func (w *AuditWriter) Begin(ctx context.Context) error {
	_, err := w.claim(ctx)
	return err
}

// Run writes what has been committed. Call it once a second, one call after another. If it
// fails nothing is lost: the next call goes on where this one was.
func (w *AuditWriter) Run(ctx context.Context) error {
	err := w.writeAll(ctx, time.Now().Add(writeTime))
	if err == nil {
		err = w.keep(ctx, false)
	}
	return w.judge(err)
}

// Drain writes what is committed until now, or as much as it can until ctx ends.
func (w *AuditWriter) Drain(ctx context.Context) error {
	err := w.writeAll(ctx, time.Time{})
	return w.judge(errors.Join(err, w.keep(ctx, true)))
}

// judge counts a failure. Who fails is behind at least since then.
func (w *AuditWriter) judge(err error) error {
	if err != nil {
		w.meter.AuditFailed()
		w.waiting.CompareAndSwap(0, w.clock.Now().UnixMilli())
	}
	w.Measure()
	return err
}

// Measure records how far behind the writer is.
func (w *AuditWriter) Measure() {
	behind := time.Duration(0)
	if since := w.waiting.Load(); since != 0 {
		behind = max(w.clock.Now().Sub(time.UnixMilli(since)), 0)
	}
	w.meter.AuditBehind(behind)
}

// writeAll writes until the end of the log, or until it is late. A zero time is never.
func (w *AuditWriter) writeAll(ctx context.Context, late time.Time) error {
	for late.IsZero() || time.Now().Before(late) {
		before := w.place.UpTo
		more, err := w.writeSome(ctx)
		if err != nil || !more {
			return err
		}
		if w.place.UpTo == before && w.older == nil && !rest(ctx, nil, retryAfter) {
			return ctx.Err()
		}
	}
	return nil
}

// writeSome writes the next entries, and reports whether there may be more.
func (w *AuditWriter) writeSome(ctx context.Context) (more bool, err error) {
	if err := w.flush(ctx); err != nil { // what is left of the last time
		return false, err
	}
	if ours, err := w.claim(ctx); err != nil || !ours {
		w.waiting.Store(0)
		return false, err
	}
	found, more, err := w.read(ctx)
	if err != nil {
		return false, err
	}
	if len(found) > 0 {
		w.waiting.Store(found[0].At.UnixMilli())
		w.lines = linesOf(found)
	}
	if err := w.flush(ctx); err != nil {
		return false, err
	}
	if !more {
		w.waiting.Store(0)
	}
	return more, w.keep(ctx, false)
}

// linesOf returns entries in JSON, a line each.
func linesOf(entries []audit.Entry) (lines []byte) {
	for _, e := range entries {
		w := jsondoc.NewWriter(lines)
		e.Write(w)
		lines = append(w.Bytes(), '\n')
	}
	return lines
}

// claim makes this writer the one who writes, unless another one is, and finds out where to
// go on if it was not before.
func (w *AuditWriter) claim(ctx context.Context) (ours bool, err error) {
	now := w.clock.Now()
	if w.ours && now.Sub(w.claimed) < ports.AuditLease/3 {
		return true, nil
	}
	written, ours, err := w.progress.Claim(ctx, w.id)
	if err != nil {
		return false, err
	}
	goesOn := w.ours && ours && written != nil && *written == w.kept // nobody else has written meanwhile
	w.ours, w.claimed = ours, now
	if goesOn || !ours {
		return ours, nil
	}
	w.older, w.moved = nil, false
	if written != nil {
		w.place, w.kept, w.keptAt = *written, *written, now
		return true, nil
	}
	head, err := w.log.Head(ctx)
	if err != nil {
		w.ours = false
		return false, err
	}
	w.place = ports.Written{UpTo: head, At: now}
	return w.ours, w.keep(ctx, true)
}

// read returns the entries behind the place, and sets the one behind them.
func (w *AuditWriter) read(ctx context.Context) (found []audit.Entry, more bool, err error) {
	if w.older != nil {
		return w.readOlder(ctx)
	}
	now := w.clock.Now()
	page, err := w.trail.After(ctx, w.place.UpTo, entriesAtOnce)
	if errors.Is(err, activity.ErrTooOld) {
		head, err := w.log.Head(ctx)
		if err == nil {
			w.older = &olderLog{audit.Position{At: w.place.At.Add(-clockSkew)}, ports.Written{UpTo: head, At: now}}
		}
		w.next = w.place
		return nil, err == nil, err
	}
	if err != nil {
		return nil, false, err
	}
	w.next = ports.Written{UpTo: page.Next, At: now}
	if page.More {
		w.next.At = w.place.At
		if n := len(page.Entries); n > 0 {
			w.next.At = page.Entries[n-1].At
		}
	}
	return page.Entries, page.More, nil
}

// readOlder reads on by time. The place moves when everything was written: who begins anew
// before that writes some of it once more.
func (w *AuditWriter) readOlder(ctx context.Context) (found []audit.Entry, more bool, err error) {
	found, err = w.trail.From(ctx, w.older.from, entriesAtOnce)
	if err != nil {
		return nil, false, err
	}
	w.next = w.place
	if n := len(found); n > 0 {
		w.older.from = found[n-1].Position()
	}
	if len(found) < entriesAtOnce {
		w.next, w.older = w.older.upTo, nil
	}
	return found, true, nil
}

// flush writes the lines that are left. It does not wait longer than ctx for who does not
// take them: then the write goes on, and the next call waits for it.
func (w *AuditWriter) flush(ctx context.Context) error {
	if len(w.lines) > 0 && w.writing == nil {
		lines, done := w.lines, make(chan wrote, 1)
		w.writing = done
		go func() {
			var r wrote
			defer func() { done <- r }()
			defer fault.Recover(&r.err, "app: panic while writing the audit trail")
			r.n, r.err = w.out.Write(lines)
		}()
	}
	if w.writing != nil {
		select {
		case r := <-w.writing:
			w.writing = nil
			if w.lines = w.lines[r.n:]; r.err != nil {
				return fmt.Errorf("write the audit trail: %w", r.err)
			}
			w.moved = true
		case <-ctx.Done():
			return fmt.Errorf("write the audit trail: nobody takes it: %w", ctx.Err())
		}
	}
	if w.next != (ports.Written{}) {
		w.place, w.next = w.next, ports.Written{}
	}
	return nil
}

// keep stores the place if it is time to, or at once.
func (w *AuditWriter) keep(ctx context.Context, atOnce bool) error {
	every, now := keepQuiet, w.clock.Now()
	if w.moved {
		every = keepEvery
	}
	same := w.place.UpTo == w.kept.UpTo && !w.moved && !w.keptAt.IsZero()
	if !w.ours || same || !atOnce && now.Sub(w.keptAt) < every {
		return nil
	}
	ours, err := w.progress.Keep(ctx, w.id, w.place)
	if err != nil {
		return fmt.Errorf("keep how far the audit trail was written: %w", err)
	}
	if w.ours = ours; ours {
		w.kept, w.keptAt, w.claimed, w.moved = w.place, now, now, false
	}
	return nil
}
