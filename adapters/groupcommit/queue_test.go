package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"orgd/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errRefused = errors.New("refused")

// queue is one of changes that have a name. Their callers are goroutines of a bubble.
type queue struct {
	*Queue[string]
	*testing.T
	callers sync.WaitGroup
	answers map[string]error
	mu      sync.Mutex
}

// inBubble runs a test on an empty queue, which has no writer yet.
func inBubble(t *testing.T, test func(q *queue)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{Queue: New[string](), T: t, answers: map[string]error{}}
		test(q)
		q.callers.Wait()
	})
}

// send sends changes, each behind those before it.
func (q *queue) send(ctx context.Context, names ...string) {
	for _, name := range names {
		q.callers.Go(func() {
			err := q.Do(ctx, name)
			q.mu.Lock()
			defer q.mu.Unlock()
			q.answers[name] = err
		})
		synctest.Wait()
	}
}

// answered wants the callers of these changes, and of no others, to have been answered.
func (q *queue) answered(names ...string) {
	q.Helper()
	synctest.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.answers) != len(names) {
		q.Errorf("%d changes have been answered, %v, want %q", len(q.answers), q.answers, names)
	}
	for _, name := range names {
		if err, ok := q.answers[name]; !ok || err != nil {
			q.Errorf("the answer to %s is %v (%t), want nil", name, err, ok)
		}
	}
	clear(q.answers)
}

// refused wants the caller of a change to have been told that storage is not there, and
// what became of the change.
func (q *queue) refused(name, outcome string) {
	q.Helper()
	synctest.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.answers[name]; !errors.Is(err, ports.ErrUnavailable) || !strings.Contains(err.Error(), outcome) {
		q.Errorf("the answer to %s is %v, want an outage that says %q", name, err, outcome)
	}
	delete(q.answers, name)
}

const (
	notApplied = "it was not applied"
	unknown    = "it may have been applied"
)

func nothing(string) error { return nil }

// everything commits all that waits together, and tells which changes those were.
func (q *queue) everything(first *Job[string]) (names []string) {
	for j := first; j != nil; {
		names = append(names, j.Change)
		if j.Run(nothing) && j.Seal() {
			j.Answer(nil)
		}
		if j = nil; !first.Alone {
			j = q.Next()
		}
	}
	return names
}

func TestBatches(t *testing.T) {
	inBubble(t, func(q *queue) {
		var got [][]string
		q.send(q.Context(), "a", "b", "c")
		go q.Serve(func(first *Job[string]) {
			time.Sleep(time.Second)
			got = append(got, q.everything(first))
		})
		q.send(q.Context(), "d", "e")
		time.Sleep(time.Minute)
		q.answered("a", "b", "c", "d", "e")
		if want := [][]string{{"a", "b", "c", "d", "e"}}; fmt.Sprint(got) != fmt.Sprint(want) {
			q.Errorf("batches = %q, want %q", got, want)
		}
		<-q.Close()
	})
}

// Who is the writer finds out which changes have to be alone.
func TestTurns(t *testing.T) {
	inBubble(t, func(q *queue) {
		names := []string{"a", "large b", "c", "large d", "large e", "f"}
		q.send(q.Context(), names...)
		var all []*Job[string]
		for j := q.Next(); j != nil; j = q.Next() {
			j.Alone = strings.HasPrefix(j.Change, "large")
			all = append(all, j)
		}
		q.Return(all...)
		var got [][]string
		go q.Serve(func(first *Job[string]) { got = append(got, q.everything(first)) })
		q.answered(names...)
		want := [][]string{{"large b"}, {"a", "c", "f"}, {"large d"}, {"large e"}}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			q.Errorf("batches = %q, want %q", got, want)
		}
		<-q.Close()
	})
}

func TestReturnedChangesComeFirst(t *testing.T) {
	inBubble(t, func(q *queue) {
		q.send(q.Context(), "a", "b", "c")
		taken := []*Job[string]{q.Next(), q.Next()}
		q.Return(taken...)
		q.Defer(q.Next())
		if got := q.everything(q.Next()); !slices.Equal(got, []string{"b", "c", "a"}) {
			q.Errorf("the order is %q, want what was returned first and what was deferred last", got)
		}
		q.answered("a", "b", "c")
	})
}

func TestErrors(t *testing.T) {
	inBubble(t, func(q *queue) {
		q.send(q.Context(), "refused", "panics", "fine")
		for j := q.Next(); j != nil; j = q.Next() {
			j.Run(func(name string) error {
				switch name {
				case "refused":
					return errRefused
				case "panics":
					panic("a bug")
				}
				return nil
			})
			j.Answer(j.Err)
		}
		synctest.Wait()
		if err := q.answers["refused"]; err != errRefused {
			q.Errorf("the answer is %v, want %v", err, errRefused)
		}
		if err := q.answers["panics"]; err == nil || !strings.Contains(err.Error(), "panic in a change: a value of type string") {
			q.Errorf("the answer is %v, want the panic", err)
		}
		delete(q.answers, "refused")
		delete(q.answers, "panics")
		q.answered("fine")
	})
}

func TestWhoLeaves(t *testing.T) {
	inBubble(t, func(q *queue) {
		ctx, leave := context.WithCancel(q.Context())
		q.send(ctx, "waiting", "run", "sealed", "lost")
		q.send(q.Context(), "stays")
		waiting, run, sealed, lost, stays := q.Next(), q.Next(), q.Next(), q.Next(), q.Next()
		for _, j := range []*Job[string]{run, sealed, lost, stays} {
			if !j.Run(nothing) {
				q.Errorf("%s has not run", j.Change)
			}
		}
		for _, j := range []*Job[string]{sealed, lost, stays} {
			if !j.Seal() {
				q.Errorf("%s is not sealed", j.Change)
			}
		}
		leave()
		q.refused("waiting", notApplied)
		q.refused("run", notApplied)
		q.refused("sealed", unknown)
		q.refused("lost", unknown)
		q.Return(lost)
		if waiting.Run(nothing) || run.Seal() || lost.Run(nothing) {
			q.Error("a change runs or is stored whose caller has left")
		}
		sealed.Answer(nil) // nobody reads it, and nobody waits for that
		stays.Answer(nil)
		q.answered("stays")
		if err := q.Do(ctx, "late"); !errors.Is(err, ports.ErrUnavailable) || !strings.Contains(err.Error(), notApplied) {
			q.Errorf("Do with a context that has ended = %v, want that it was not applied", err)
		}
	})
}

// A sealed change of which nothing is stored after all is as one that never was.
func TestUnseal(t *testing.T) {
	inBubble(t, func(q *queue) {
		ctx, leave := context.WithCancel(q.Context())
		q.send(ctx, "a")
		j := q.Next()
		if !j.Run(nothing) || !j.Seal() {
			q.Error("a change whose caller waits does not run, or is not sealed")
		}
		j.Unseal()
		leave()
		q.refused("a", notApplied)
		if j.Run(nothing) || j.Seal() {
			q.Error("a change runs or is stored whose caller has left")
		}
	})
}

// Who has less time than a change takes is told so at once.
func TestHasTime(t *testing.T) {
	inBubble(t, func(q *queue) {
		ctx, cancel := context.WithTimeout(q.Context(), time.Minute)
		defer cancel()
		q.send(ctx, "short", "shorter")
		left, leave := context.WithCancel(q.Context())
		q.send(left, "left")
		q.send(q.Context(), "patient")
		short, shorter, gone, patient := q.Next(), q.Next(), q.Next(), q.Next()
		leave()
		begin := time.Now()
		if !short.HasTime(time.Minute) || !patient.HasTime(time.Hour) {
			q.Error("a change has no time whose caller waits for so long")
		}
		if shorter.HasTime(time.Minute+1) || gone.HasTime(0) {
			q.Error("a change has time whose caller does not wait for so long")
		}
		q.refused("shorter", notApplied)
		q.refused("left", notApplied)
		if shorter.Run(nothing) || shorter.Seal() {
			q.Error("a change runs or is stored after its answer")
		}
		if waited := time.Since(begin); waited > 0 {
			q.Errorf("the answers came after %v, want at once", waited)
		}
		short.Answer(nil)
		patient.Answer(nil)
		q.answered("short", "patient")
	})
}

// What a change leaves to its caller is the caller's when Do returns.
func TestWhoLeavesWaitsForTheChange(t *testing.T) {
	inBubble(t, func(q *queue) {
		ctx, cancel := context.WithTimeout(q.Context(), time.Second)
		defer cancel()
		ran := false
		q.callers.Go(func() {
			if err := q.Do(ctx, "a"); !ran {
				q.Errorf("Do = %v while the change runs", err)
			}
		})
		synctest.Wait()
		q.Next().Run(func(string) error {
			time.Sleep(time.Minute)
			ran = true
			return nil
		})
	})
}

func TestClose(t *testing.T) {
	inBubble(t, func(q *queue) {
		q.send(q.Context(), "under way", "returned", "waiting")
		lost, stored := make(chan struct{}), make(chan struct{})
		go q.Serve(func(first *Job[string]) {
			second := q.Next()
			<-lost
			q.Return(second)
			<-stored
			first.Answer(nil)
		})
		synctest.Wait()
		stopped := q.Close()
		q.refused("waiting", notApplied)
		close(lost)
		q.refused("returned", notApplied)
		q.send(q.Context(), "late")
		q.refused("late", notApplied)
		select {
		case <-stopped:
			q.Error("the writer has ended in the middle of a batch")
		default:
		}
		close(stored)
		<-stopped
		q.answered("under way")
	})
}

func TestWriterThatEnds(t *testing.T) {
	inBubble(t, func(q *queue) {
		q.send(q.Context(), "run", "sealed", "waiting")
		go q.Serve(func(first *Job[string]) {
			if !q.Next().Seal() {
				q.Error("a change whose caller waits is not sealed")
			}
			first.Run(func(string) error { runtime.Goexit(); return nil }) // no panic, so nothing can be recovered
		})
		q.refused("run", notApplied)
		q.refused("sealed", unknown)
		q.refused("waiting", notApplied)
		q.send(q.Context(), "late")
		q.refused("late", notApplied)
	})
}
