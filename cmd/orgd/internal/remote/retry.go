package remote

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// retryHandler is a handler for the log of a client. It shows the client's pauses
// before its next attempts.
type retryHandler struct {
	slog.Handler
	progress *terminal.Progress
}

// Enabled implements slog.Handler.
func (retryHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h retryHandler) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "wait" {
			h.progress.Wait(a.Value.Duration(), "the service asks for it")
		}
		return true
	})
	return nil
}

const (
	// maxAttempts is how often a request is tried that a limit refuses. Each attempt
	// has as many tries as the client makes.
	maxAttempts = 100
	// MinPause is the pause if a limit does not ask for a longer one.
	MinPause = time.Second
)

// Retry calls do until no limit refuses it, with the pauses that the limit asks
// for. Other errors it returns: the client has retried them.
func Retry(ctx context.Context, progress *terminal.Progress, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		e, ok := errors.AsType[*client.Error](err)
		if !ok || e.Category != client.CategoryRateLimit || try == maxAttempts {
			return err
		}
		pause := max(e.RetryAfter, MinPause)
		progress.Wait(pause, "the service asks for it")
		if !Sleep(ctx, pause) {
			return ctx.Err()
		}
	}
}

// Sleep returns true after d, false as soon as ctx ends.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
