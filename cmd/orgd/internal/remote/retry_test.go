package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

func TestRetry(t *testing.T) {
	limited := &client.Error{Category: client.CategoryRateLimit, RetryAfter: 7 * time.Second}
	vague := &client.Error{Category: client.CategoryRateLimit}
	down := &client.Error{Category: client.CategoryInternal, Code: client.ErrUnavailable, Retryable: true}
	for name, c := range map[string]struct {
		answers []error
		took    time.Duration
		err     error
	}{
		"at once":                         {[]error{nil}, 0, nil},
		"a limit":                         {[]error{limited, limited, limited, limited, nil}, 28 * time.Second, nil},
		"a limit that does not say":       {[]error{vague, nil}, time.Second, nil},
		"what the client has tried again": {[]error{limited, down}, 7 * time.Second, client.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, tries := time.Now(), 0
				err := Retry(t.Context(), &terminal.Progress{Out: io.Discard}, func() error {
					tries++
					return c.answers[tries-1]
				})
				if !errors.Is(err, c.err) || tries != len(c.answers) {
					t.Errorf("Retry = %v after %d tries, want %v after %d", err, tries, c.err, len(c.answers))
				}
				if took := time.Since(began); took != c.took {
					t.Errorf("Retry took %s, want %s", took, c.took)
				}
			})
		})
	}
}

func TestRetryEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		began := time.Now()
		err := Retry(ctx, &terminal.Progress{Out: io.Discard}, func() error {
			return &client.Error{Category: client.CategoryRateLimit, RetryAfter: 300 * time.Second}
		})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("Retry = %v after %s, want the end of the context", err, time.Since(began))
		}
	})
}

// The pauses of the client are shown on a terminal.
func TestRetryHandler(t *testing.T) {
	var out bytes.Buffer
	g := &terminal.Progress{Out: &out, Terminal: true}
	g.Begin("replaying", 8)
	log := slog.New(retryHandler{slog.DiscardHandler, g})
	log.Info("orgd request failed", "attempts", 1)
	log.Debug("orgd request is repeated", "attempts", 1, "wait", 12*time.Second)
	if !strings.HasSuffix(out.String(), "0 of 8, waiting 12s: the service asks for it\x1b[K") {
		t.Errorf("terminal shows %q, want the wait", &out)
	}
}
