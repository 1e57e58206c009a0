package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"orgd"
	"orgd/adapters/system"
	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/domain/name"
	"orgd/domain/session"
)

// clock is that of the story while it is played, and then that of the machine.
type clock struct{ at atomic.Pointer[time.Time] }

// Now implements ports.Clock.
func (c *clock) Now() time.Time {
	if at := c.at.Load(); at != nil {
		return *at
	}
	return system.Clock{}.Now()
}

// player sends the requests of a story to a service of the same process, one after the other.
type player struct {
	*story
	clock   *clock
	service *orgd.App
	client  *client.Client
	by      string // who asks
	tokens  map[string]token
	ids     map[string]string // of what was made, by name
}

// token is a token of an author that is good until a time.
type token struct {
	text  string
	until time.Time
}

func newPlayer(s *story, c *clock, service *orgd.App) (*player, error) {
	p := &player{story: s, clock: c, service: service, tokens: map[string]token{}, ids: map[string]string{}}
	var err error
	p.client, err = client.New(client.Config{
		BaseURL: "http://127.0.0.1", Token: p.token, UserAgent: "orgd-demo", MaxAttempts: 1,
		HTTPClient: &http.Client{Transport: inProcess{service.Handler()}},
	})
	return p, err
}

// token returns a token of who asks.
func (p *player) token(context.Context) (string, error) {
	if t := p.tokens[p.by]; p.clock.Now().Before(t.until) {
		return t.text, nil
	}
	author := p.Authors[p.by]
	in := orgd.TokenRequest{Subject: p.by, Role: author.Role, TTL: session.MaxTTL}
	for _, d := range author.Departments {
		n, err := name.Parse(d)
		if err != nil {
			return "", err
		}
		in.Departments = append(in.Departments, n)
	}
	text, made, err := p.service.NewToken(in)
	p.tokens[p.by] = token{text, made.ExpiresAt.Add(-time.Minute)}
	return text, err
}

// play plays the whole story up to now. Of what the agents do, it tells what they did from a day on.
func (p *player) play(ctx context.Context, from, now time.Time, progress func(int)) error {
	steps := p.Steps
	for d := steps[0].time.Truncate(day); !d.After(now); d = d.Add(day) {
		for ; len(steps) > 0 && steps[0].time.Before(d.Add(day)); steps = steps[1:] {
			if err := p.step(ctx, steps[0]); err != nil {
				return fmt.Errorf("%s: %w", steps[0].Do, err)
			}
		}
		if !d.Before(from) {
			p.clock.at.Store(new(earlier(d.Add(day-time.Second), now)))
			if err := p.report(ctx, p.until(d, now)); err != nil {
				return err
			}
		}
		progress(1)
	}
	return nil
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// until returns what the agents do on a day up to now.
func (p *player) until(day, now time.Time) []event {
	return slices.DeleteFunc(p.events(day), func(e event) bool { return e.Timestamp.After(now) })
}

// firstRelease is how long after its hire an agent is released.
const firstRelease = 25 * time.Second

// step sends the request of a step, and releases an agent that it hires.
func (p *player) step(ctx context.Context, x *step) error {
	p.by = x.By
	p.clock.at.Store(&x.time)
	method, path, _ := strings.Cut(x.Do, " ")
	body := x.Body
	if x.Add+x.Drop != "" {
		agent, err := p.client.Agent(ctx, strings.TrimPrefix(path, "agents/"))
		if err != nil {
			return err
		}
		text := strings.Replace(agent.Instructions, x.Drop+"\n", "", min(1, len(x.Drop)))
		body = map[string]any{"instructions": text + x.Add + "\n"}
	}
	answer, err := p.send(ctx, method, path, body, x.Why)
	if err != nil {
		return err
	}
	var made struct{ ID, Name string }
	if err := json.Unmarshal(answer, &made); err == nil && made.ID != "" {
		p.ids[made.Name] = made.ID
	}
	if agent, hired := p.agent(x); hired {
		p.clock.at.Store(new(x.time.Add(firstRelease)))
		_, err = p.send(ctx, "PUT", "agents/"+agent+"/labels/production", map[string]any{"version": 1}, "first release")
	}
	return err
}

// send sends a request with a reason. A segment {NAME} of its path is the id of what has
// the name.
func (p *player) send(ctx context.Context, method, path string, body map[string]any, why string) (json.RawMessage, error) {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if of, ok := strings.CutPrefix(s, "{"); ok {
			s = p.ids[strings.TrimSuffix(of, "}")]
		}
		segments[i] = url.PathEscape(s)
	}
	var opts []client.Option
	if why != "" {
		opts = append(opts, client.ChangeReason(why))
	}
	if body == nil { // which is no JSON
		return p.client.Do(ctx, method, strings.Join(segments, "/"), nil, opts...)
	}
	return p.client.Do(ctx, method, strings.Join(segments, "/"), body, opts...)
}

// batch is how many events one request may hold.
const batch = 1000

// report tells the service what agents did.
func (p *player) report(ctx context.Context, events []event) error {
	p.by = "runtime"
	for part := range slices.Chunk(events, batch) {
		if _, err := p.send(ctx, "POST", "activities", map[string]any{"events": part}, ""); err != nil {
			return err
		}
	}
	return nil
}

// catchUp tells what the agents that are still there did from a day on up to now. What was
// told before is recognized by its id.
func (p *player) catchUp(ctx context.Context, from, now time.Time) error {
	for d := from.Truncate(day); !d.After(now); d = d.Add(day) {
		if err := p.reportKnown(ctx, p.until(d, now)); err != nil {
			return err
		}
	}
	return nil
}

// reportKnown reports what agents did, but for those that were deleted or renamed.
func (p *player) reportKnown(ctx context.Context, events []event) error {
	p.by = "runtime"
	agents, err := remote.Collect(p.client.Agents(ctx, client.AgentQuery{PageQuery: remote.Pages(0), Summary: true}), 0)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, a := range agents {
		there[a.Name] = true
	}
	err = p.report(ctx, slices.DeleteFunc(events, func(e event) bool { return !there[e.Agent] }))
	if errors.Is(err, client.ErrValidation) {
		return nil // one was deleted meanwhile; the next time it is not among them
	}
	return err
}

// live tells something that an agent does every now and then, until ctx ends. Agents work in a
// hurry: how long a task takes is told but not waited for.
func (p *player) live(ctx context.Context) error {
	var waiting []event
	r := random("live", p.clock.Now().UnixNano())
	for remote.Sleep(ctx, livelyPause) {
		now := p.clock.Now()
		for len(waiting) == 0 {
			if w := pick(r, p.workers); w.on(now).Pace > 0 {
				waiting = p.task(w, now, w.on(now), r.Float64() < w.on(now).Success, r)
			}
		}
		waiting[0].happen(now, r)
		if err := p.reportKnown(ctx, waiting[:1]); err != nil {
			return err
		}
		waiting = waiting[1:]
	}
	return nil
}

// inProcess has a handler answer the requests of a client.
type inProcess struct{ http.Handler }

// RoundTrip implements http.RoundTripper. A request that has begun is answered: a handler
// panics if nobody is left to read its answer.
func (h inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	in := r.Clone(context.WithoutCancel(r.Context()))
	in.RequestURI, in.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	if in.Body == nil {
		in.Body = http.NoBody
	}
	a := &answer{Response: http.Response{StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Request: r}}
	h.ServeHTTP(a, in)
	a.Response.Body = io.NopCloser(&a.body)
	return &a.Response, nil
}

// answer is the answer of a handler.
type answer struct {
	http.Response
	body bytes.Buffer
}

func (a *answer) Header() http.Header            { return a.Response.Header }
func (a *answer) WriteHeader(status int)         { a.StatusCode = status }
func (a *answer) Write(text []byte) (int, error) { return a.body.Write(text) }

// Deadlines are for connections.
func (a *answer) SetReadDeadline(time.Time) error  { return nil }
func (a *answer) SetWriteDeadline(time.Time) error { return nil }
