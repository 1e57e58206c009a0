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
	Day       int    // working days before the demo was made
	At        string // the time of day
	By, Why   string
	Do        string // method and path; {NAME} is the id of what has that name
	Body      map[string]any
	Add, Drop string    // lines of an agent's instructions
	Then      yaml.Node // the form of the agent from the next day on
	time      time.Time
}

const day = 24 * time.Hour

// readStory reads the story of a demo that is made on a day.
func readStory(made time.Time) (*story, error) {
	s := &story{}
	if err := yaml.Unmarshal(document, s); err != nil {
		return nil, fmt.Errorf("story.yaml: %w", err)
	}
	for i, x := range s.Steps {
		at, err := time.Parse("15:04", x.At)
		if err != nil {
			return nil, fmt.Errorf("story.yaml, step %d: %w", i+1, err)
		}
		clock := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
		x.time = workday(made, x.Day).Add(clock + time.Duration(i*17%60)*time.Second)
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
		name, hired := s.agent(x)
		if hired {
			w := s.hire(x.Body)
			byName[name], s.workers = w, append(s.workers, w)
			w.forms = []form{w.usual()}
			w.forms[0].from = x.time
		}
		if x.Then.IsZero() {
			continue
		}
		w := byName[name]
		if w == nil {
			return fmt.Errorf("story.yaml: %s has a form and no agent", x.Do)
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

// agent returns the agent that a step is about, and whether it is hired.
func (s *story) agent(x *step) (name string, hired bool) {
	if x.Do == "POST agents" {
		name, _ = x.Body["name"].(string)
		return name, true
	}
	parts := strings.Split(x.Do, "/")
	return strings.Trim(parts[min(1, len(parts)-1)], "{}"), false
}

func (s *story) hire(body map[string]any) *worker {
	text := func(in any, name string) string {
		m, _ := in.(map[string]any)
		t, _ := m[name].(string)
		return t
	}
	w := &worker{name: text(body, "name"), department: text(body, "department"), model: text(body["model"], "model_id")}
	w.price = s.Prices[w.model]
	var ok bool
	if w.job, ok = s.Work[text(body, "role")]; !ok {
		w.job = s.Work["head"]
	}
	return w
}

// random returns a random source for one purpose, always the same.
func random(what ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, what...) // never fails
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

func pick[T any](r *rand.Rand, items []T) T { return items[r.IntN(len(items))] }
