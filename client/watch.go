package client

import (
	"context"
	"iter"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"time"
)

// watched is an agent that is watched.
type watched struct {
	poll    *poll[Resolution, keptAgent]
	changed chan struct{} // holds an item if the service may have another answer

	mu    sync.Mutex
	names map[string]bool // ids and names that it has, or had
}

// Watch yields what is known of each agent, and goes on with each whose state or answer has
// changed. It waits for the answers of the service, for which it asks as [Runtime.Resolve]
// does, and at once when the service tells of a change on its stream; without the stream it
// goes on asking. It ends when the loop is left, ctx
// ends or the Runtime is closed.
func (r *Runtime) Watch(ctx context.Context, label string, agents ...string) iter.Seq[Resolution] {
	return func(yield func(Resolution) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer context.AfterFunc(r.life, cancel)()
		var tasks sync.WaitGroup
		defer tasks.Wait()
		defer cancel()
		news := make(chan Resolution)
		all := make([]*watched, len(agents))
		for i, agent := range agents {
			w := &watched{
				poll: r.resolver(agent, label), changed: make(chan struct{}, 1),
				names: map[string]bool{strings.ToLower(agent): true},
			}
			all[i] = w
			tasks.Go(func() { w.follow(ctx, r.cfg.MaxAge, news) })
		}
		tasks.Go(func() { r.followChanges(ctx, all) })
		for {
			select {
			case now := <-news:
				if !yield(now) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// follow asks until ctx ends, and tells what is new.
func (w *watched) follow(ctx context.Context, maxAge time.Duration, news chan<- Resolution) {
	var last Resolution
	for first := true; ; first = false {
		now := w.poll.now(ctx)
		if ctx.Err() != nil {
			return
		}
		if first || now.State != last.State || now.Agent != last.Agent {
			w.knows(now.Agent)
			last = now
			select {
			case news <- now:
			case <-ctx.Done():
				return
			}
		}
		select {
		case <-time.After(w.poll.due()):
		case <-w.changed:
			if !sleep(ctx, times(maxAge, rand.Float64()/30)) { // not all that watch at once
				return
			}
			w.poll.hurry()
		case <-ctx.Done():
			return
		}
	}
}

func (w *watched) knows(a *ResolvedAgent) {
	if a == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names[strings.ToLower(a.AgentID)] = true
	w.names[strings.ToLower(a.Name)] = true
}

// is reports whether a change is about the agent.
func (w *watched) is(of ChangedResource) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names[strings.ToLower(of.ID)] || w.names[strings.ToLower(of.Name)]
}

// followChanges tells agents that they have changed, until ctx ends. After each connection
// all may have.
func (r *Runtime) followChanges(ctx context.Context, all []*watched) {
	tell := func(about func(*watched) bool) {
		for _, w := range all {
			if about(w) {
				signal(w.changed)
			}
		}
	}
	everybody := func(*watched) bool { return true }
	s := &stream{
		client: r.client, path: "/changes/stream", query: values{url.Values{}}.text("action", "agent"),
		opened: func() { tell(everybody) },
	}
	for change, err := range items(ctx, s, s.change) {
		switch {
		case err != nil: // there is polling
		case change.Resync:
			tell(everybody)
		default:
			tell(func(w *watched) bool { return w.is(change.Resource) })
		}
	}
}
