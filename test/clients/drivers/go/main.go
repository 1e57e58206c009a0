// Command go drives the Go client for the suite: one JSON object a line on standard input,
// one answer a line on standard output.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"
	"time"

	"orgd/client"
)

func main() {
	d := &driver{}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		answer, err := d.do(in.Bytes())
		if err != nil {
			answer = map[string]any{"failed": err.Error()}
		}
		text, err := json.Marshal(answer)
		if err != nil {
			text = fmt.Appendf(nil, `{"failed":%q}`, err)
		}
		fmt.Printf("%s\n", text)
	}
	if _, err := d.close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// command is what a line asks for.
type command struct {
	Do        string         `json:"do"`
	Server    string         `json:"server"`
	TokenFile string         `json:"token_file"`
	Directory string         `json:"directory"`
	MaxAge    float64        `json:"max_age"`
	MaxStale  float64        `json:"max_stale"`
	Timeout   float64        `json:"timeout"`
	MaxEvents int            `json:"max_events"`
	Agent     string         `json:"agent"`
	Agents    []string       `json:"agents"`
	Label     string         `json:"label"`
	Fallback  *string        `json:"fallback"`
	Events    []event        `json:"events"`
	ID        string         `json:"id"`
	Cost      client.Decimal `json:"cost"`
	Tokens    int64          `json:"tokens"`
	Quality   client.Decimal `json:"quality"`
	Fail      bool           `json:"fail"`
	Raise     bool           `json:"raise"`
	Method    string         `json:"method"`
	Path      string         `json:"path"`
	Body      any            `json:"body"`
}

// event is an event as the API takes it.
type event struct {
	ID          string            `json:"id"`
	Type        client.EventType  `json:"event_type"`
	Agent       string            `json:"agent"`
	Timestamp   time.Time         `json:"timestamp"`
	Description string            `json:"description"`
	RelatedIDs  map[string]string `json:"related_ids"`
	Data        json.RawMessage   `json:"data"`
}

// data is data of any type.
type data struct {
	json.RawMessage
	typ client.EventType
}

func (d data) EventType() client.EventType { return d.typ }

type driver struct {
	client  *client.Client
	runtime *client.Runtime
	watches sync.WaitGroup

	mu       sync.Mutex
	seen     []any
	counts   map[string]int
	states   []any
	reported map[string]int
	rejected []any
	warnings []any
	dropped  int
}

func (d *driver) do(line []byte) (any, error) {
	var c command
	if err := json.Unmarshal(line, &c); err != nil {
		return nil, err
	}
	ctx := context.Background()
	switch c.Do {
	case "open":
		return d.open(c)
	case "resolve":
		return waited(func() map[string]any { return d.resolve(ctx, c) }), nil
	case "resolve_all":
		return waited(func() map[string]any { return resolutionAll(d.runtime.ResolveAll(ctx, c.Label)) }), nil
	case "task":
		return d.task(ctx, c), nil
	case "watch":
		d.watches.Go(func() { d.watch(c) })
		return map[string]any{}, nil
	case "watched":
		d.mu.Lock()
		defer d.mu.Unlock()
		return map[string]any{"seen": append([]any{}, d.seen...)}, nil
	case "report":
		return d.report(c)
	case "flush":
		ctx, cancel := context.WithTimeout(ctx, seconds(c.Timeout))
		defer cancel()
		return map[string]any{"pending": d.runtime.Flush(ctx)}, nil
	case "events":
		return d.events(), nil
	case "request":
		return d.request(c), nil
	case "close":
		return d.close()
	}
	return nil, errors.New("unknown command " + c.Do)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (d *driver) open(c command) (any, error) {
	d.counts, d.reported = map[string]int{}, map[string]int{"accepted": 0, "duplicates": 0}
	var err error
	var token client.TokenSource
	if c.TokenFile != "" {
		token, err = client.FileToken(c.TokenFile)
	}
	if err == nil {
		d.client, err = client.New(client.Config{BaseURL: c.Server, Token: token})
	}
	if err == nil {
		d.runtime, err = d.client.Runtime(client.RuntimeConfig{
			Directory: c.Directory, MaxAge: seconds(c.MaxAge), MaxStale: seconds(c.MaxStale), Timeout: seconds(c.Timeout),
			MaxEvents: c.MaxEvents, OnEvent: d.hook,
		})
	}
	return map[string]any{}, err
}

// waited says in an answer whether it took long.
func waited(do func() map[string]any) any {
	began := time.Now()
	answer := do()
	answer["waited"] = time.Since(began) >= 2*time.Second
	return answer
}

func (d *driver) resolve(ctx context.Context, c command) map[string]any {
	return resolution(d.runtime.Resolve(ctx, c.Agent, c.Label, c.options()...))
}

func (c command) options() (opts []client.ResolveOption) {
	if c.Fallback != nil {
		opts = append(opts, client.Fallback(*c.Fallback))
	}
	return opts
}

// errRaised is what the work of a task fails with.
var errRaised = errors.New("raised")

func (d *driver) task(ctx context.Context, c command) any {
	var prompt client.Resolution
	err := d.runtime.Task(ctx, c.Agent, c.ID, c.Label, func(_ context.Context, task *client.Task) error {
		prompt, task.Quality = task.Prompt, c.Quality
		if c.Fail {
			task.Fail()
		}
		if c.Raise {
			return errors.Join(task.Spend(c.Cost, c.Tokens), errRaised)
		}
		return task.Spend(c.Cost, c.Tokens)
	}, c.options()...)
	if err != nil && !errors.Is(err, errRaised) {
		return map[string]any{"failed": err.Error()}
	}
	r := resolution(prompt)
	return map[string]any{"state": r["state"], "version": r["version"], "instructions": r["instructions"]}
}

func (d *driver) hook(name string, fields map[string]any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts[name]++
	switch name {
	case "state":
		d.states = append(d.states, fields["state"])
	case "reported":
		d.reported["accepted"] += fields["accepted"].(int)
		d.reported["duplicates"] += fields["duplicates"].(int)
	case "rejected":
		d.rejected = append(d.rejected, fields["event"].(client.Object)["id"])
	case "dropped":
		d.dropped += fields["count"].(int)
	case "warning":
		d.warnings = append(d.warnings, fields["detail"])
	}
}

func (d *driver) events() any {
	d.mu.Lock()
	defer d.mu.Unlock()
	return map[string]any{
		"counts": maps.Clone(d.counts), "states": append([]any{}, d.states...), "reported": maps.Clone(d.reported),
		"rejected": append([]any{}, d.rejected...), "dropped": d.dropped, "warnings": append([]any{}, d.warnings...),
	}
}

func resolution(r client.Resolution) map[string]any {
	answer := map[string]any{
		"state": r.State, "version": nil, "instructions": nil, "agent_id": nil, "usable": r.Usable(),
		"attributes": r.Attributes(), "file_error": r.FileErr != nil,
	}
	if r.Agent != nil {
		answer["version"], answer["agent_id"] = r.Version(), r.Agent.AgentID
	}
	if r.Agent != nil || r.State == client.ResolvedFallback {
		answer["instructions"] = r.Instructions()
	}
	return answer
}

func resolutionAll(r client.ResolutionAll) map[string]any {
	agents := []any{}
	for _, a := range r.Agents {
		agents = append(agents, map[string]any{"name": a.Name, "version": a.Version})
	}
	return map[string]any{"state": r.State, "agents": agents, "file_error": r.FileErr != nil}
}

func (d *driver) watch(c command) {
	for now := range d.runtime.Watch(context.Background(), c.Label, c.Agents...) {
		d.mu.Lock()
		d.seen = append(d.seen, map[string]any{"agent": now.Asked, "state": now.State, "version": resolution(now)["version"]})
		d.mu.Unlock()
	}
}

func (d *driver) report(c command) (any, error) {
	var all []client.Report
	for _, e := range c.Events {
		all = append(all, client.Report{
			ID: e.ID, Agent: e.Agent, Timestamp: e.Timestamp, Description: e.Description, RelatedIDs: e.RelatedIDs,
			Data: data{e.Data, e.Type},
		})
	}
	taken, err := d.runtime.Report(all...)
	return map[string]any{"taken": taken}, err
}

func (d *driver) request(c command) any {
	payload, err := d.client.Do(context.Background(), c.Method, c.Path, c.Body)
	if err == nil {
		return map[string]any{"data": payload}
	}
	e, ok := errors.AsType[*client.Error](err)
	return map[string]any{"error": map[string]any{"status": cmp.Or(e, &client.Error{}).Status, "code": cmp.Or(e, &client.Error{}).Code, "answered": ok}}
}

func (d *driver) close() (any, error) {
	if d.runtime == nil {
		return map[string]any{}, nil
	}
	err := d.runtime.Close(context.Background())
	d.watches.Wait()
	return map[string]any{}, err
}
