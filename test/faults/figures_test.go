package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/seed"
)

// offices are the departments between which the agents of tellers move.
var offices = []string{"north", "south", "west"}

// TestFiguresSurviveKills kills the service again and again while clients report
// events, repeat reports that were not answered and others that were, and move
// agents between departments. What the service then says of agents and
// departments follows from the events in its feed, each counted once.
func TestFiguresSurviveKills(t *testing.T) {
	kills, compared := size(6, 200), size(1, 20)
	rng := seed.Rand(t)
	s := serve(t)
	tellers := hireTellers(t, s.client(1), rng)
	for n := range kills {
		s.killUnder(loadTime(rng), len(tellers), func(ctx context.Context, c *api.Client, i int) error { return tellers[i].run(ctx, c, nil) })
		s.start()
		if n%compared == compared-1 { // reading the whole feed takes longer and longer
			wantFigures(t, s.client(1), tellers)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kills; %s", kills, told(tellers))
}

// TestFiguresOnReplicas is the same on three replicas of which one is killed
// while the others go on. What it leaves half done is repeated at another one.
func TestFiguresOnReplicas(t *testing.T) {
	kills := size(3, 50)
	rng := seed.Rand(t)
	c := startCluster(t, clusterSize, mongoURI(t))
	tellers := hireTellers(t, c.client(0, 1), rng)
	for round := range kills {
		c.killUnder(rng, len(tellers), round, func(ctx context.Context, client *api.Client, i int, stop <-chan struct{}) error {
			return tellers[i].run(ctx, client, stop)
		})
		wantFigures(t, c.client(round%clusterSize, 1), tellers)
		if t.Failed() {
			return
		}
	}
	c.wantCleanLogs()
	t.Logf("R5: %d kills of one of %d replicas; %s", kills, clusterSize, told(tellers))
}

// told says what tellers have done.
func told(tellers []*teller) string {
	reported, repeated := 0, 0
	for _, w := range tellers {
		reported += len(w.answered)
		repeated += w.repeated
	}
	return fmt.Sprintf("%d events, %d more were repeated", reported, repeated)
}

func hireTellers(t *testing.T, c *api.Client, rng *rand.Rand) []*teller {
	t.Helper()
	for _, name := range offices {
		must(t, c, api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": name}}, nil)
	}
	tellers := make([]*teller, workers)
	for i := range tellers {
		w := &teller{rng: rand.New(rand.NewPCG(rng.Uint64(), 0)), office: offices[0], answered: map[string]bool{}}
		var a agentView
		must(t, c, api.Request{Method: http.MethodPost, Path: "/agents", Body: map[string]any{
			"name": fmt.Sprint("teller ", i), "role": "teller", "department": w.office,
		}}, &a)
		w.agent, tellers[i] = a.ID, w
	}
	return tellers
}

// teller is a client that reports what one agent does.
type teller struct {
	rng      *rand.Rand
	agent    string // its id
	office   string // where the agent is
	sent     [][]happening
	open     []happening     // reported without an answer
	answered map[string]bool // ids of events that were taken in
	repeated int             // events that had been before
}

// happening is an event as it is reported. Its description is set to the agent's
// department whenever it is, so the feed tells which one it counts for.
type happening map[string]any

// run reports and moves the agent until the service dies or stop is closed.
func (w *teller) run(ctx context.Context, c *api.Client, stop <-chan struct{}) error {
	var a agentView // a move may not have been answered
	if err := w.ask(ctx, c, api.Request{Method: http.MethodGet, Path: api.Path("agents", w.agent)}, &a); err != nil {
		return err
	}
	for w.office = a.Department; ; w.office = a.Department {
		select {
		case <-stop:
			return nil
		default:
		}
		if w.open == nil {
			w.open = w.next()
		}
		for _, e := range w.open {
			e["description"] = w.office
		}
		if err := w.ask(ctx, c, api.Request{Method: http.MethodPost, Path: "/activities", Body: map[string]any{"events": w.open}}, nil); err != nil {
			return err
		}
		for _, e := range w.open {
			if id := e["id"].(string); w.answered[id] {
				w.repeated++
			} else {
				w.answered[id] = true
			}
		}
		w.sent, w.open = append(w.sent, w.open), nil
		if w.rng.IntN(4) > 0 {
			continue
		}
		move := api.Request{Method: http.MethodPatch, Path: api.Path("agents", w.agent), Body: map[string]any{"department": pick(w.rng, offices)}}
		if err := w.ask(ctx, c, move, &a); err != nil {
			return err
		}
	}
}

// ask wants a success, of which it decodes the data.
func (w *teller) ask(ctx context.Context, c *api.Client, r api.Request, dst any) error {
	a, err := c.Do(ctx, r)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	if !a.OK() {
		return fmt.Errorf("%s %s: %w", r.Method, r.Path, a.Err())
	}
	if dst == nil {
		return nil
	}
	return a.Data(dst)
}

// next is a batch of new events, one that was reported before, or some of each.
func (w *teller) next() []happening {
	fresh := make([]happening, 1+w.rng.IntN(maxBatch))
	for i := range fresh {
		fresh[i] = w.happening()
	}
	if len(w.sent) == 0 || w.rng.IntN(2) == 0 {
		return fresh
	}
	again := slices.Clone(pick(w.rng, w.sent))
	if w.rng.IntN(2) == 0 {
		return again
	}
	again = append(again[w.rng.IntN(len(again)):], fresh...)
	w.rng.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
	return again
}

// happening makes one event of the last hundred days, most of them of the last
// ten. An agent's costs are all said in one way, so that their sum does not depend on the order in
// which events arrive.
func (w *teller) happening() happening {
	age := time.Duration(w.rng.Int64N(int64(pick(w.rng, []time.Duration{10, 10, 100}) * 24 * time.Hour)))
	data := map[string]any{"task_id": "t"}
	byTask := w.agent[len(w.agent)-1]%2 == 0
	kind := pick(w.rng, []string{"task_completed", "task_completed", "cost_incurred", "delegation_sent", "delegation_received", "tool_used"})
	decimals := func(n int) json.Number { return json.Number(strconv.FormatFloat(10*w.rng.Float64(), 'f', n, 64)) }
	switch kind {
	case "task_completed":
		data["success"] = w.rng.IntN(3) > 0
		for name, n := range map[string]int{"quality_score": 3, "cost": 9, "duration_seconds": 6, "tokens": 0} {
			if w.rng.IntN(4) > 0 && (name != "cost" || byTask) {
				data[name] = decimals(n)
			}
		}
	case "cost_incurred":
		data["amount"] = decimals(9)
		if byTask {
			data["amount"] = 0
		}
	case "tool_used":
		data["tool"], data["success"] = "hammer", true
	default:
		data["score"] = decimals(2)
	}
	return happening{
		"id": randomID(w.rng), "event_type": kind, "agent": w.agent, "data": data,
		"timestamp": time.Now().UTC().Add(-age).Format("2006-01-02T15:04:05.000Z"),
	}
}

// check wants each event that was answered, and of the batch under way all or
// nothing, once.
func (w *teller) check(i *inspector, events []feedEvent) {
	missing := maps.Clone(w.answered)
	for _, e := range events {
		if e.Office == "" || !slices.Contains(offices, e.Office) {
			continue // not reported
		}
		open := slices.ContainsFunc(w.open, func(h happening) bool { return h["id"] == e.ID })
		if !missing[e.ID] && !open {
			i.problem("the feed has event %s twice, or nobody reported it", e.ID)
		}
		delete(missing, e.ID)
	}
	if len(missing) > 0 {
		i.problem("%d of %d events that were answered are not in the feed", len(missing), len(w.answered))
	}
}

func today() time.Time { return time.Now().UTC().Truncate(24 * time.Hour) }

// wantFigures compares all figures with those computed from the feed.
func wantFigures(t *testing.T, c *api.Client, tellers []*teller) {
	t.Helper()
	for day := (time.Time{}); !day.Equal(today()) && !t.Failed(); { // again if it is midnight meanwhile
		day = today()
		i := &inspector{ctx: t.Context(), c: c}
		i.figures(tellers, day)
		for _, p := range i.problems {
			t.Error(p)
		}
	}
}

func (i *inspector) figures(tellers []*teller, day time.Time) {
	reported := map[string][]feedEvent{}
	for _, w := range tellers {
		events := all[feedEvent](i, api.Path("agents", w.agent, "activity"))
		w.check(i, events)
		for _, e := range events {
			reported[e.Office] = append(reported[e.Office], e)
		}
		i.shows(api.Path("agents", w.agent, "performance"), naivePerformance(events, day))
		i.shows(api.Path("agents", w.agent, "health"), naiveHealth(events, day))
	}
	for _, office := range offices {
		i.shows(api.Path("departments", office, "health"), naiveDepartment(reported[office], day))
	}
}

// shows wants these figures, by their path, in an answer.
func (i *inspector) shows(path string, want map[string]string) {
	var data json.RawMessage
	i.get(path, &data)
	got := map[string]string{}
	for name := range want {
		got[name] = figure(data, strings.Split(name, "."))
	}
	i.same(path, got, want)
}
