package demo

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"math"
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
			x.agent = strings.Trim(parts[1], "{}") // of other paths a name that no agent has
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

// job is what the agents of a role do.
type job struct {
	Minutes      float64 // that a task usually takes
	Weekends     bool    // as on other days
	Tools, Tasks []string
}

// worker is an agent that works.
type worker struct {
	Name, Role, Department string
	Model                  struct {
		ID string `yaml:"model_id"`
	}
	job   job
	forms []form
}

// form is how an agent works from the day after a time on.
type form struct {
	from    time.Time
	Pace    float64 // tasks a day
	Success float64 // of 0 to 1
	Quality float64 // points
	Minutes float64 // times the usual
}

// usual is the form of a worker of whom the story does not say another one.
func (w *worker) usual(from time.Time) form {
	r := random("form", w.Name)
	return form{from: from, Pace: 2 + 2*r.Float64(), Success: 0.92 + 0.04*r.Float64(), Quality: 7.4 + r.Float64(), Minutes: 1}
}

// on returns the form of a day.
func (w *worker) on(t time.Time) (f form) {
	for _, next := range w.forms {
		if next.from.Before(t) {
			f = next
		}
	}
	if weekend(t) && !w.job.Weekends {
		f.Pace *= 0.1
	}
	return f
}

// event is something that an agent did, as POST /activities takes it.
type event struct {
	ID          string         `json:"id"`
	Type        string         `json:"event_type"`
	Agent       string         `json:"agent"`
	Timestamp   time.Time      `json:"timestamp"`
	Description string         `json:"description"`
	Data        map[string]any `json:"data"`
}

// happen sets when an event happened, and an id that goes with it: a UUIDv7.
func (e *event) happen(at time.Time, r *rand.Rand) {
	e.Timestamp = at.Truncate(time.Millisecond)
	ms, bits := at.UnixMilli(), r.Uint64()
	e.ID = fmt.Sprintf("%08x-%04x-7%03x-%04x-%012x", ms>>16, ms&0xffff, bits>>52, 0x8000|bits>>32&0x3fff, r.Uint64()>>16)
}

// events returns what all agents do on a day, the oldest first.
func (s *story) events(day time.Time) (all []event) {
	for number, w := range s.workers {
		r := random("tasks", w.Name, day.Unix())
		f := w.on(day)
		n := int(f.Pace + r.Float64())
		failed := failures(number, day, n, f, r)
		for i := range n {
			begin := day.Add(time.Duration((7 + 10*(r.Float64()+r.Float64())/2) * float64(time.Hour)))
			all = append(all, s.task(w, begin, f, !failed[i], r)...)
		}
	}
	slices.SortStableFunc(all, func(a, b event) int { return a.Timestamp.Compare(b.Timestamp) })
	return all
}

// failures says which of n tasks of a day fail. How many do follows the golden ratio from day
// to day instead of chance, so that a few tasks a day show how an agent works.
func failures(number int, day time.Time, n int, f form, r *rand.Rand) []bool {
	_, part := math.Modf(float64(day.Unix()/86400)*math.Phi + float64(number)*math.Sqrt2)
	failed := make([]bool, n)
	for _, i := range r.Perm(n)[:min(n, int(float64(n)*(1-f.Success)+part))] {
		failed[i] = true
	}
	return failed
}

// task makes up a task, which ends on the day on which it begins.
func (s *story) task(w *worker, begin time.Time, f form, success bool, r *rand.Rand) (events []event) {
	minutes := min(w.job.Minutes*f.Minutes*math.Exp(0.4*r.NormFloat64()), 300)
	took := time.Duration(minutes * float64(time.Minute)).Truncate(time.Second)
	tokens := 500 + int(minutes*900*math.Exp(0.3*r.NormFloat64()))
	cost := max(math.Round(float64(tokens)*s.Prices[w.Model.ID])/1000, 0.001)
	what, id := pick(r, w.job.Tasks), fmt.Sprintf("T-%d-%04d", begin.Unix()/86400, r.IntN(10_000))
	add := func(who *worker, typ string, part float64, description string, data map[string]any) {
		e := event{Type: typ, Agent: who.Name, Description: description, Data: data}
		e.happen(begin.Add(time.Duration(part*float64(took))), r)
		events = append(events, e)
	}
	add(w, "task_started", 0, "began: "+what, map[string]any{"task_id": id})
	tool := pick(r, w.job.Tools)
	add(w, "tool_used", 0.5, "used "+tool, map[string]any{"tool": tool, "success": true, "task_id": id})
	if helper := pick(r, s.workers); r.IntN(3) == 0 && helper != w && helper.Department == w.Department && helper.on(begin).Pace > 0 {
		score := math.Round(60+40*r.Float64()) / 10
		add(w, "delegation_sent", 0.3, "asked "+helper.Name+" for a part", map[string]any{"task_id": id, "counterpart": helper.Name, "score": score})
		add(helper, "delegation_received", 0.3, "helps "+w.Name, map[string]any{"task_id": id, "counterpart": w.Name, "score": score})
	}
	input := tokens * (60 + r.IntN(30)) / 100
	add(w, "cost_incurred", 1, "spent on "+w.Model.ID, map[string]any{
		"amount": cost, "model": w.Model.ID, "input_tokens": input, "output_tokens": tokens - input, "task_id": id,
	})
	outcome := what
	if !success {
		outcome = "gave up: " + what
	}
	add(w, "task_completed", 1, outcome, map[string]any{
		"task_id": id, "success": success, "duration_seconds": took.Seconds(), "cost": cost, "tokens": tokens,
		"quality_score": math.Round(10*min(max(f.Quality+r.Float64()-0.5, 0), 10)) / 10,
	})
	return events
}

// random returns a random source for one purpose, always the same.
func random(what ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, what...) // never fails
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

func pick[T any](r *rand.Rand, items []T) T { return items[r.IntN(len(items))] }
