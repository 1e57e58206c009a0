package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
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
func update[T any](ctx context.Context, c *Client, path string, change func(*T) error, opts []Option, takes ...string) (T, error) {
	u := updating[T]{
		client: c, read: request{method: http.MethodGet, path: path}, takes: append(takes, ifMatch), opts: opts,
	}
	for try := 1; ; try++ {
		v, p, err := u.once(ctx, change)
		if p == nil { // nothing was sent
			return v, err
		}
		again := errors.Is(err, ErrVersionConflict) && given(opts, ifMatch) == "" && try < updateTries
		if again && p.uncertain {
			// The tag may have changed because an attempt of this very change has
			// succeeded. To apply it again could apply it twice.
			now, landed, lookErr := u.landed(ctx)
			if landed {
				return now, nil
			}
			again, err = false, errors.Join(err, lookErr)
		}
		if !again {
			c.report(ctx, p, err)
			return v, err
		}
		if !sleep(ctx, rand.N(conflictPause<<try)) {
			return v, fmt.Errorf("client: PATCH %s: %w after %d tries: %w", path, ctx.Err(), try, err)
		}
	}
}

// updating is one update on its way.
type updating[T any] struct {
	client *Client
	read   request
	takes  []string
	opts   []Option

	wanted map[string]any // the patch that was sent, with the revision that it makes
}

// once makes one try. The call is nil if there was nothing to send.
func (u *updating[T]) once(ctx context.Context, change func(*T) error) (v T, p *call, err error) {
	read, err := u.client.do(ctx, u.read, nil)
	if err != nil {
		return v, nil, err
	}
	before, patch, err := u.difference(read, change)
	if err != nil {
		return v, nil, err
	}
	if len(patch) == 0 {
		return before, nil, nil
	}
	u.addressByID(&before)
	opts := u.opts
	if given(opts, ifMatch) == "" {
		opts = append(slices.Clip(opts), IfMatch(read.header.Get("ETag")))
	}
	r := request{method: http.MethodPatch, path: u.read.path, body: patch, takes: u.takes}
	p, err = u.client.prepare(r, opts)
	if err != nil {
		return v, nil, err
	}
	a, err := u.client.finish(ctx, p)
	if err == nil {
		err = a.payload(&v, r)
	}
	return v, p, err
}

// difference returns what was read, and the merge patch for what change does to it.
func (u *updating[T]) difference(read answer, change func(*T) error) (before T, patch Object, err error) {
	var after T
	var was struct {
		Revision int64 `json:"revision"`
	}
	// Before and after are read apart, because change may write into slices and maps.
	for _, v := range []any{&was, &before, &after} {
		if err := read.payload(v, u.read); err != nil {
			return before, nil, err
		}
	}
	if err := change(&after); err != nil {
		return before, nil, err
	}
	if patch, err = patchOf(before, after); err != nil {
		return before, nil, fmt.Errorf("client: PATCH %s: %w", u.read.path, err)
	}
	u.wanted = map[string]any{}
	maps.Copy(u.wanted, patch)
	u.wanted["revision"] = json.Number(strconv.FormatInt(was.Revision+1, 10))
	return before, patch, nil
}

// addressByID makes further requests ask for what was read by its id, if it has one: its name
// may change meanwhile, and be misunderstood on the way.
func (u *updating[T]) addressByID(read any) {
	s, ok := read.(subject)
	if !ok {
		return
	}
	if id, _ := s.subject(); id != "" {
		collection, _ := u.read.asked()
		u.read.path = path(collection, id)
	}
}

// landed looks whether the change that was sent is the one that followed what
// was read.
func (u *updating[T]) landed(ctx context.Context) (v T, landed bool, err error) {
	a, err := u.client.do(ctx, u.read, nil)
	if err != nil {
		return v, false, err
	}
	var now any
	err = errors.Join(a.payload(&now, u.read), a.payload(&v, u.read))
	return v, err == nil && shows(now, u.wanted), err
}
