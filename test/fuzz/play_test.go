package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"orgd/test/api"
	"orgd/test/apitest"
)

// target is a service that requests are sent to, with the token of an
// administrator.
type target struct {
	url, token string
	stop       func()
}

// answer is what came back.
type answer struct {
	status   int
	header   http.Header
	body     []byte // of a stream, its beginning
	position string // of a stream, the id that it begins with
	took     time.Duration
}

// step is a request that was sent, and what the service made up in its answer.
type step struct {
	request
	gave made
}

// failure is an answer that must not be. Two with the same key are taken for the
// same mistake.
type failure struct{ key, text string }

// judge tells what is wrong with an answer, or nil.
type judge func(*http.Request, answer) *failure

const (
	// requestTimeout is far above what the service may take.
	requestTimeout = time.Minute
	// maxAnswer bounds what is read of an answer, in bytes.
	maxAnswer = 256 << 20
)

// player sends requests to a target, one after the other.
type player struct {
	target
	http  *http.Client
	judge judge
}

func newPlayer(t target, j judge) *player {
	return &player{target: t, judge: j, http: &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (p *player) close() {
	p.http.CloseIdleConnections()
	p.stop()
}

// play sends a request and judges the answer. The error says that the request
// could not even be made.
func (p *player) play(ctx context.Context, r request) (answer, *failure, error) {
	req, err := p.make(ctx, r)
	if err != nil {
		return answer{}, nil, err
	}
	a, err := p.ask(req)
	if err != nil {
		return a, &failure{"no answer", err.Error()}, ctx.Err()
	}
	if f := p.judge(req, a); f != nil || !r.head {
		return a, f, nil
	}
	f, err := p.sameHead(ctx, r, a)
	return a, f, err
}

func (p *player) make(ctx context.Context, r request) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, p.url+r.target, strings.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	for _, h := range r.headers {
		req.Header.Add(h.name, h.value)
	}
	return req, nil
}

func (p *player) ask(req *http.Request) (answer, error) {
	begin := time.Now()
	resp, err := p.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		err = a.readBeginning(resp.Body)
	} else {
		a.body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	}
	a.took = time.Since(begin)
	return a, err
}

// readBeginning reads the first block of a stream, which has no end.
func (a *answer) readBeginning(body io.Reader) error {
	var read bytes.Buffer
	event, err := api.NewEvents(io.TeeReader(body, &read)).Next()
	if errors.Is(err, io.EOF) { // the answer to HEAD
		err = nil
	}
	a.body, a.position = read.Bytes(), event.ID
	return err
}

// slow is how long an answer has taken at least that may say that the storage was
// too slow. The service gives one operation of it two seconds.
const slow = time.Second

// described judges answers by the description, and takes none for right that
// tells of a failure of the service, but for a 503 that a busy machine explains.
func described(doc *apitest.Description) judge {
	return func(r *http.Request, a answer) *failure {
		what := fmt.Sprintf("%s %d", doc.Operation(r), a.status)
		if a.status == http.StatusServiceUnavailable && a.took > slow {
			return nil
		}
		if a.status >= 500 {
			return &failure{what, fmt.Sprintf("%s: %.2000s", what, a.body)}
		}
		if errs := doc.Check(r, a.status, a.header, a.body); len(errs) > 0 {
			return &failure{what + " is not as described", fmt.Sprintf("%s: %v\n%v\n%.2000s", what, errors.Join(errs...), a.header, a.body)}
		}
		return nil
	}
}

// sameHead judges what is answered to HEAD after the answer to the same request
// with GET.
func (p *player) sameHead(ctx context.Context, r request, get answer) (*failure, error) {
	r.method, r.head = http.MethodHead, false
	head, f, err := p.play(ctx, r)
	if f != nil || err != nil {
		return f, err
	}
	if head.status != get.status {
		return &failure{"HEAD", fmt.Sprintf("HEAD %s = %d, GET = %d", r.target, head.status, get.status)}, nil
	}
	for _, name := range []string{"Content-Type", "ETag", "Vary", "Cache-Control"} {
		if got, want := head.header.Get(name), get.header.Get(name); got != want {
			return &failure{"HEAD", fmt.Sprintf("HEAD %s: %s = %q, GET: %q", r.target, name, got, want)}, nil
		}
	}
	return nil, nil
}

// clean leads an organization back to where it began, but for what cannot be
// undone. Later requests so cost what earlier ones did.
func clean(token string, p *pool) []request {
	admin := []header{{"Authorization", "Bearer " + token}}
	requests := []request{{
		operation: "organization.apply", method: http.MethodPost, target: "/api/v1/organization/apply?prune=true", body: `{"format":1,"company":{"settings":{}},"departments":[],"agents":[]}`,
		headers: append(admin, header{"Content-Type", "application/json"}),
	}}
	for _, area := range []struct{ kind, path string }{{"webhook", "/api/v1/webhooks/"}, {"project", "/api/v1/projects/"}} {
		for _, id := range p.kinds[area.kind] {
			requests = append(requests, request{method: http.MethodDelete, target: area.path + url.PathEscape(id), headers: admin})
		}
	}
	return requests
}
