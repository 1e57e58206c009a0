package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

const (
	// updateTries is how often an update begins again because somebody else was
	// faster.
	updateTries = 10
	// conflictPause is the longest wait after the first lost race. It doubles.
	conflictPause = 10 * time.Millisecond
)

// update reads the resource at path, lets change have it, and sends the
// difference under the tag that was read.
func update[T any](ctx context.Context, c *Client, path string, takes []string, change func(*T) error, opts []Option) (T, error) {
	var none T
	u := updating[T]{client: c, path: path, takes: append([]string{ifMatch}, takes...), opts: opts}
	for try := 1; ; try++ {
		v, p, err := u.once(ctx, change)
		if p == nil { // nothing was sent
			return v, err
		}
		wantsOne := given(opts, ifMatch) != ""
		if err == nil || wantsOne || try == updateTries || !errors.Is(err, ErrVersionConflict) {
			c.report(ctx, p, err)
			return v, err
		}
		if p.uncertain {
			// The tag may have changed because an attempt of this very change has
			// succeeded. To apply it again could apply it twice.
			v, landed, lookErr := u.landed(ctx)
			if !landed {
				err = errors.Join(err, lookErr)
				c.report(ctx, p, err)
				return none, err
			}
			return v, nil
		}
		if !sleep(ctx, rand.N(conflictPause<<try)) {
			return none, fmt.Errorf("client: PATCH %s: %w after %d tries: %w", path, ctx.Err(), try, err)
		}
	}
}

// updating is one update on its way.
type updating[T any] struct {
	client *Client
	path   string
	takes  []string
	opts   []Option

	revision int64  // that was read
	patch    Object // that was sent
}

// once makes one try. The call is nil if there was nothing to send.
func (u *updating[T]) once(ctx context.Context, change func(*T) error) (T, *call, error) {
	var none, before, after T
	read, err := u.read(ctx)
	if err != nil {
		return none, nil, err
	}
	for _, v := range []any{&before, &after} { // two, because change may write into slices and maps
		if err := read.payload(v, request{method: http.MethodGet, path: u.path}); err != nil {
			return none, nil, err
		}
	}
	if err := change(&after); err != nil {
		return none, nil, err
	}
	if u.patch, err = patchOf(before, after); err != nil {
		return none, nil, fmt.Errorf("client: PATCH %s: %w", u.path, err)
	}
	if len(u.patch) == 0 {
		return before, nil, nil
	}
	opts := u.opts
	if given(opts, ifMatch) == "" {
		opts = append(slices.Clip(opts), IfMatch(read.header.Get("ETag")))
	}
	r := request{method: http.MethodPatch, path: u.path, body: u.patch, takes: u.takes}
	p, err := u.client.prepare(r, opts)
	if err != nil {
		return none, nil, err
	}
	a, err := u.client.finish(ctx, p)
	if err != nil {
		return none, p, err
	}
	var v T
	return v, p, a.payload(&v, r)
}

// read reads the resource and keeps its revision.
func (u *updating[T]) read(ctx context.Context) (answer, error) {
	r := request{method: http.MethodGet, path: u.path}
	a, err := u.client.do(ctx, r, nil)
	if err != nil {
		return a, err
	}
	var v struct {
		Revision int64 `json:"revision"`
	}
	err = a.payload(&v, r)
	u.revision = v.Revision
	return a, err
}

// landed looks whether the change that was sent is the one that followed what
// was read.
func (u *updating[T]) landed(ctx context.Context) (v T, landed bool, err error) {
	sent, err := generic(u.patch)
	if err != nil {
		return v, false, err
	}
	was := u.revision
	a, err := u.read(ctx)
	if err != nil {
		return v, false, err
	}
	r := request{method: http.MethodGet, path: u.path}
	var plain any
	if err := errors.Join(a.payload(&plain, r), a.payload(&v, r)); err != nil {
		return v, false, err
	}
	return v, u.revision == was+1 && shows(plain, sent), nil
}
