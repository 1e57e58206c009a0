package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"orgd/client"
)

// waits are a log that shows for how long a client waits before it tries again.
type waits struct {
	slog.Handler
	progress *progress
}

// Enabled implements slog.Handler.
func (waits) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (w waits) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "wait" {
			w.progress.wait(a.Value.Duration(), "the service asks for it")
		}
		return true
	})
	return nil
}

const (
	// patience is how often something is tried again that a limit has refused as
	// often as the client tries.
	patience = 100
	// shortestPause is the wait if a limit does not ask for a longer one.
	shortestPause = time.Second
)

// patiently does something until no limit refuses it: what takes thousands of
// requests takes more than a minute admits. The client sees to everything else
// that goes wrong on the way.
func patiently(ctx context.Context, g *progress, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		var e *client.Error
		limited := errors.As(err, &e) && e.Category == client.CategoryRateLimit
		if !limited || try == patience {
			return err
		}
		pause := max(e.RetryAfter, shortestPause)
		g.wait(pause, "the service asks for it")
		if !sleep(ctx, pause) {
			return ctx.Err()
		}
	}
}

// sleep returns true after d, false as soon as ctx ends.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
