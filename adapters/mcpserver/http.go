package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orgd/client"
)

// Handler serves the protocol over HTTP, without sessions: every request stands alone. Its
// calls ask api in this process, each with the token and from the address of the request.
func Handler(version string, api http.Handler) http.Handler {
	s := New(version, func(ctx context.Context) (Service, error) {
		c, ok := ctx.Value(asker{}).(*client.Client)
		if !ok {
			return Service{}, errors.New("mcpserver: a call without a request")
		}
		return Service{Client: c}, nil
	})
	protocol := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // a token is needed, which no other page has
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := client.New(client.Config{
			BaseURL: "http://orgd", MaxAttempts: 1, HTTPClient: &http.Client{Transport: within{api, r}},
		})
		if err != nil {
			panic(err) // the configuration above is wrong
		}
		r = r.WithContext(context.WithValue(ending(r.Context()), asker{}, c))
		r.Header.Set("Accept", "application/json, text/event-stream") // whatever comes, the answer is JSON
		protocol.ServeHTTP(w, r)
	})
}

// asker is the key of the client that asks for a request.
type asker struct{}

// within sends requests to a handler of this process, for the caller of another request.
type within struct {
	api    http.Handler
	caller *http.Request
}

// ofCaller are the headers by which a handler knows a caller.
var ofCaller = []string{"Authorization", "X-Forwarded-For"}

// RoundTrip implements http.RoundTripper.
func (t within) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	in.RemoteAddr, in.TLS, in.RequestURI = t.caller.RemoteAddr, t.caller.TLS, r.URL.RequestURI()
	for _, name := range ofCaller {
		if values := t.caller.Header[name]; len(values) > 0 {
			in.Header[name] = values
		}
	}
	w := answer{header: http.Header{}, status: http.StatusOK}
	if err := w.serve(t.api, in); err != nil {
		return nil, err
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// answer is what a handler answers.
type answer struct {
	header http.Header
	status int
	sent   bool // the status stands
	body   bytes.Buffer
}

// serve has a handler answer. One that breaks off is an error.
func (a *answer) serve(h http.Handler, r *http.Request) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("mcpserver: the answer breaks off: %v", broken)
		}
	}()
	h.ServeHTTP(a, r)
	return nil
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if !a.sent {
		a.status, a.sent = status, true
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	a.sent = true
	return a.body.Write(p)
}
