package jobs

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"orgd/adapters/telemetry"
	"orgd/ports"
)

// A job goes on after runs that fail, panic or hang. The first failure is logged.
func TestRepeat(t *testing.T) {
	runs := map[int]func(context.Context) error{
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
		Job{Name: "test", Every: time.Second, Run: func(ctx context.Context) error {
			n++
			if n == 7 {
				stop()
			}
			if run := runs[n]; run != nil {
				return run(ctx)
			}
			return nil
		}}.Repeat(ctx, zap.New(core), m)
		if n != 7 {
			t.Errorf("the job had %d runs, want 7", n)
		}
		if got := shown(m); !strings.Contains(got, `orgd_task_failing{task="test"} 1`) { // run 6; in 7 it was stopped
			t.Errorf("the metrics do not show that the job fails:\n%s", got)
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

// Those who wake a job while it gathers get one run, and those who come later
// another one.
func TestGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var news ports.Broadcast
		begin, gather := time.Now(), 20*time.Millisecond
		var runs []time.Duration
		j := Job{Name: "test", Every: time.Hour, Wake: news.Wait, Gather: gather, Run: func(context.Context) error {
			runs = append(runs, time.Since(begin))
			return nil
		}}
		go j.Repeat(ctx, zap.NewNop(), telemetry.NewMetrics("v", "c"))
		for range 25 { // for 100 ms
			synctest.Wait()
			news.Notify()
			time.Sleep(4*time.Millisecond + time.Microsecond)
		}
		time.Sleep(time.Second)
		stop()
		synctest.Wait()
		if len(runs) < 4 || len(runs) > 6 || runs[0] != gather {
			t.Errorf("a job that was woken for 100 ms had runs after %s, want one every 20 ms", runs)
		}
		if last := runs[len(runs)-1]; last < 100*time.Millisecond {
			t.Errorf("the last run was after %s, want one behind the last wake", last)
		}
	})
}

// shown is what the metrics show.
func shown(m *telemetry.Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func TestPanic(t *testing.T) {
	err := Job{Run: func(context.Context) error { panic("secret") }}.once(t.Context())
	if err == nil || !regexp.MustCompile(`(?s)^panic: a value of type string\n.*TestPanic`).MatchString(err.Error()) || strings.Contains(err.Error(), "secret") {
		t.Errorf("once = %v, want where the panic came from and not its value", err)
	}
}
