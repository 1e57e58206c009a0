// Package api is a small client of the service for black-box tests. It knows
// HTTP, the envelope and the pages of the interface, and nothing else of the
// module, so that it cannot share a mistake with it.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// timeout bounds one request of a [Client]. It is far above what the service
// may take.
const timeout = 30 * time.Second

// Client talks to one service with one token. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// New returns a client of the service at base, such as "http://127.0.0.1:8080",
// that keeps up to conns connections open; 0 opens one for each request.
func New(base, token string, conns int) *Client {
	transport := &http.Transport{
		MaxIdleConnsPerHost: conns,
		DisableKeepAlives:   conns == 0,
	}
	return &Client{
		base:  strings.TrimRight(base, "/") + "/api/v1",
		token: token,
		http:  &http.Client{Transport: transport, Timeout: timeout},
	}
}

// Close closes the connections that no request uses.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Request is what to ask. Header fields that are empty are not sent.
type Request struct {
	Method       string
	Path         string // below /api/v1, escaped, see [Path]
	Body         any    // nil, or what encoding/json makes of it
	IfMatch      string
	Key          string // Idempotency-Key
	ChangeReason string // percent-encoded on the way
}

// Do asks and reads the whole answer. An error says that there is none, or only
// a part of one.
func (c *Client) Do(ctx context.Context, r Request) (Answer, error) {
	req, err := c.request(ctx, r)
	if err != nil {
		return Answer{}, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return Answer{}, err
	}
	body, err := io.ReadAll(resp.Body)
	if closed := resp.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return Answer{}, fmt.Errorf("%s %s: read the answer: %w", r.Method, r.Path, err)
	}
	return Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}, nil
}

func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	var body io.Reader
	if r.Body != nil {
		text, err := json.Marshal(r.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, c.base+r.Path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range map[string]string{
		"If-Match":        r.IfMatch,
		"Idempotency-Key": r.Key,
		"Change-Reason":   url.PathEscape(r.ChangeReason),
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	return req, nil
}

// Get asks for a path and decodes the data of the answer into dst. An answer
// that is not a success is an error.
func (c *Client) Get(ctx context.Context, path string, dst any) (Answer, error) {
	a, err := c.Do(ctx, Request{Method: http.MethodGet, Path: path})
	if err != nil {
		return a, err
	}
	if !a.OK() {
		return a, fmt.Errorf("GET %s: %w", path, a.Err())
	}
	return a, a.Data(dst)
}

// Path joins the segments of a path and escapes each.
func Path(segments ...string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}
	return b.String()
}
