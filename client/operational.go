package client

import (
	"context"
	"net/http"
)

// Liveness says that the process is alive.
type Liveness struct {
	// Status is "ok".
	Status        string  `json:"status"`
	Version       string  `json:"version"`
	UptimeSeconds Decimal `json:"uptime_seconds"`
}

// Readiness says that the service can do its work.
type Readiness struct {
	// Status is "ok"; otherwise the answer is an error.
	Status      string `json:"status"`
	Persistence bool   `json:"persistence"`
	// SharedLimits is false while local limits stand in for shared ones, nil if
	// there are none to share.
	SharedLimits  *bool   `json:"shared_limits"`
	Version       string  `json:"version"`
	UptimeSeconds Decimal `json:"uptime_seconds"`
}

// Capabilities says which optional subsystems work in the process that answers.
type Capabilities struct {
	ActivityIngest   bool `json:"activity_ingest"`
	ActivityStream   bool `json:"activity_stream"`
	Webhooks         bool `json:"webhooks"`
	SharedLimits     bool `json:"shared_limits"`
	ExternalIdentity bool `json:"external_identity"`
	Telemetry        bool `json:"telemetry"`
	APIDocs          bool `json:"api_docs"`
	Console          bool `json:"console"`
}

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
