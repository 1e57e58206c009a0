package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// firstPause is the wait before the second attempt if the service does not ask
// for another one. It doubles from attempt to attempt.
const firstPause = time.Second

// repeat makes attempts of a call by the rules of the interface. Every request
// may be repeated: reads, PUT and DELETE are idempotent, a merge patch says what
// is to be and not what is to be added, and a POST has its key.
func (c *Client) repeat(ctx context.Context, p *call, attempt func() error) error {
	for p.attempts = 1; ; p.attempts++ {
		err := attempt()
		if err == nil || errors.Is(err, ErrNotModified) {
			return err
		}
		wait, again := p.judge(err)
		if !again || p.attempts >= c.attempts || errors.Is(err, ctx.Err()) {
			return p.failure(err)
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= wait {
			return p.failure(fmt.Errorf("%w; the deadline leaves no time to wait %s and try again", err, wait))
		}
		c.log.LogAttrs(ctx, slog.LevelDebug, "orgd request is repeated", p.attrs(err, slog.Duration("wait", wait))...)
		if !sleep(ctx, wait) {
			return p.failure(fmt.Errorf("%w while waiting to try again: %w", ctx.Err(), err))
		}
	}
}

// judge says whether an attempt that failed may be repeated, and after which
// time.
func (p *call) judge(err error) (wait time.Duration, again bool) {
	if e, ok := errors.AsType[*Error](err); ok {
		p.uncertain = p.uncertain || e.Status >= http.StatusInternalServerError
		again = e.Retryable || e.lost()
		wait = e.RetryAfter
		e.Method, e.Path, e.Attempts, e.Uncertain = p.method, p.path, p.attempts, p.uncertain
	} else if errors.As(err, new(errGone)) {
		p.uncertain = p.uncertain || !unsent(err)
		again = !errors.As(err, new(*tls.CertificateVerificationError))
	}
	return cmp.Or(wait, pause(p.attempts)), again
}

// unsent reports whether the connection was never made.
func unsent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// pause is the wait after an attempt: 1 s, 2 s, … and up to half of that more,
// so that clients that failed together do not come back together.
func pause(attempt int) time.Duration {
	d := firstPause << (attempt - 1)
	return d + rand.N(d/2)
}

// sleep waits, unless ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// failure is the error that a method returns. An answer of the service tells
// itself what was asked.
func (p *call) failure(err error) error {
	if _, ok := err.(*Error); ok {
		return err
	}
	if errors.As(err, new(*Error)) {
		return fmt.Errorf("client: %w", err)
	}
	return &Failure{
		Method: p.method, Path: p.path, Attempts: p.attempts, Lost: errors.As(err, new(errGone)), Uncertain: p.uncertain, Err: err,
	}
}

// report logs a request that failed for good, with the id by which the service's
// log knows it. What the caller has called off is not a failure.
func (c *Client) report(ctx context.Context, p *call, err error) {
	if err == nil || errors.Is(err, ErrNotModified) || ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return
	}
	level := slog.LevelError
	if e, ok := errors.AsType[*Error](err); ok && !e.Retryable && e.Status < http.StatusInternalServerError {
		level = slog.LevelInfo
	}
	c.log.LogAttrs(ctx, level, "orgd request failed", p.attrs(err)...)
}

// attrs describe a call and its error in the log.
func (p *call) attrs(err error, more ...slog.Attr) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("method", p.method), slog.String("path", p.path), slog.Int("attempts", p.attempts),
	}
	instance := p.header.Get(requestID)
	if e, ok := errors.AsType[*Error](err); ok {
		instance = e.Instance
		attrs = append(attrs, slog.Int("status", e.Status), slog.Int("code", int(e.Code)))
	}
	attrs = append(attrs, slog.String("instance", instance), slog.Any("error", err))
	return append(attrs, more...)
}
