package faults

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"orgd/test/api"
)

// ledger is what one client was promised: everything that was answered with a
// success. Nobody else touches what is in it.
type ledger struct {
	agents      []*agentRecord
	departments []*thing
	projects    []*thing
	touched     map[any]bool // records since the last check
}

// agentRecord is an agent as its client knows it. Every change in these tests
// makes a version or moves its label, so their number is the revision.
type agentRecord struct {
	id, tags string    // tags is what its tags begin with
	versions []content // number 1 first
	moves    []int64   // the versions that its label has named, the oldest first
	events   []string  // the ids of runtime events
	deleted  bool
}

// content is the part of an agent that the tests change.
type content struct {
	Name, Department   string
	Level, Description string
	restoredFrom       int64 // 0 if it was not
}

// now is what the agent is, or was when it was deleted.
func (r *agentRecord) now() content { return r.versions[len(r.versions)-1] }

func (r *agentRecord) revision() int64 { return int64(len(r.versions) + len(r.moves)) }

// labeled returns the version that its label names, 0 if it has none.
func (r *agentRecord) labeled() int64 {
	if len(r.moves) == 0 {
		return 0
	}
	return r.moves[len(r.moves)-1]
}

// thing is a department or a project as its client knows it.
type thing struct {
	kind        string // "departments" or "projects"
	id          string // the name of a department
	name        string
	description string
	revision    int64
	deleted     bool
}

func (r *thing) path() string { return api.Path(r.kind, r.id) }

// change is one request of a client and what it promises.
type change struct {
	request api.Request
	status  int
	// apply writes the promise down.
	apply func(api.Answer) error
	// happened finds out, when no answer came, whether the change was made. It
	// returns an answer to apply, or nil if it was not.
	happened func(ctx context.Context, c *api.Client) (*api.Answer, error)
}

// look reads one resource. Nothing there is no error but nil.
func look(ctx context.Context, c *api.Client, path string) (*api.Answer, error) {
	a, err := c.Do(ctx, api.Request{Method: http.MethodGet, Path: path})
	switch {
	case err != nil:
		return nil, err
	case a.OK():
		return &a, nil
	case a.Status == http.StatusNotFound:
		return nil, nil
	}
	return nil, fmt.Errorf("GET %s: %w", path, a.Err())
}

// atRevision finds out whether a resource has moved on to a revision. 0 means
// that it is deleted.
func atRevision(path string, want int64) func(context.Context, *api.Client) (*api.Answer, error) {
	return func(ctx context.Context, c *api.Client) (*api.Answer, error) {
		a, err := look(ctx, c, path)
		if err != nil {
			return nil, err
		}
		if a == nil && want == 0 {
			return &api.Answer{Status: http.StatusNoContent}, nil
		}
		var r struct {
			Revision int64 `json:"revision"`
		}
		if a == nil {
			return nil, fmt.Errorf("GET %s: gone, although nobody deleted it", path)
		}
		if err := a.Data(&r); err != nil || r.Revision != want {
			return nil, err
		}
		return a, nil
	}
}

// exists finds out whether there is a resource at a path.
func exists(path string) func(context.Context, *api.Client) (*api.Answer, error) {
	return func(ctx context.Context, c *api.Client) (*api.Answer, error) { return look(ctx, c, path) }
}

// projectExists finds out whether there is a project of a name that is given
// to one project only.
func projectExists(name string) func(context.Context, *api.Client) (*api.Answer, error) {
	return func(ctx context.Context, c *api.Client) (*api.Answer, error) {
		all, err := api.All[thingView](ctx, c, "/projects", nil)
		for _, p := range all {
			if p.Name == name {
				return look(ctx, c, api.Path("projects", p.ID))
			}
		}
		return nil, err
	}
}

// batchHappened finds out whether a batch of events of an agent was taken in.
// That a part of it was is an error.
func batchHappened(agent string, ids []string) func(context.Context, *api.Client) (*api.Answer, error) {
	return func(ctx context.Context, c *api.Client) (*api.Answer, error) {
		found, err := api.All[eventView](ctx, c, "/activities", url.Values{"agent_id": {agent}})
		if err != nil {
			return nil, err
		}
		present := map[string]bool{}
		for _, e := range found {
			present[e.ID] = true
		}
		n := 0
		for _, id := range ids {
			if present[id] {
				n++
			}
		}
		switch n {
		case 0:
			return nil, nil
		case len(ids):
			return &api.Answer{Status: http.StatusCreated}, nil
		}
		return nil, fmt.Errorf("half a batch: %d of %d events of agent %s are there", n, len(ids), agent)
	}
}

// thingView is what the tests look at of a department or a project.
type thingView struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Revision    int64  `json:"revision"`
}

// eventView is what the tests look at of an event.
type eventView struct {
	ID          string `json:"id"`
	Type        string `json:"event_type"`
	AgentID     string `json:"agent_id"`
	Description string `json:"description"`
}

// tally says how much the crew has been promised.
func tally(crew []*worker) string {
	var agents, versions, moves, events, things int
	for _, w := range crew {
		things += len(w.departments) + len(w.projects)
		agents += len(w.agents)
		for _, r := range w.agents {
			versions += len(r.versions)
			moves += len(r.moves)
			events += len(r.events)
		}
	}
	return fmt.Sprintf("%d agents, %d versions, %d moves of labels, %d reported events, %d departments and projects", agents, versions, moves, events, things)
}
