package demo

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"orgd/domain/access"
)

//go:embed story.yaml
var document []byte

// story is what happened in the company, the oldest first.
type story struct {
	Authors map[string]struct {
		Role        access.Role
		Departments []string
	}
	Prices map[string]float64 // of a thousand tokens, by model
	Work   map[string]job     // by role
	Steps  []*step

	workers []*worker
}

// step is a request of somebody.
type step struct {
	Day       int // working days before the demo was made
	At        time.Duration
	By, Why   string
	Do        string // method and path; {NAME} is the id of what has that name
	Body      yaml.Node
	Add, Drop string    // lines of an agent's instructions
	Then      yaml.Node // the form of the agent from the next day on
	time      time.Time
	agent     string // that it is about
}

// hire is what a step does that hires an agent.
const hire = "POST agents"

const day = 24 * time.Hour

// readStory reads the story of a demo that is made on a day.
func readStory(made time.Time) (*story, error) {
	s := &story{}
	if err := yaml.Unmarshal(document, s); err != nil {
		return nil, fmt.Errorf("story.yaml: %w", err)
	}
	for i, x := range s.Steps {
		x.time = workday(made, x.Day).Add(x.At + time.Duration(i*17%60)*time.Second)
	}
	slices.SortStableFunc(s.Steps, func(a, b *step) int { return a.time.Compare(b.time) })
	return s, s.employ()
}

// workday returns the day that is n working days before another one.
func workday(t time.Time, n int) time.Time {
	t = t.Truncate(day)
	for n > 0 {
		t = t.Add(-day)
		if !weekend(t) {
			n--
		}
	}
	return t
}

func weekend(t time.Time) bool { return t.Weekday() == time.Saturday || t.Weekday() == time.Sunday }

// employ makes a worker of each agent that is hired, in the forms that it has over time.
func (s *story) employ() error {
	byName := map[string]*worker{}
	for _, x := range s.Steps {
		if x.Do == hire {
			w := &worker{}
			if err := x.Body.Decode(w); err != nil {
				return fmt.Errorf("story.yaml: %w", err)
			}
			w.job = s.Work[w.Role]
			w.forms = []form{w.usual(x.time)}
			x.agent, byName[w.Name], s.workers = w.Name, w, append(s.workers, w)
		} else if parts := strings.Split(x.Do, "/"); len(parts) > 1 {
			x.agent = strings.Trim(parts[1], "{}") // or whatever else it is about
		}
		w := byName[x.agent]
		if x.Then.IsZero() || w == nil {
			continue
		}
		next := w.forms[len(w.forms)-1]
		if err := x.Then.Decode(&next); err != nil {
			return fmt.Errorf("story.yaml: %s: %w", x.Do, err)
		}
		next.from = x.time
		w.forms = append(w.forms, next)
	}
	return nil
}

// random returns a random source for one purpose, always the same.
func random(what ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, what...) // never fails
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

func pick[T any](r *rand.Rand, items []T) T { return items[r.IntN(len(items))] }
