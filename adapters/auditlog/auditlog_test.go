package auditlog

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"orgd/domain/audit"
)

// pipe takes what is written when reads says so, and so many bytes of it.
type pipe struct {
	reads chan int
	text  []byte
}

func (p *pipe) Write(text []byte) (int, error) {
	n := <-p.reads
	if n >= len(text) {
		p.text = append(p.text, text...)
		return len(text), nil
	}
	p.text = append(p.text, text[:n]...)
	return n, errors.New("no room")
}

const all = 1 << 30

type fixture struct {
	*Log
	*pipe
	missed atomic.Int64
	errors *observer.ObservedLogs
	n      int
}

func open() *fixture {
	core, logged := observer.New(zapcore.ErrorLevel)
	f := &fixture{pipe: &pipe{reads: make(chan int, 100)}, errors: logged}
	f.Log = New(f.pipe, func(n int) { f.missed.Add(int64(n)) }, zap.New(core))
	return f
}

func (f *fixture) add(n int) {
	entries := make([]audit.Entry, n)
	for i := range entries {
		f.n++
		entries[i].ID = fmt.Sprint(f.n)
	}
	f.Add(entries)
	synctest.Wait()
}

func (f *fixture) wantIDs(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^{"id":"(\d+)",.*}$`).FindAllSubmatch(f.text, -1) {
		got = append(got, string(m[1]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("whole lines are of %v, want %v:\n%s", got, want, f.text)
	}
}

// While nobody reads, Add and Close end, and what has no room is counted and logged once.
func TestNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open()
		f.add(1)
		f.add(maxWaiting)
		f.add(2)
		f.add(3)
		if got := f.missed.Load(); got != 5 || f.errors.Len() != 1 {
			t.Errorf("%d entries are missed, %d errors logged, want 5 and one", got, f.errors.Len())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := f.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close = %v, want the end of its time", err)
		}
		f.reads <- all
		f.reads <- all
	})
}

// Close writes what waits.
func TestCloseWritesTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open()
		f.add(1)
		f.add(2)
		f.reads <- all
		f.reads <- all
		if err := f.Close(t.Context()); err != nil {
			t.Errorf("Close = %v", err)
		}
		f.wantIDs(t, "1", "2", "3")
	})
}

// A line that a failed write has cut is ended, and no later one is part of it.
func TestCutLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open()
		f.reads <- 10
		f.add(1)
		f.reads <- all
		f.add(1)
		f.reads <- all
		f.add(1)
		f.wantIDs(t, "2", "3")
		if got := f.missed.Load(); got != 1 {
			t.Errorf("%d entries are missed, want 1", got)
		}
		if err := f.Close(t.Context()); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
}
