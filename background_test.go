package orgd

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"orgd/adapters/telemetry"
	"orgd/domain/audit"
	"orgd/domain/receipt"
	"orgd/domain/webhook"
	"orgd/ports"
)

// A task goes on after turns that fail, panic or hang, and says so once.
func TestTaskGoesOn(t *testing.T) {
	turns := map[int]func(context.Context) error{
		2: func(context.Context) error { return errors.New("no storage") },
		3: func(context.Context) error { panic("secret") },
		4: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		6: func(context.Context) error { return errors.New("no storage again") },
	}
	core, logs := observer.New(zapcore.InfoLevel)
	m := telemetry.NewMetrics("v", "c")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		task{name: "test", every: time.Second, turn: func(ctx context.Context) error {
			n++
			if n == 7 {
				stop()
			}
			if turn := turns[n]; turn != nil {
				return turn(ctx)
			}
			return nil
		}}.repeat(ctx, zap.New(core), m)
		if n != 7 {
			t.Errorf("the task had %d turns, want 7", n)
		}
		if got := shown(m); !strings.Contains(got, `orgd_task_failing{task="test"} 1`) { // turn 6; in 7 it was stopped
			t.Errorf("the metrics do not show that the task fails:\n%s", got)
		}
	})
	var got []string
	for _, e := range logs.All() {
		got = append(got, e.Level.String()+" "+e.Message)
	}
	want := []string{
		"error background task fails, it is tried again", "info background task works again",
		"error background task fails, it is tried again",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// Whoever wakes a task while it gathers shares its turn; whoever comes later
// gets another one.
func TestTaskGathers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var news ports.Broadcast
		begin, gather := time.Now(), 20*time.Millisecond
		var turns []time.Duration
		x := task{name: "test", every: time.Hour, wake: news.Wait, gather: gather, turn: func(context.Context) error {
			turns = append(turns, time.Since(begin))
			return nil
		}}
		go x.repeat(ctx, zap.NewNop(), telemetry.NewMetrics("v", "c"))
		for range 25 { // for 100 ms
			synctest.Wait()
			news.Notify()
			time.Sleep(4*time.Millisecond + time.Microsecond)
		}
		time.Sleep(time.Second)
		stop()
		synctest.Wait()
		if len(turns) < 4 || len(turns) > 6 || turns[0] != gather {
			t.Errorf("a task that was woken for 100 ms had turns after %s, want one every 20 ms", turns)
		}
		if last := turns[len(turns)-1]; last < 100*time.Millisecond {
			t.Errorf("the last turn was after %s, want one behind the last wake", last)
		}
	})
}

// shown is what the metrics show.
func shown(m *telemetry.Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func TestPanicOfTask(t *testing.T) {
	err := task{turn: func(context.Context) error { panic("secret") }}.once(t.Context())
	if err == nil || !regexpMatch(`^panic: a value of type string\n.*TestPanicOfTask`, err.Error()) || regexpMatch("secret", err.Error()) {
		t.Errorf("once = %v, want where the panic came from and not its value", err)
	}
}

// upkeep is a storage with a number of steps to forget.
type upkeep struct {
	ports.Storage
	left  int
	asked []ports.Expiry
	err   error
}

func (u *upkeep) Forget(_ context.Context, e ports.Expiry) (bool, error) {
	u.asked = append(u.asked, e)
	u.left--
	return u.left > 0, u.err
}

// clock always tells the same time.
type clock time.Time

func (c clock) Now() time.Time { return time.Time(c) }

func TestSweep(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		storage *upkeep
		steps   int
	}{
		"nothing to do": {&upkeep{left: 1}, 1},
		"some steps":    {&upkeep{left: 3}, 3},
		"too many":      {&upkeep{left: 10_000}, sweepSteps},
		"failure":       {&upkeep{left: 3, err: broken}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := &App{storage: tc.storage, clock: clock(noon), cfg: Config{Retention: day}}
			if err := a.sweep(t.Context()); !errors.Is(err, tc.storage.err) {
				t.Errorf("%s: sweep = %v, want %v", name, err, tc.storage.err)
			}
			if len(tc.storage.asked) != tc.steps {
				t.Errorf("%s: sweep makes %d steps, want %d", name, len(tc.storage.asked), tc.steps)
			}
			want := ports.Expiry{
				Events: noon.Add(-day), Audit: noon.Add(-audit.Kept), Receipts: noon.Add(-receipt.Kept),
				Deliveries: noon.Add(-webhook.Kept), Now: noon,
			}
			if diff := cmp.Diff(want, tc.storage.asked[0]); diff != "" {
				t.Errorf("%s: Forget (-want +got):\n%s", name, diff)
			}
		})
	}
}

func TestEventsAreKeptForEver(t *testing.T) {
	a := &App{clock: clock(time.Now())}
	if e := a.expiry(); !e.Events.IsZero() {
		t.Errorf("expiry without retention = %+v, want no time for events", e)
	}
}
