package orgd

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/telemetry"
	"orgd/domain/audit"
	"orgd/domain/fault"
	"orgd/domain/receipt"
	"orgd/domain/webhook"
	"orgd/ports"
)

const (
	// refreshEvery spaces the reads of what other replicas have revoked. It is
	// half of the second that they may take to notice, the rest is for the read.
	refreshEvery = time.Second / 2
	// reloadEvery is how often revocations that have had their time are dropped.
	reloadEvery = time.Hour
	// sweepEvery is how often records that have had their time are removed.
	sweepEvery = time.Minute
	// sweepPause leaves the storage to requests between two steps.
	sweepPause = 50 * time.Millisecond
	// sweepSteps bounds a turn, so that it ends well before taskTimeout.
	sweepSteps = 200
	// webhooksEvery spaces the looks for deliveries that nobody has announced.
	webhooksEvery = time.Second
	// webhooksGather is how long events wait for others before it is looked who
	// wants them. A busy storage commits hundreds of times a second, and looking
	// each time took a fortieth of the processor.
	webhooksGather = 20 * time.Millisecond
	// backlogEvery is how often what is pending is counted.
	backlogEvery = 15 * time.Second
	// healthEvery is how often it is found out what can be used, for metrics.
	healthEvery = 5 * time.Second
	// taskTimeout ends a turn of a task that hangs.
	taskTimeout = 30 * time.Second
)

// task is work that is done again and again while the service runs.
type task struct {
	name  string
	every time.Duration
	turn  func(context.Context) error
	// wake, unless nil, returns a channel that is closed when a turn should not
	// wait any longer. It is asked before a turn.
	wake func() <-chan struct{}
	// gather is how long a turn that is due waits, so that it is one for all who
	// ask for it meanwhile.
	gather time.Duration
}

// repeat does the task's turns until ctx ends. A turn that fails or panics is
// logged, once until a turn succeeds, and the next one is tried.
func (t task) repeat(ctx context.Context, log *zap.Logger, m *telemetry.Metrics) {
	log = log.With(zap.String("task", t.name))
	failing := false
	for woken := t.woken(); waitOr(ctx, t.every, woken) && wait(ctx, t.gather); {
		woken = t.woken()
		err := t.once(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			log.Error("background task fails, it is tried again", zap.Error(err), zap.Duration("every", t.every))
		case err == nil && failing:
			log.Info("background task works again")
		}
		failing = err != nil
		m.TaskFailing(t.name, failing)
	}
}

func (t task) woken() <-chan struct{} {
	if t.wake == nil {
		return nil
	}
	return t.wake()
}

func (t task) once(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, taskTimeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %s\n%s", fault.PanicText(v), debug.Stack())
		}
	}()
	return t.turn(ctx)
}

// wait returns true after d, false as soon as ctx ends.
func wait(ctx context.Context, d time.Duration) bool { return waitOr(ctx, d, nil) }

// waitOr returns true after d or when woken is closed, false as soon as ctx ends.
func waitOr(ctx context.Context, d time.Duration, woken <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-woken:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// tasks are what the service does beside answering requests.
func (a *App) tasks() []task {
	return append([]task{
		{name: "revocations", every: refreshEvery, turn: a.sessions.Refresh},
		{name: "forgotten revocations", every: reloadEvery, turn: a.sessions.Load},
		{name: "retention", every: sweepEvery, turn: a.sweep},
		{name: "events for webhooks", every: webhooksEvery, turn: a.dispatcher.Record, wake: a.stream.Grown, gather: webhooksGather},
		{name: "deliveries to webhooks", every: webhooksEvery, turn: a.dispatcher.Dispatch, wake: a.dispatcher.Notified},
		{name: "webhook metrics", every: backlogEvery, turn: a.dispatcher.Measure},
		{name: "health metrics", every: healthEvery, turn: func(ctx context.Context) error { a.checkHealth(ctx); return nil }},
	}, a.chores...)
}

// checkHealth tells the metrics what can be used. What cannot is logged by
// whoever needs it.
func (a *App) checkHealth(ctx context.Context) {
	if external, answer := a.auth.Issuers(); external {
		a.metrics.Dependency("token_issuers", answer)
	}
	_ = a.server.Check(ctx)
}

// sweep removes what has had its time, in steps that do not hold up requests.
func (a *App) sweep(ctx context.Context) error {
	for range sweepSteps {
		more, err := a.storage.Forget(ctx, a.expiry())
		if err != nil || !more || !wait(ctx, sweepPause) {
			return err
		}
	}
	return nil // the rest is for the next turn
}

func (a *App) expiry() ports.Expiry {
	now := a.clock.Now()
	e := ports.Expiry{Audit: now.Add(-audit.Kept), Receipts: now.Add(-receipt.Kept), Deliveries: now.Add(-webhook.Kept), Now: now}
	if a.cfg.Retention > 0 {
		e.Events = now.Add(-a.cfg.Retention)
	}
	return e
}
