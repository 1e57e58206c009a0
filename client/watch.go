package client

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"net/http"
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
// does, and at once when the service tells of a change on its stream, which all watches of a
// Runtime share; without the stream it goes on asking. It ends when the loop is left, ctx ends
// or the Runtime is closed.
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
		}
		if len(all) > 0 {
			r.changes.join(all) // first, so that no change is missed after an answer
			defer r.changes.leave(all)
		}
		for _, w := range all {
			tasks.Go(func() { w.follow(ctx, r.cfg.MaxAge, news) })
		}
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

// changes tells what is watched of changes, by one stream for all of it.
type changes struct {
	runtime *Runtime
	warned  sync.Once // that the service has no room for a stream

	mu      sync.Mutex
	watched map[*watched]bool
	end     context.CancelFunc // of the stream
}

// join has agents told of changes. The first ones begin the stream.
func (f *changes) join(all []*watched) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.watched) == 0 {
		ctx, end := context.WithCancel(f.runtime.life)
		f.end = end
		f.runtime.background(func() { f.follow(ctx) })
	}
	for _, w := range all {
		f.watched[w] = true
	}
}

// leave takes agents out. The last ones end the stream.
func (f *changes) leave(all []*watched) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range all {
		delete(f.watched, w)
	}
	if len(f.watched) == 0 {
		f.end()
	}
}

// tell tells the agents that a change may be about.
func (f *changes) tell(isMeant func(*watched) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.watched {
		if isMeant(w) {
			signal(w.changed)
		}
	}
}

// follow follows the stream until ctx ends. After each connection all may have changed.
func (f *changes) follow(ctx context.Context) {
	everybody := func(*watched) bool { return true }
	s := &stream{
		client: f.runtime.client, path: "/changes/stream", query: values{url.Values{}}.text("action", "agent"),
		opened: func() { f.tell(everybody) },
	}
	for change, err := range items(ctx, s, s.change) {
		e, answered := errors.AsType[*Error](err)
		switch {
		case answered && e.Status == http.StatusTooManyRequests:
			f.warned.Do(func() { f.runtime.event("warning", map[string]any{"detail": noStream}) })
			sleep(ctx, maxReconnect)
		case err != nil: // there is polling
		case change.Resync:
			f.tell(everybody)
		default:
			f.tell(func(w *watched) bool { return w.is(change.Resource) })
		}
	}
}

// noStream is the warning of a client without a stream.
const noStream = "the service allows no more streams: changes arrive with the next question"
