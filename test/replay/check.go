package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"orgd/test/api"
)

// checker compares what the service keeps with what a history tells. What it
// finds are problems; an error says that the service did not answer.
type checker struct {
	client   *api.Client
	lives    []*Life
	ids      []string // of lives, or nil if another run played the history
	problems []string
	counted  counts
}

// counts is how much was compared.
type counts struct {
	agents, departments, versions, departed, events, instructionBytes int
}

// agentView is what the checks look at of an agent or its identity.
type agentView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Definition
	Version int `json:"version"`
}

// versionView is what the checks look at of a version.
type versionView struct {
	Number       int       `json:"version"`
	Hash         string    `json:"content_hash"`
	Snapshot     agentView `json:"snapshot"`
	RestoredFrom *int      `json:"restored_from"`
	Reason       *string   `json:"reason"`
}

func (c *checker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// all does every check that changes nothing.
func (c *checker) all(ctx context.Context) error {
	if err := c.people(ctx); err != nil {
		return err
	}
	for _, l := range Employed(c.lives) {
		if err := c.employed(ctx, l); err != nil {
			return err
		}
	}
	for i, l := range c.lives {
		if l.Fired {
			if err := c.departed(ctx, i, l); err != nil {
				return err
			}
		}
	}
	return c.events(ctx)
}

// people compares who is there, and the departments, with the lists.
func (c *checker) people(ctx context.Context) error {
	var want, got []string
	for _, l := range Employed(c.lives) {
		want = append(want, l.Name)
	}
	agents, err := api.All[agentView](ctx, c.client, api.Path("agents"), url.Values{"view": {"summary"}})
	if err != nil {
		return err
	}
	for _, a := range agents {
		got = append(got, a.Name)
	}
	c.sameSet("agents", got, want)
	c.counted.agents = len(agents)

	list, err := api.All[struct{ Name string }](ctx, c.client, api.Path("departments"), nil)
	if err != nil {
		return err
	}
	var names []string
	for _, d := range list {
		names = append(names, d.Name)
	}
	c.sameSet("departments", names, departments(c.lives))
	c.counted.departments = len(names)
	return nil
}

// departments lists all that the lives were ever in.
func departments(lives []*Life) []string {
	var names []string
	for _, l := range lives {
		for _, v := range l.Versions {
			names = append(names, v.Department)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (c *checker) sameSet(what string, got, want []string) {
	slices.Sort(got)
	slices.Sort(want)
	if len(got) != len(want) {
		c.problem("there are %d %s, want %d", len(got), what, len(want))
	}
	for _, name := range want {
		if _, ok := slices.BinarySearch(got, name); !ok {
			c.problem("%s: %q is missing", what, name)
		}
	}
	for _, name := range got {
		if _, ok := slices.BinarySearch(want, name); !ok {
			c.problem("%s: %q is there but should not be", what, name)
		}
	}
}

// employed compares an agent and all its versions.
func (c *checker) employed(ctx context.Context, l *Life) error {
	var a agentView
	answer, err := c.client.Get(ctx, api.Path("agents", l.Name), &a)
	if answer.Status == http.StatusNotFound {
		c.problem("%s: cannot be read", l.Name)
		return nil
	}
	if err != nil {
		return err
	}
	c.same(l.Name, a.Definition, l.last().Definition)
	restored, err := c.versions(ctx, l, a.ID)
	if want := len(l.Versions) + restored; err == nil && a.Version != want {
		c.problem("%s: has version %d, want %d", l.Name, a.Version, want)
	}
	return err
}

func (c *checker) same(what string, got, want Definition) {
	for _, field := range got.Differences(want) {
		c.problem("%s: %s is not that of the history", what, field)
	}
}

// departed checks that a former agent is gone by name, unless somebody has
// taken the name since, and that its versions stayed readable by id.
func (c *checker) departed(ctx context.Context, i int, l *Life) error {
	path := api.Path("agents", l.Name)
	again := slices.ContainsFunc(Employed(c.lives), func(o *Life) bool { return o.Name == l.Name })
	if c.ids != nil {
		if _, err := c.versions(ctx, l, c.ids[i]); err != nil {
			return err
		}
		path = api.Path("agents", c.ids[i])
	} else if again {
		return nil
	}
	a, err := c.client.Do(ctx, api.Request{Method: http.MethodGet, Path: path})
	if err != nil {
		return err
	}
	if a.Status != http.StatusNotFound || a.Code() != 3000 {
		c.problem("%s: was fired, and still GET %s answers %d/%d", l.Name, path, a.Status, a.Code())
	}
	c.counted.departed++
	return nil
}

// versions compares every version of an agent: those that the history tells,
// and behind them those that a rollback has restored since. It returns the
// number of the latter.
func (c *checker) versions(ctx context.Context, l *Life, id string) (restored int, err error) {
	list, err := api.All[versionView](ctx, c.client, api.Path("agents", id, "versions"), nil)
	if err != nil {
		return 0, err
	}
	slices.Reverse(list) // number 1 first
	for i, v := range list {
		what := fmt.Sprintf("%s version %d", l.Name, v.Number)
		if v.Number != i+1 {
			c.problem("%s: is the %d. of the list", what, i+1)
			return 0, nil
		}
		c.counted.versions++
		c.counted.instructionBytes += len(v.Snapshot.Instructions)
		switch {
		case i < len(l.Versions):
			c.version(what, v, l.Versions[i])
		case v.RestoredFrom == nil || *v.RestoredFrom < 1 || *v.RestoredFrom > i:
			c.problem("%s: the history does not tell of it", what)
		default:
			restored++
			c.same(what, v.Snapshot.Definition, list[*v.RestoredFrom-1].Snapshot.Definition)
		}
	}
	if told := len(list) - restored; told < len(l.Versions) {
		c.problem("%s: has %d versions, want %d", l.Name, told, len(l.Versions))
	}
	return restored, nil
}

func (c *checker) version(what string, got versionView, want Version) {
	c.same(what, got.Snapshot.Definition, want.Definition)
	if got.RestoredFrom != nil {
		c.problem("%s: is restored, want it as told by the history", what)
	}
	if got.Reason == nil || *got.Reason != want.Reason {
		c.problem("%s: the reason is not %q", what, want.Reason)
	}
}

// events counts the hires and departures in the feed.
func (c *checker) events(ctx context.Context) error {
	want := map[string]int{"hired": len(c.lives), "fired": len(c.lives) - len(Employed(c.lives))}
	for _, kind := range []string{"hired", "fired"} {
		list, err := api.All[struct{}](ctx, c.client, api.Path("activities"), url.Values{"type": {kind}})
		if err != nil {
			return err
		}
		if len(list) != want[kind] {
			c.problem("the feed has %d %s events, want %d", len(list), kind, want[kind])
		}
		c.counted.events += len(list)
	}
	return nil
}
