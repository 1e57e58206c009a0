package client

import (
	"context"
	"net/http"
)

// Liveness asks whether the process is alive. It needs no token.
func (c *Client) Liveness(ctx context.Context, opts ...Option) (Liveness, error) {
	return fetch[Liveness](ctx, c, request{method: http.MethodGet, path: path("healthz"), open: true}, opts)
}

// Readiness asks whether the service can do its work; if it cannot, the error is
// [ErrUnavailable]. It needs no token.
func (c *Client) Readiness(ctx context.Context, opts ...Option) (Readiness, error) {
	return fetch[Readiness](ctx, c, request{method: http.MethodGet, path: path("readyz"), open: true}, opts)
}

// Capabilities asks what this deployment offers.
func (c *Client) Capabilities(ctx context.Context, opts ...Option) (Capabilities, error) {
	return get[Capabilities](ctx, c, path("capabilities"), opts)
}

// Metrics reads the metrics of the process that answers, in the text format of
// Prometheus.
func (c *Client) Metrics(ctx context.Context, opts ...Option) (string, error) {
	a, err := c.do(ctx, request{method: http.MethodGet, path: path("metrics"), accept: "text/plain, */*;q=0.1"}, opts)
	return string(a.body), err
}

// OpenAPIJSON reads the description of the API as JSON. It needs no token.
func (c *Client) OpenAPIJSON(ctx context.Context, opts ...Option) ([]byte, error) {
	a, err := c.do(ctx, request{method: http.MethodGet, path: path("openapi.json"), open: true}, opts)
	return a.body, err
}

// OpenAPIYAML reads the description of the API as YAML. It needs no token.
func (c *Client) OpenAPIYAML(ctx context.Context, opts ...Option) ([]byte, error) {
	a, err := c.do(ctx, request{method: http.MethodGet, path: path("openapi.yaml"), accept: yamlType + ", */*;q=0.1", open: true}, opts)
	return a.body, err
}
