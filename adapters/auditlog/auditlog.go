// Package auditlog writes audit entries as lines, for what collects logs.
package auditlog

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"go.uber.org/zap"

	"orgd/domain/audit"
	"orgd/domain/jsondoc"
)

// maxWaiting bounds the entries that wait to be written.
const maxWaiting = 10_000

// Log writes each entry as a line of JSON, from a goroutine of its own: those who commit
// never wait for those who read. Entries that cannot be written, and those for which there
// is no room while nobody reads, are counted and left out.
type Log struct {
	out    io.Writer
	missed func(entries int)
	log    *zap.Logger

	mu      sync.Mutex
	changed sync.Cond // one of the following
	waiting []audit.Entry
	closed  bool
	missing bool // since the last line that was written

	ended chan struct{}
}

// New returns a log that writes to out until it is closed. missed is called with the number
// of entries that were left out.
func New(out io.Writer, missed func(entries int), log *zap.Logger) *Log {
	l := &Log{out: out, missed: missed, log: log, ended: make(chan struct{})}
	l.changed.L = &l.mu
	go l.run()
	return l
}

// Add writes entries soon. It does not wait.
func (l *Log) Add(entries []audit.Entry) {
	l.mu.Lock()
	n := min(len(entries), maxWaiting-len(l.waiting))
	l.waiting = append(l.waiting, entries[:n]...)
	l.changed.Signal()
	l.mu.Unlock()
	l.miss(len(entries)-n, fmt.Errorf("nobody reads: %d entries wait already", maxWaiting))
}

// Close writes what waits. It returns when that is done, or an error when ctx ends before.
// Call it once, after the last Add.
func (l *Log) Close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	l.changed.Signal()
	l.mu.Unlock()
	select {
	case <-l.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("auditlog: nobody reads: %w", ctx.Err())
	}
}

func (l *Log) run() {
	defer close(l.ended)
	half := false // whether the last line that was written has no end
	for {
		l.mu.Lock()
		for len(l.waiting) == 0 && !l.closed {
			l.changed.Wait()
		}
		entries := l.waiting
		l.waiting = nil
		l.mu.Unlock()
		if len(entries) == 0 {
			return
		}
		lines := linesOf(entries)
		if half {
			lines = append([]byte{'\n'}, lines...)
		}
		n, err := l.out.Write(lines)
		if n > 0 {
			half = lines[n-1] != '\n'
		}
		l.miss(bytes.Count(lines[n:], []byte{'\n'}), err)
	}
}

// miss counts entries that were left out because of err. The first of a row is logged.
func (l *Log) miss(entries int, err error) {
	l.mu.Lock()
	first := entries > 0 && !l.missing
	l.missing = entries > 0
	l.mu.Unlock()
	if entries > 0 {
		l.missed(entries)
	}
	if first {
		l.log.Error("audit entries are left out of standard output; orgd get audit has them", zap.Error(err))
	}
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
