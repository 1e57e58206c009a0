// Package jobs runs background jobs: work that is done again and again while the
// service runs.
package jobs

import (
	"context"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/telemetry"
	"orgd/domain/fault"
)

// timeout ends a run of a job that hangs.
const timeout = 30 * time.Second

// Job is one background job.
type Job struct {
	// Name is the job's name in logs and metrics.
	Name string
	// Every is the time between the end of a run and the next one, which Wake may
	// shorten.
	Every time.Duration
	// Run does the work once. Its context ends after 30 seconds.
	Run func(context.Context) error
	// Wake, unless nil, returns a channel that is closed when the next run should
	// begin. Wake is called before each run, so that nothing is missed during it.
	Wake func() <-chan struct{}
	// Gather is how long a run that is due waits for more to do.
	Gather time.Duration
}

// Repeat runs the job until ctx ends. If a run fails or panics, the job goes on: the
// first of several failures is logged, and so is the end of them.
func (j Job) Repeat(ctx context.Context, log *zap.Logger, m *telemetry.Metrics) {
	log = log.With(zap.String("task", j.Name))
	failing := false
	for woken := j.woken(); wait(ctx, j.Every, woken) && wait(ctx, j.Gather, nil); {
		woken = j.woken()
		err := j.once(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			log.Error("background task fails, it is tried again", zap.Error(err), zap.Duration("every", j.Every))
		case err == nil && failing:
			log.Info("background task works again")
		}
		failing = err != nil
		m.TaskFailing(j.Name, failing)
	}
}

func (j Job) woken() <-chan struct{} {
	if j.Wake == nil {
		return nil
	}
	return j.Wake()
}

func (j Job) once(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer fault.Recover(&err, "panic")
	return j.Run(ctx)
}

// wait returns true after d or when woken is closed, false as soon as ctx ends.
func wait(ctx context.Context, d time.Duration, woken <-chan struct{}) bool {
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
