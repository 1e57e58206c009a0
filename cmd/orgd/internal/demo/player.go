package demo

import (
	"bytes"
	"context"
	"encoding/json"
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

// play takes the steps up to now that are left of the story, and tells what the agents did from
// a day on. The service recognizes by its id what was told before.
func (p *player) play(ctx context.Context, from, now time.Time) error {
	d, past := from.Truncate(day), p.clock.at.Load() != nil
	if past {
		d = p.Steps[0].time.Truncate(day)
	}
	for ; !d.After(now); d = d.Add(day) {
		for ; len(p.Steps) > 0 && p.Steps[0].time.Before(d.Add(day)); p.Steps = p.Steps[1:] {
			if err := p.step(ctx, p.Steps[0]); err != nil {
				return fmt.Errorf("%s: %w", p.Steps[0].Do, err)
			}
		}
		events := slices.DeleteFunc(p.events(d), func(e event) bool { return e.Timestamp.After(now) || e.Timestamp.Before(from) })
		if past && len(events) > 0 {
			p.clock.at.Store(&events[len(events)-1].Timestamp)
		}
		if err := p.report(ctx, events); err != nil {
			return err
		}
	}
	p.clock.at.Store(nil)
	return nil
}

const (
	firstRelease = 25 * time.Second // after the hire
	batch        = 1000             // events in one request
	livelyPause  = 5 * time.Second  // between the tasks of a demo that was opened a moment ago
)

// step sends the request of a step, and releases an agent that it hires.
func (p *player) step(ctx context.Context, x *step) error {
	p.by = x.By
	p.clock.at.Store(&x.time)
	method, path, _ := strings.Cut(x.Do, " ")
	var body any
	if err := x.Body.Decode(&body); err != nil {
		return err
	}
	if x.Add+x.Drop != "" {
		agent, err := p.client.Agent(ctx, x.agent)
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
	if json.Unmarshal(answer, &made) == nil && made.ID != "" {
		p.ids[made.Name] = made.ID
	}
	if x.Do == hire {
		p.clock.at.Store(new(x.time.Add(firstRelease)))
		_, err = p.send(ctx, "PUT", "agents/"+x.agent+"/labels/production", map[string]any{"version": 1}, "first release")
	}
	return err
}

// send sends a request with a reason. A segment {NAME} of its path is the id of what has
// the name.
func (p *player) send(ctx context.Context, method, path string, body any, why string) (json.RawMessage, error) {
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
	return p.client.Do(ctx, method, strings.Join(segments, "/"), body, opts...)
}

// report tells the service what agents did. After the story it leaves out those that were deleted
// or renamed by others.
func (p *player) report(ctx context.Context, events []event) error {
	p.by = "runtime"
	if p.clock.at.Load() == nil {
		there := map[string]bool{}
		for a, err := range p.client.Agents(ctx, client.AgentQuery{PageQuery: remote.Pages(0), Summary: true}) {
			if err != nil {
				return err
			}
			there[a.Name] = true
		}
		events = slices.DeleteFunc(events, func(e event) bool { return !there[e.Agent] })
	}
	for part := range slices.Chunk(events, batch) {
		if _, err := p.send(ctx, "POST", "activities", map[string]any{"events": part}, ""); err != nil {
			return err
		}
	}
	return nil
}

// live tells of a task every now and then, until ctx ends. How long it took is not waited for.
func (p *player) live(ctx context.Context) error {
	r := random("live", p.clock.Now().UnixNano())
	for remote.Sleep(ctx, livelyPause) {
		now, w := p.clock.Now(), pick(r, p.workers)
		f := w.on(now)
		if f.Pace == 0 {
			continue
		}
		events := p.task(w, now, f, r.Float64() < f.Success, r)
		for i := range events {
			events[i].happen(now.Add(time.Duration(i-len(events))*time.Millisecond), r)
		}
		if err := p.report(ctx, events); err != nil {
			return err
		}
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
	a := &answer{Response: http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r}}
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
