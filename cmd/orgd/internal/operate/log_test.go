package operate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Lines come out whole, each once, those of one writer in their order.
func TestLinesOfMany(t *testing.T) {
	var out bytes.Buffer
	l := newLineWriter(&out)
	const writers, each = 8, 2000
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if n, err := fmt.Fprintf(l, "%d %d\n", w, i); n == 0 || err != nil {
					t.Errorf("Write = %d, %v", n, err)
				}
			}
		})
	}
	all.Wait()
	l.close()
	var next [writers]int
	for line := range strings.Lines(out.String()) {
		var w, i int
		if _, err := fmt.Sscanf(line, "%d %d\n", &w, &i); err != nil || i != next[w] {
			t.Fatalf("line %q of writer %d comes after %d, %v", line, w, next[w], err)
		}
		next[w]++
	}
	if slices.Min(next[:]) != each {
		t.Errorf("lines of the writers = %v, want %d of each", next, each)
	}
	if _, err := l.Write([]byte("x\n")); err == nil {
		t.Error("Write after close = nil, want an error")
	}
}

// blockedWriter is a writer whose writes wait for a value from on.
type blockedWriter struct {
	bytes.Buffer
	on     chan struct{}
	writes int
}

func (g *blockedWriter) Write(text []byte) (int, error) {
	<-g.on
	g.writes++
	return g.Buffer.Write(text)
}

// Lines gather while one is written, but not without end.
func TestLinesGather(t *testing.T) {
	g := &blockedWriter{on: make(chan struct{})}
	l := newLineWriter(g)
	line := []byte(strings.Repeat("x", 1023) + "\n")
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		for range 3 * maxPending / len(line) {
			if _, err := l.Write(line); err != nil {
				t.Error(err)
			}
		}
	}()
	g.on <- struct{}{}
	select {
	case <-waited:
		t.Error("three times as much as may wait was taken in")
	case g.on <- struct{}{}:
	}
	close(g.on)
	<-waited
	if err := l.Sync(); err != nil || g.Len() != 3*maxPending {
		t.Errorf("Sync = %v after %d bytes, want all %d", err, g.Len(), 3*maxPending)
	}
	l.close()
	if g.writes > 10 {
		t.Errorf("%d writes, want few large ones", g.writes)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestLinesTellOfFailures(t *testing.T) {
	l := newLineWriter(broken{})
	defer l.close()
	if _, err := l.Write([]byte("x\n")); err != nil {
		t.Errorf("the first Write = %v, want nil", err)
	}
	if err := l.Sync(); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Sync = %v, want %v", err, io.ErrShortWrite)
	}
	if _, err := l.Write([]byte("x\n")); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("the next Write = %v, want %v", err, io.ErrShortWrite)
	}
}
