package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

const (
	jsonType       = "application/json"
	mergePatchType = "application/merge-patch+json"
	jsonPatchType  = "application/json-patch+json"
	eventsType     = "text/event-stream"
	yamlType       = "application/yaml"
)

// request is one operation with its arguments.
type request struct {
	method string
	path   string // below the path of the API, see [path]
	query  url.Values
	body   any    // nil for none
	typ    string // of a body that is text already
	accept string // "" for JSON
	long   bool   // may take longer than an attempt of others
	open   bool   // needs no token
	takes  []string
	header http.Header // more headers
}

// answer is a success.
type answer struct {
	header http.Header
	body   []byte
}

// path joins the segments of a path and escapes each.
func path(segments ...string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}
	return b.String()
}

// call is a request ready to be sent, as often as it takes.
type call struct {
	method, path string
	url          string
	header       http.Header
	body         []byte
	open, long   bool

	attempts int
	// uncertain says that an attempt may have had its effect.
	uncertain bool
}

func (c *Client) prepare(r request, opts []Option) (*call, error) {
	header, err := c.headerOf(r, opts)
	if err != nil {
		return nil, fmt.Errorf("client: %s %s: %w", r.method, r.path, err)
	}
	p := &call{method: r.method, path: r.path, url: c.base + r.path, header: header, open: r.open, long: r.long}
	if len(r.query) > 0 {
		p.url += "?" + r.query.Encode()
	}
	switch {
	case r.body == nil:
		return p, nil
	case r.typ != "":
		p.body = r.body.([]byte)
	default:
		if p.body, err = encode(r.body); err != nil {
			return nil, fmt.Errorf("client: %s %s: %w", r.method, r.path, err)
		}
		r.typ = jsonType
		if r.method == http.MethodPatch {
			r.typ = mergePatchType
		}
	}
	header.Set("Content-Type", r.typ)
	return p, nil
}

func (c *Client) headerOf(r request, opts []Option) (http.Header, error) {
	h := http.Header{"User-Agent": {c.userAgent}, "Accept": {jsonType}}
	if r.accept != "" {
		h.Set("Accept", r.accept)
	}
	maps.Copy(h, r.header)
	known := r.takes
	if r.method == http.MethodPost {
		known = append([]string{idempotencyKey}, known...)
	}
	if err := set(h, opts, known); err != nil {
		return nil, err
	}
	if h.Get(requestID) == "" {
		h.Set(requestID, rand.Text())
	}
	if r.method == http.MethodPost && h.Get(idempotencyKey) == "" {
		h.Set(idempotencyKey, rand.Text())
	}
	return h, nil
}

// do sends a request until it succeeds or must not be repeated.
func (c *Client) do(ctx context.Context, r request, opts []Option) (answer, error) {
	p, err := c.prepare(r, opts)
	if err != nil {
		return answer{}, err
	}
	a, err := c.finish(ctx, p)
	c.report(ctx, p, err)
	return a, err
}

// finish is do for a call that is prepared, and without a report.
func (c *Client) finish(ctx context.Context, p *call) (a answer, err error) {
	err = c.repeat(ctx, p, func() error {
		a, err = c.attempt(ctx, p)
		return err
	})
	return a, err
}

// attempt sends a call once and reads the whole answer.
func (c *Client) attempt(ctx context.Context, p *call) (answer, error) {
	via := c.http
	if p.long {
		via = c.untimed
	}
	res, err := c.send(ctx, via, p)
	if err != nil {
		return answer{}, err
	}
	body, err := c.read(res)
	if err != nil {
		return answer{}, err
	}
	return answer{res.Header, body}, nil
}

// errGone marks an attempt that got no answer, or only a part of one.
type errGone struct{ error }

func (e errGone) Unwrap() error { return e.error }

// errToken marks an attempt that was not sent, because there is no token that can be.
type errToken struct{ error }

func (e errToken) Unwrap() error { return e.error }

// send sends a call once and returns a success with its body still to be read.
// Everything else is an error: an *Error, an errGone, [ErrNotModified], or one
// that comes before anything was sent.
func (c *Client) send(ctx context.Context, via *http.Client, p *call) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, p.method, p.url, bytes.NewReader(p.body))
	if err != nil {
		return nil, err
	}
	req.Header = p.header.Clone()
	if err := c.authorize(ctx, req, p); err != nil {
		return nil, err
	}
	res, err := via.Do(req)
	if err != nil {
		return nil, errGone{bare(err)}
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	body, err := c.read(res)
	switch {
	case err != nil:
		return nil, err
	case res.StatusCode == http.StatusNotModified && p.header.Get(ifNoneMatch) != "":
		return nil, ErrNotModified
	}
	return nil, errorOf(res, body, req.Header)
}

// bare is the cause inside the error of an http.Client, whose own text repeats
// method and URL.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

func (c *Client) authorize(ctx context.Context, req *http.Request, p *call) error {
	if c.token == nil || p.open {
		return nil
	}
	token, err := c.token(ctx)
	switch {
	case err != nil:
		return errToken{fmt.Errorf("token: %w", err)}
	case token == "":
		return errToken{errors.New("token: is empty")}
	case !isHeaderText(token) || strings.Contains(token, " "):
		return errToken{errors.New("token: has characters that no token has")}
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return nil
}

// read reads and closes a body.
func (c *Client) read(res *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(res.Body, c.maxAnswer+1))
	if closed := res.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, errGone{fmt.Errorf("read the answer: %w", err)}
	}
	if int64(len(body)) > c.maxAnswer {
		return nil, fmt.Errorf("the answer has more than %d bytes", c.maxAnswer)
	}
	return body, nil
}
