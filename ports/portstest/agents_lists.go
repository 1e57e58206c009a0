package portstest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/page"
)

func agentListOrder(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	var want []agent.Agent
	for i := range 5 {
		// Later agents have earlier names, and departments alternate.
		department := []string{"Sales", "Ops"}[i%2]
		want = append(want, w.hire(fmt.Sprint("agent ", 9-i), department))
	}
	w.want("Agents", w.agents(agent.Query{}, 100), want)
}

// longTexts is a list of more than 250 kB, which is told from others by mark.
func longTexts(mark int) string {
	texts := make([]string, 256)
	for i := range texts {
		texts[i] = fmt.Sprintf("%03d%03d%s", mark, i, strings.Repeat("😀", 250))
	}
	return `["` + strings.Join(texts, `","`) + `"]`
}

// large are members of an agent of more than half a megabyte.
func large(mark int) string {
	return fmt.Sprintf(`"personality":{"traits":%s},"tools":{"allowed":%[1]s,"denied":[]}`, longTexts(mark))
}

func agentListBytes(w *world) {
	w.createDepartment("Sales")
	var want []agent.Record
	for i := range 12 {
		want = append(want, w.hire(fmt.Sprintf("a%02d", i), "Sales", large(i)).Record())
	}
	for _, q := range []agent.Query{{Limit: 12}, {Prefix: "a", Limit: 12}} {
		for range 2 { // the second time it may be remembered
			found := shortPages(w, q.Limit, func(ctx context.Context, last *agent.Record) ([]agent.Record, error) {
				q := q
				if last != nil {
					q.After = &agent.Position{OrderKey: last.OrderKey, ID: last.ID, Name: key(last.Name)}
				}
				return w.Agents.Records(ctx, q)
			})
			w.want(fmt.Sprintf("all Records with the prefix %q", q.Prefix), found, want)
		}
	}
}

// shortPages reads a list of all rows in pages that end before their limit, since
// the rows are too large for one. read gets the last row of the page before. Without a
// turn none is read.
func shortPages[T page.Row](w *world, all int, read func(ctx context.Context, last *T) ([]T, error)) (rows []T) {
	w.Helper()
	if _, err := read(page.WithoutTurn(w.Context()), nil); !errors.Is(err, page.ErrLarge) {
		w.Errorf("a page of large rows without a turn = %v, want %v", err, page.ErrLarge)
	}
	var last *T
	for len(rows) <= all {
		found, err := read(w.Context(), last)
		w.wantNil("a page of large rows", err)
		n := page.Fits(found)
		rows = append(rows, found[:n]...)
		if page.IsLast(found, all) {
			return rows
		}
		if len(found) != n+1 || n == 0 || n == all {
			w.Fatalf("%d rows were read, of which %d fit on the page, want one more, and not all %d", len(found), n, all)
		}
		last = &rows[len(rows)-1]
	}
	w.Fatalf("a list of %d large rows has no end", all)
	return nil
}

func agentListFilters(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	var all []agent.Agent
	for i, members := range []string{
		`"level":"mid","owner":"ann","tags":["b"]`, `"level":"vp","owner":"Ann","tags":["a.b","b","c"]`,
		`"level":"mid","status":"on_leave","owner":"ann","tags":["b","a.b"]`, `"level":"vp","status":"on_leave","tags":["c"]`,
	} {
		all = append(all, w.hire(fmt.Sprint("x", i), "Sales", members), w.hire(fmt.Sprint("y", i), "Ops", members))
	}
	for _, q := range []agent.Query{
		{},
		{Department: "sales"},
		{Department: "ops", Status: identity.OnLeave},
		{Level: identity.VP},
		{Status: identity.Active, Level: identity.Mid},
		{Department: "sales", Status: identity.Active, Level: identity.VP},
		{Department: "sales", Status: identity.Active, Level: identity.VP, Prefix: "x"},
		{Prefix: "y"},
		{Prefix: "x", Department: "ops"},
		{Status: identity.Terminated},
		{Department: "sale"},
		{Owner: "ann"}, {Owner: "Ann"}, {Owner: "a"}, {Owner: "nobody"},
		{Tags: []string{"b"}}, {Tags: []string{"b", "a.b"}}, {Tags: []string{"a.b", "b", "c"}}, {Tags: []string{"c", "c"}}, {Tags: []string{"a"}}, {Tags: []string{"%"}},
		{Owner: "ann", Tags: []string{"b"}}, {Owner: "ann", Tags: []string{"b"}, Prefix: "x"}, {Tags: []string{"c"}, Prefix: "y"},
		{Department: "sales", Owner: "ann", Status: identity.Active}, {Level: identity.VP, Tags: []string{"c"}}, {Status: identity.OnLeave, Tags: []string{"b"}, Owner: "ann"},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(a agent.Agent) bool { return !selects(q, a) })
		for _, limit := range []int{1, 3, 100} {
			w.want(fmt.Sprintf("Agents(%+v) in pages of %d", q, limit), w.agents(q, limit), want)
		}
		keys, err := w.Agents.Keys(w.Context(), agent.Query{
			Department: q.Department, Status: q.Status, Level: q.Level, Owner: q.Owner, Tags: q.Tags,
			After: &agent.Position{OrderKey: "~", ID: "~", Name: "~"}, Limit: 1,
		})
		w.wantNil("Keys", err)
		w.want(fmt.Sprintf("Keys(%+v)", q), keysOf(keys, q.Prefix), keysIn(want))
	}
}

// keysOf returns the keys with a prefix, in order of the ids.
func keysOf(keys []agent.Key, prefix name.Key) []agent.Key {
	keys = slices.DeleteFunc(keys, func(k agent.Key) bool { return !strings.HasPrefix(string(k.Name.Key), string(prefix)) })
	slices.SortFunc(keys, func(a, b agent.Key) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return keys
}

func keysIn(agents []agent.Agent) (keys []agent.Key) {
	for _, a := range agents {
		keys = append(keys, agent.Key{ID: a.ID(), Name: a.Name()})
	}
	return keysOf(keys, "")
}

// agentRecordsOf asks for agents in an order of its own, of which some do not exist.
func agentRecordsOf(w *world) {
	w.createDepartment("Sales")
	var ids []agent.ID
	var want []agent.Record
	for i := range 12 {
		a := w.hire(fmt.Sprintf("a%02d", i), "Sales", large(i))
		ids, want = append(ids, a.ID(), agent.ID(w.id())), append(want, a.Record())
	}
	fired := w.hire("b", "Sales").ID()
	w.fire(fired)
	ids = append(ids, fired)
	slices.Reverse(ids)
	slices.Reverse(want)
	for range 2 { // the second time they may be remembered
		found := shortPages(w, len(want), func(ctx context.Context, last *agent.Record) ([]agent.Record, error) {
			rest := ids
			if last != nil {
				rest = ids[slices.Index(ids, last.ID)+1:]
			}
			return w.Agents.RecordsOf(ctx, rest)
		})
		w.want("all RecordsOf", found, want)
	}
	none, err := w.Agents.RecordsOf(w.Context(), nil)
	w.wantNil("RecordsOf nobody", err)
	w.want("RecordsOf nobody", len(none), 0)
}

// selects reports whether a list with the filters of q has a.
func selects(q agent.Query, a agent.Agent) bool {
	return (q.Department == "" || q.Department == a.Department().Key) &&
		(q.Status == "" || q.Status == a.Identity.Status) &&
		(q.Level == "" || q.Level == a.Identity.Level) &&
		(q.Owner == "" || a.Owner != nil && q.Owner == *a.Owner) &&
		!slices.ContainsFunc(q.Tags, func(tag string) bool { return !slices.Contains(a.Tags, tag) }) &&
		strings.HasPrefix(string(a.Name().Key), string(q.Prefix))
}

func agentPrefixOrder(w *world) {
	w.createDepartment("Sales")
	var want []name.Key
	for _, rest := range []string{"", " ", "_", "b", "B2", "a", "Z", "z0", "é", "e", "ß", "st", "ё", "ｱ", "😀", "𐐀", "\U0010FFFF"} {
		a := w.hire("x"+rest+"!", "Sales")
		want = append(want, a.Name().Key)
	}
	w.hire("w", "Sales")
	w.hire("y", "Sales")
	slices.Sort(want) // by bytes
	for _, limit := range []int{1, 4, 100} {
		var got []name.Key
		for _, a := range w.agents(agent.Query{Prefix: "x"}, limit) {
			got = append(got, a.Name().Key)
		}
		w.want(fmt.Sprintf("names with the prefix x in pages of %d", limit), got, want)
	}
}

func agentPrefixText(w *world) {
	w.createDepartment("Sales")
	titles := []string{`a`, `ab`, `a%`, `a_`, `a.`, `a*`, `a[b]`, `a\`, `a'`, `a"`, `a?`, `^a`, "\U0010FFFFa", "\U0010FFFF\U0010FFFF", "éa", "é"}
	for _, title := range titles {
		w.hire(title, "Sales")
	}
	for _, prefix := range append(titles, "a.*", "A", "^", "\U0010FFFF", "e", "nobody") {
		var got, want []string
		for _, a := range w.agents(agent.Query{Prefix: key(prefix)}, 100) {
			got = append(got, a.Name().Text)
		}
		for _, title := range titles {
			if strings.HasPrefix(string(key(title)), string(key(prefix))) {
				want = append(want, title)
			}
		}
		slices.Sort(want)
		w.want(fmt.Sprintf("names with the prefix %q", prefix), got, want)
	}
}

func agentPages(w *world) {
	w.createDepartment("Sales")
	w.want("Agents of an empty storage", w.agents(agent.Query{}, 1), nil)
	const n = 7
	var want []agent.ID
	for i := range n {
		want = append(want, w.hire(fmt.Sprint("a", i), "Sales").ID())
	}
	for limit := 1; limit <= n+1; limit++ {
		w.want(fmt.Sprintf("Agents in pages of %d", limit), idsOf(w.agents(agent.Query{}, limit)), want)
		w.want(fmt.Sprintf("names in pages of %d", limit), idsOf(w.agents(agent.Query{Prefix: "a"}, limit)), want)
	}
	last := w.agent(want[n-1]).Position()
	w.want("Agents behind the last", w.agentsPage(agent.Query{After: &last, Limit: 5}), nil)
}

// agentCursor changes the list between its pages: the agents that stay where
// they are come exactly once, also behind a row that has gone.
func agentCursor(w *world) {
	w.createDepartment("Sales")
	var stay []agent.ID
	for i := range 12 {
		stay = append(stay, w.hire(fmt.Sprintf("stays %02d", i), "Sales").ID())
	}
	for _, q := range []agent.Query{{Limit: 3}, {Prefix: "stays", Limit: 3}} {
		passing := w.hire("stays 00 and goes", "Sales").ID()
		got := walk(w, q.Limit, func(last *agent.Agent) ([]agent.Agent, error) {
			if last != nil {
				at := last.Position()
				q.After = &at
				w.fire(passing)
				passing = w.hire(last.Name().Text+" and goes", "Sales").ID()
				w.change(last.ID(), `{"metadata":{"now":"`+w.id()+`"}}`)
			}
			return w.agentsPage(q), nil
		})
		w.fire(passing)
		got = slices.DeleteFunc(got, func(a agent.Agent) bool { return !slices.Contains(stay, a.ID()) })
		w.want("Agents while others come and go", idsOf(got), stay)
	}
	at := w.agent(stay[5]).Position()
	w.fire(stay[5])
	rest := w.agentsPage(agent.Query{After: &at, Limit: 100})
	w.want("Agents behind one that has gone", idsOf(rest), stay[6:])
}
