package simulate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/scenario"
	"orgd/cmd/orgd/internal/terminal"
)

const (
	// atOnce bounds the requests that run at once. The service admits eight reports
	// of one client.
	atOnce = 4
	// reportSize is how many events one request may hold.
	reportSize = 1000
	reportPath = "/activities"
)

// numbers say which organization it is. Those that are not given are nil.
type numbers struct {
	Agents *int    `placeholder:"N" help:"How many agents there are, 1 to 10000 (default 50)."`
	Days   *int    `placeholder:"N" help:"How many days of history there are, 0 to 365 (default 30)."`
	Seed   *uint64 `placeholder:"N" help:"Which organization it is: the same numbers make the same one (default 1)."`
}

// in returns options with the numbers that are given.
func (n numbers) in(o scenario.Options) scenario.Options {
	o.Agents, o.Days, o.Seed = or(n.Agents, o.Agents), or(n.Days, o.Days), or(n.Seed, o.Seed)
	return o
}

func or[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

// mark is the state of a simulation. The service keeps it in the settings of the
// company.
type mark struct {
	Seed   uint64 `json:"seed"`
	Agents int    `json:"agents"`
	Days   int    `json:"days"`
	// Tasks is [scenario.Options.Tasks].
	Tasks float64 `json:"tasks,omitempty"`
	Began string  `json:"began"` // the day
	// Owned says that the organization was empty at the beginning.
	Owned bool `json:"owned"`
	// Stages is how many stages are complete, the history among them.
	Stages int `json:"stages"`
	// Waves is how many waves of the stage after those are complete.
	Waves int `json:"waves"`
	// Reported is the time up to which the history is complete; "" for none.
	Reported string `json:"reported"`
}

// simulation plays an organization through a service.
type simulation struct {
	service  *client.Client
	server   string // its URL
	say      func(format string, args ...any)
	progress *terminal.Progress
	org      *scenario.Organization
	mark     mark
	given    numbers // by the user
	run      string  // its id
	resumed  bool    // an earlier run has begun the simulation
	demo     bool    // it belongs to orgd demo

	ids                  sync.Map     // of projects, by name
	accepted, duplicates atomic.Int64 // events
}

// open resumes the simulation of the service, or begins one.
func (s *simulation) open(ctx context.Context, o scenario.Options, force bool) error {
	found, err := s.read(ctx)
	if err != nil {
		return err
	}
	if found != nil {
		return s.resume(ctx, *found)
	}
	s.org = scenario.New(o)
	s.mark = mark{Seed: o.Seed, Agents: o.Agents, Days: o.Days, Tasks: o.Tasks, Began: o.Began.Format(time.DateOnly)}
	if err := s.checkEmpty(ctx, force); err != nil {
		return err
	}
	return s.save(ctx)
}

// checkEmpty fails if the service has objects that no simulation has made: any
// without force, else those of the same names.
func (s *simulation) checkEmpty(ctx context.Context, force bool) error {
	var taken, counts []string
	for _, list := range []struct {
		what string
		own  []string
		read func(context.Context) ([]named, error)
	}{
		{"departments", s.org.Departments(), s.departments},
		{"agents", s.org.Agents(), s.agents},
		{"projects", s.org.Projects(), s.projects},
	} {
		there, err := list.read(ctx)
		if err != nil {
			return err
		}
		if len(there) > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", len(there), list.what))
		}
		taken = append(taken, common(there, list.own)...)
	}
	s.mark.Owned = len(counts) == 0
	switch {
	case !s.mark.Owned && !force:
		return fmt.Errorf("%s holds an organization: %s; use an empty one, or --force to add a simulation to it",
			s.server, strings.Join(counts, ", "))
	case len(taken) > 0:
		return fmt.Errorf("%s has %s already, and a simulation does not touch what is not its own: try another --seed",
			s.server, strings.Join(taken, ", "))
	}
	return nil
}

// common returns the names that exist. Letter case does not matter.
func common(there []named, names []string) (taken []string) {
	for _, name := range names {
		if slices.ContainsFunc(there, func(n named) bool { return strings.EqualFold(n.Name, name) }) {
			taken = append(taken, name)
		}
	}
	return taken
}

// resume goes on with the simulation that the service has.
func (s *simulation) resume(ctx context.Context, found mark) error {
	began, err := time.Parse(time.DateOnly, found.Began)
	if err != nil {
		return fmt.Errorf("company.settings.simulation.began: %w", err)
	}
	made := scenario.Options{Seed: found.Seed, Agents: found.Agents, Days: found.Days, Tasks: found.Tasks, Began: began}
	if s.given.in(made) != made {
		return fmt.Errorf("%s holds the simulation that --seed %d --agents %d --days %d made on %s; leave these flags out to go on with it",
			s.server, found.Seed, found.Agents, found.Days, found.Began)
	}
	if err := made.Validate(); err != nil {
		return fmt.Errorf("company.settings.simulation: %w", err)
	}
	s.org, s.mark, s.resumed = scenario.New(made), found, true
	s.say("Going on with the simulation of %s: seed %d, %d agents, %d days.", found.Began, found.Seed, found.Agents, found.Days)
	there, err := s.projects(ctx)
	for _, p := range there {
		s.ids.Store(p.Name, p.ID)
	}
	return err
}

// prepare resumes or begins the simulation, and plays all but the live part.
func (s *simulation) prepare(ctx context.Context, o scenario.Options, force bool) error {
	s.run = strconv.FormatInt(time.Now().UnixMilli(), 36)
	err := s.open(ctx, o, force)
	if err == nil {
		err = s.play(ctx)
	}
	s.progress.Stop()
	return terminal.Interrupted(ctx, err, "run the same command to go on")
}

// read returns the mark of a simulation, or nil.
func (s *simulation) read(ctx context.Context) (*mark, error) {
	var company client.Company
	err := remote.Retry(ctx, s.progress, func() (err error) {
		company, err = s.service.Company(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	var settings struct {
		Simulation *mark `json:"simulation"`
	}
	if err := company.Settings.Decode(&settings); err != nil {
		return nil, fmt.Errorf("company.settings: %w", err)
	}
	return settings.Simulation, nil
}

// save writes the mark.
func (s *simulation) save(ctx context.Context) error {
	settings := client.Object{"simulation": s.mark}
	if s.demo {
		settings["demo"] = true
	}
	patch := client.Object{"settings": settings}
	return remote.Retry(ctx, s.progress, func() error {
		_, err := s.service.PatchCompany(ctx, patch)
		return err
	})
}

// named is an object with a name. Departments have no id.
type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (s *simulation) departments(ctx context.Context) ([]named, error) {
	return read(ctx, s, s.service.Departments(ctx, remote.Pages(0)),
		func(d client.Department) named { return named{Name: d.Name} })
}

func (s *simulation) agents(ctx context.Context) ([]named, error) {
	q := client.AgentQuery{PageQuery: remote.Pages(0), Summary: true}
	return read(ctx, s, s.service.Agents(ctx, q), func(a client.Agent) named { return named{a.ID, a.Name} })
}

func (s *simulation) projects(ctx context.Context) ([]named, error) {
	q := client.ProjectQuery{PageQuery: remote.Pages(0)}
	return read(ctx, s, s.service.Projects(ctx, q), func(p client.Project) named { return named{p.ID, p.Name} })
}

// read reads a whole list.
func read[T any](ctx context.Context, s *simulation, list iter.Seq2[T, error], name func(T) named) (all []named, err error) {
	var items []T
	err = remote.Retry(ctx, s.progress, func() error {
		items, err = remote.Collect(list, 0)
		return err
	})
	for _, item := range items {
		all = append(all, name(item))
	}
	return all, err
}

// id returns the id of a project, "" if it is not known.
func (s *simulation) id(project string) string {
	id, _ := s.ids.Load(project)
	text, _ := id.(string)
	return text
}

// send sends a request until no limit refuses it. A POST has a key that depends on
// its content, so that it may arrive twice. The keys of reports also depend on the
// run, because each run counts what was new in it.
func (s *simulation) send(ctx context.Context, method, path string, body json.RawMessage, opts ...client.Option) (answer json.RawMessage, err error) {
	if method == http.MethodPost {
		sum := sha256.Sum256([]byte(path + "\n" + string(body)))
		key := "simulate-" + hex.EncodeToString(sum[:16])
		if path == reportPath {
			key += "-" + s.run
		}
		opts = append(opts, client.IdempotencyKey(key))
	}
	var sent any // nil for no body
	if body != nil {
		sent = body
	}
	err = remote.Retry(ctx, s.progress, func() error {
		answer, err = s.service.Do(ctx, method, path, sent, opts...)
		return err
	})
	return answer, err
}

// each calls do for all items, several at once, until one fails.
func each[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for _, item := range items {
		if running.Err() != nil {
			break
		}
		g.Go(func() error { return do(running, item) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
