package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Do sends a request for which there is no method, such as one to an operation
// of a newer service or one that was made beforehand. path is below the path of
// the API, escaped, and may have a query. body is what encoding/json makes JSON of,
// or nil; with PATCH it is a merge patch. The result is the payload, nil if there
// is none. It repeats as all methods do and takes every option.
func (c *Client) Do(ctx context.Context, method, path string, body any, opts ...Option) (json.RawMessage, error) {
	r := request{method: method, path: "/" + strings.TrimPrefix(path, "/"), body: body, takes: []string{ifMatch, ifNoneMatch, changeReason}}
	a, err := c.do(ctx, r, opts)
	if err != nil || len(a.body) == 0 {
		return nil, err
	}
	var payload json.RawMessage
	return payload, a.payload(&payload, r)
}

// get reads what is at path. takes are the options that the operation knows.
func get[T any](ctx context.Context, c *Client, path string, opts []Option, takes ...string) (T, error) {
	return fetch[T](ctx, c, request{method: http.MethodGet, path: path, takes: takes}, opts)
}

// post sends a body, nil for none. takes are the options that the operation knows
// besides [IdempotencyKey].
func post[T any](ctx context.Context, c *Client, path string, body any, opts []Option, takes ...string) (T, error) {
	return fetch[T](ctx, c, request{method: http.MethodPost, path: path, body: body, takes: takes}, opts)
}

// mergePatch sends a merge patch. takes are the options that the operation knows
// besides [IfMatch].
func mergePatch[T any](ctx context.Context, c *Client, path string, patch Object, opts []Option, takes ...string) (T, error) {
	return fetch[T](ctx, c, request{method: http.MethodPatch, path: path, body: patch, takes: append(takes, ifMatch)}, opts)
}

// fetch does a request whose answer is enveloped and returns the payload.
func fetch[T any](ctx context.Context, c *Client, r request, opts []Option) (T, error) {
	var v T
	a, err := c.do(ctx, r, opts)
	if err != nil {
		return v, err
	}
	return v, a.payload(&v, r)
}

// payload reads the data of an enveloped answer, and its tag if v has a place for
// it. It refuses an answer about something else than was asked for.
func (a answer) payload(v any, r request) error {
	envelope := struct {
		Data any `json:"data"`
	}{v}
	if err := a.decode(&envelope, r); err != nil {
		return err
	}
	if tagged, ok := v.(interface{ setETag(string) }); ok {
		tagged.setETag(a.header.Get("ETag"))
	}
	return r.checkSubject(v)
}

// decode reads a bare answer.
func (a answer) decode(v any, r request) error {
	if err := decode(a.body, v); err != nil {
		err = fmt.Errorf("read the answer: %w", err)
		if _, asked := r.asked(); strings.Contains(asked, "/") {
			err = fmt.Errorf("%w: %s", err, proxies)
		}
		return &Failure{Method: r.method, Path: r.path, Attempts: 1, Uncertain: true, Err: err}
	}
	return nil
}

// remove deletes the resource at path. takes are the options that the operation knows
// besides [IfMatch]. If an earlier attempt may have done it,
// a resource that is not there is what was wanted.
func (c *Client) remove(ctx context.Context, path string, opts []Option, takes ...string) error {
	return c.doUntilGone(ctx, request{method: http.MethodDelete, path: path, takes: append(takes, ifMatch)}, opts, ErrNotFound)
}

// doUntilGone does a request that ends something. gone is what the service
// answers once it has ended.
func (c *Client) doUntilGone(ctx context.Context, r request, opts []Option, gone Code) error {
	p, err := c.prepare(r, opts)
	if err != nil {
		return err
	}
	_, err = c.finish(ctx, p)
	if p.uncertain && errors.Is(err, gone) {
		return nil
	}
	c.report(ctx, p, err)
	return err
}
