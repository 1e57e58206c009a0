package main

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"orgd/client"
)

func TestPatiently(t *testing.T) {
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
				err := patiently(t.Context(), &progress{out: io.Discard}, func() error {
					tries++
					return c.answers[tries-1]
				})
				if !errors.Is(err, c.err) || tries != len(c.answers) {
					t.Errorf("patiently = %v after %d tries, want %v after %d", err, tries, c.err, len(c.answers))
				}
				if took := time.Since(began); took != c.took {
					t.Errorf("patiently took %s, want %s", took, c.took)
				}
			})
		})
	}
}

func TestPatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		began := time.Now()
		err := patiently(ctx, &progress{out: io.Discard}, func() error {
			return &client.Error{Category: client.CategoryRateLimit, RetryAfter: 300 * time.Second}
		})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("patiently = %v after %s, want the end of the context", err, time.Since(began))
		}
	})
}
