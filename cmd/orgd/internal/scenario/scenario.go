// Package scenario makes up an organization that could be real: departments
// and teams, agents with identities, careers and prompts that change, projects,
// and what all of them did on each day. Some agents improve, some decline.
//
// Everything follows from [Options]: the same options make the same requests,
// byte for byte, so that a run can be repeated or resumed. The package sends
// nothing and reads no clock.
package scenario

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"
)

// Bounds of the options.
const (
	MaxAgents = 10_000 // as many as there are names
	MaxDays   = 365    // the service keeps events for 400 days unless told otherwise
)

// Options say what to make up.
type Options struct {
	Seed   uint64
	Agents int // 1 to MaxAgents
	// Began is the day on which the organization was made. Agents that improve
	// or decline do so in the time before it.
	Began time.Time
	// Days is how many days of history there are, Began included; 0 to MaxDays.
	Days int
	// Tasks is how many tasks an agent begins on a usual day, on average; 0 is
	// usualTasks.
	Tasks float64
}

const usualTasks = 6

// Validate reports every mistake, under the names of the command line.
func (o Options) Validate() error {
	var errs []error
	if o.Agents < 1 || o.Agents > MaxAgents {
		errs = append(errs, fmt.Errorf("--agents: must be 1 to %d", MaxAgents))
	}
	if o.Days < 0 || o.Days > MaxDays {
		errs = append(errs, fmt.Errorf("--days: must be 0 to %d", MaxDays))
	}
	return errors.Join(errs...)
}

// Organization is an organization that was made up.
type Organization struct {
	opts        Options
	began       date
	departments []*department
	workers     []*worker // in the order of hiring: heads, leads, members
}

// department is a department with those who work in it.
type department struct {
	kind
	number  int
	head    *worker
	leads   []*worker // one for each team that there is
	workers []*worker // in the order of hiring
}

// worker is an agent.
type worker struct {
	number     int // in the order of hiring
	name       string
	department *department
	team       int // among those of the department; -1 for none
	boss       *worker
	role       role
	level      string
	trend      trend
	pace       float64 // tasks on a usual day
	quality    float64 // points, of one who neither improves nor declines
	fate       fate
	model      model
	hired      date
}

// trend is how the work of an agent develops.
type trend int

const (
	steady trend = iota
	improving
	declining
)

// fate is what happens in the career of an agent.
type fate int

const (
	stays fate = iota
	promoted
	demoted
	tuned      // gets another prompt
	rolledBack // gets another prompt, and back the one before
	moved      // to another department
	newcomer   // is onboarding
	onboarded  // was onboarding
	away       // is on leave
	returned   // was on leave
	terminated
	rehired // was terminated
	dismissed
)

// companyName is what the organization is called.
const companyName = "Meridian Works"

// New makes up an organization. The options are valid.
func New(opts Options) *Organization {
	o := &Organization{opts: opts, began: dateOf(opts.Began)}
	o.makeDepartments()
	o.staff()
	o.assignFates()
	return o
}

// Departments returns the names of all departments.
func (o *Organization) Departments() []string {
	names := make([]string, len(o.departments))
	for i, d := range o.departments {
		names[i] = d.name
	}
	return names
}

// Agents returns the names of all agents that are ever hired.
func (o *Organization) Agents() []string { return namesOf(o.workers) }

// Projects returns the names of all projects.
func (o *Organization) Projects() []string {
	var names []string
	for _, d := range o.departments {
		names = append(names, d.projects...)
	}
	return names
}

func namesOf(workers []*worker) []string {
	names := make([]string, len(workers))
	for i, w := range workers {
		names[i] = w.name
	}
	return names
}

// random returns a random source for one purpose. Thereby more agents or more days
// do not change what was made before.
func (o *Organization) random(what string, numbers ...int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, what, numbers) // never fails
	return rand.New(rand.NewPCG(o.opts.Seed, h.Sum64()))
}

// date is a UTC day, counted from 1970-01-01.
type date int

const day = 24 * time.Hour

func dateOf(t time.Time) date { return date(t.Unix() / int64(day/time.Second)) }

func (d date) start() time.Time { return time.Unix(int64(d)*int64(day/time.Second), 0).UTC() }

func (d date) String() string { return d.start().Format(time.DateOnly) }

// pick returns one of the items.
func pick[T any](r *rand.Rand, items []T) T { return items[r.IntN(len(items))] }

// some returns n of the items, at most all of them, in their order.
func some[T any](r *rand.Rand, items []T, n int) []T {
	taken := r.Perm(len(items))[:min(n, len(items))]
	slices.Sort(taken)
	chosen := []T{}
	for _, i := range taken {
		chosen = append(chosen, items[i])
	}
	return chosen
}
