package scenario

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orgd/domain/activity"
	"orgd/domain/jsondoc"
)

// anyOptions are those of small organizations at any time.
func anyOptions() *rapid.Generator[Options] {
	return rapid.Custom(func(t *rapid.T) Options {
		return Options{
			Seed:   rapid.Uint64().Draw(t, "seed"),
			Agents: rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(13, 40)).Draw(t, "agents"),
			Days:   rapid.IntRange(0, 3).Draw(t, "days"),
			Began:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 1000).Draw(t, "day")),
		}
	})
}

// history returns all days up to the one on which the organization was made.
func (o *Organization) history(left bool) (all []Event) {
	for d := o.First(); dateOf(d) <= o.began; d = d.Add(day) {
		all = append(all, o.Day(d, left)...)
	}
	return all
}

// requests are all requests for an organization, in their order.
func (o *Organization) requests(owned bool) (all []Request) {
	for _, s := range append(o.Before(owned), o.After()) {
		all = append(all, slices.Concat(s.Waves...)...)
	}
	return all
}

func TestSameOptionsSameRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := anyOptions().Draw(t, "options")
		owned := rapid.Bool().Draw(t, "owned")
		a, b := New(opts), New(opts)
		if encode(t, a.requests(owned)) != encode(t, b.requests(owned)) {
			t.Fatal("requests differ")
		}
		if encode(t, a.history(false)) != encode(t, b.history(false)) {
			t.Fatal("histories differ")
		}
		from, to := opts.Began, opts.Began.Add(time.Second)
		if encode(t, a.Live(from).Next(20, from, to)) != encode(t, b.Live(from).Next(20, from, to)) {
			t.Fatal("live events differ")
		}
	})
}

func encode(t *rapid.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOtherSeedsOtherOrganizations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := anyOptions().Draw(t, "options")
		other := opts
		other.Seed++
		if encode(t, New(opts).requests(true)) == encode(t, New(other).requests(true)) {
			t.Fatalf("seeds %d and %d make the same", opts.Seed, other.Seed)
		}
	})
}

// What was known of the days before stays when an organization goes on, and when
// agents have left: the ids of events are what tells that they are known.
func TestHistoryStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := New(anyOptions().Draw(t, "options"))
		known := map[string]Event{}
		for _, e := range o.history(false) {
			if _, ok := known[e.ID]; ok {
				t.Fatalf("two events have the id %s", e.ID)
			}
			known[e.ID] = e
		}
		for _, e := range o.history(true) {
			if _, ok := known[e.ID]; !ok {
				t.Fatalf("%+v is new after the farewells", e)
			}
			delete(known, e.ID)
		}
		for _, e := range known {
			if e.who.fate != dismissed {
				t.Fatalf("%+v is gone after the farewells, and its agent is not", e)
			}
		}
	})
}

// Every event is one that the service takes, of an agent that works, in order.
func TestEventsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := New(anyOptions().Draw(t, "options"))
		for d := o.First(); dateOf(d) <= o.began; d = d.Add(day) {
			checkEvents(t, o, d, d.Add(2*day), o.Day(d, false))
		}
		l := o.Live(o.opts.Began)
		for from := o.opts.Began; from.Before(o.opts.Began.Add(3 * time.Second)); from = from.Add(time.Second) {
			checkEvents(t, o, from, from.Add(time.Second), l.Next(rapid.IntRange(0, 50).Draw(t, "events"), from, from.Add(time.Second)))
		}
	})
}

func checkEvents(t *rapid.T, o *Organization, from, to time.Time, events []Event) {
	if !slices.IsSortedFunc(events, func(a, b Event) int { return a.At.Compare(b.At) }) {
		t.Fatalf("events are not in order of time: %+v", events)
	}
	names := o.Agents()
	for part := range slices.Chunk(events, activity.MaxBatch) {
		entries, err := activity.ParseBatch(parse(t, object{"events": part}), to, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range entries {
			if !slices.Contains(names, e.Agent) || e.At.Before(from) || !e.At.Before(to) || !e.At.Equal(part[i].At) {
				t.Fatalf("event of %q at %s, want an agent and a time of %s to %s", e.Agent, e.At, from, to)
			}
		}
	}
}

func parse(t *rapid.T, v any) jsondoc.Value {
	doc, err := jsondoc.Parse([]byte(encode(t, v)))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestLiveGoesOn(t *testing.T) {
	o := New(Options{Seed: 1, Agents: 10, Days: 3, Began: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)})
	from := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	seen := map[string]bool{}
	for _, run := range []time.Time{from, from.Add(time.Millisecond)} {
		l := o.Live(run)
		for i, n := range []int{0, 1, 7, 100, 1000} {
			at := run.Add(time.Duration(i) * time.Second)
			events := l.Next(n, at, at.Add(time.Second))
			if len(events) != n {
				t.Errorf("Next(%d) = %d events", n, len(events))
			}
			for _, e := range events {
				if seen[e.ID] {
					t.Fatalf("two events have the id %s", e.ID)
				}
				seen[e.ID] = true
			}
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	for _, o := range []Options{{Agents: 1}, {Agents: MaxAgents, Days: MaxDays}} {
		if err := o.Validate(); err != nil {
			t.Errorf("Validate(%+v) = %v, want nil", o, err)
		}
	}
	err := Options{Agents: MaxAgents + 1, Days: -1}.Validate()
	if err == nil || !strings.Contains(err.Error(), "--agents") || !strings.Contains(err.Error(), "--days") {
		t.Errorf("Validate = %v, want both mistakes", err)
	}
}
