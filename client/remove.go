package client

import (
	"context"
	"errors"
	"net/http"
)

// remove deletes the resource at path. If an earlier attempt may have done it,
// a resource that is not there is what was wanted.
func (c *Client) remove(ctx context.Context, path string, opts []Option) error {
	return c.doUntilGone(ctx, request{method: http.MethodDelete, path: path, takes: []string{ifMatch}}, opts, ErrNotFound)
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
