package faults

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/google/go-cmp/cmp"

	"orgd/test/api"
)

// auditView is what the tests look at of the audit trail.
type auditView struct {
	Resource string `json:"resource"`
	From     *int64 `json:"revision_from"`
	To       *int64 `json:"revision_to"`
}

// inspector compares what the service has with what clients were promised. It
// keeps what it finds wrong.
type inspector struct {
	ctx      context.Context
	c        *api.Client
	problems []string
}

func (i *inspector) problem(format string, args ...any) {
	i.problems = append(i.problems, fmt.Sprintf(format, args...))
}

// inspect compares all lists, and every record that was touched since the last
// time in all its parts. It returns what is wrong.
func inspect(ctx context.Context, c *api.Client, crew []*worker) []string {
	i := &inspector{ctx: ctx, c: c}
	i.lists(crew)
	for _, w := range crew {
		i.records(w)
	}
	return i.problems
}

// all reads a whole list.
func all[T any](i *inspector, path string) []T { return selected[T](i, path, nil) }

// selected reads the part of a list that a query selects.
func selected[T any](i *inspector, path string, query url.Values) []T {
	list, err := api.All[T](i.ctx, i.c, path, query)
	if err != nil {
		i.problem("%v", err)
	}
	return list
}

// lists compares all that is there: nothing that was promised may be missing or
// look otherwise, and nothing may be there that nobody asked for.
func (i *inspector) lists(crew []*worker) {
	agents := map[string]string{}
	things := map[string]map[string]string{"departments": {department: "1 "}, "projects": {}}
	for _, w := range crew {
		for _, r := range w.agents {
			if now := r.now(); !r.deleted {
				agents[now.Name] = fmt.Sprint(r.id, len(r.versions), r.revision(), now.Department, now.Level, now.Description)
			}
		}
		for _, r := range slices.Concat(w.departments, w.projects) {
			if !r.deleted {
				things[r.kind][r.name] = fmt.Sprint(r.revision, " ", r.description)
			}
		}
	}
	got := map[string]string{}
	for _, a := range all[agentView](i, "/agents") {
		got[a.Name] = fmt.Sprint(a.ID, a.Version, a.Revision, a.Department, a.Level, a.Description)
	}
	i.same("agents", got, agents)
	for kind, want := range things {
		got := map[string]string{}
		for _, v := range all[thingView](i, "/"+kind) {
			got[v.Name] = fmt.Sprint(v.Revision, " ", v.Description)
		}
		i.same(kind, got, want)
	}
}

// get reads one resource.
func (i *inspector) get(path string, dst any) {
	if _, err := i.c.Get(i.ctx, path, dst); err != nil {
		i.problem("%v", err)
	}
}

func (i *inspector) same(what string, got, want any) {
	if diff := cmp.Diff(want, got); diff != "" {
		i.problem("%s differ (-promised +found):\n%s", what, diff)
	}
}

// records looks into what changed since the last time: whether a change has
// left all its parts behind, and no part twice.
func (i *inspector) records(w *worker) {
	for r := range w.touched {
		switch r := r.(type) {
		case *agentRecord:
			i.agent(r)
		case *thing:
			i.trail(r.path(), r.kind+"/"+r.id, r.revision, r.deleted)
		}
	}
	clear(w.touched)
}

// moveView is what the tests look at of the history of a label. A version of 0 is none.
type moveView struct {
	Version int64 `json:"version"`
	From    int64 `json:"from_version"`
}

// label compares the history of an agent's label, and what it names.
func (i *inspector) label(r *agentRecord) {
	if len(r.moves) == 0 {
		return
	}
	var want []moveView
	from := int64(0)
	for _, to := range r.moves {
		want = append(want, moveView{to, from})
		from = to
	}
	path := api.Path("agents", r.id, "labels", label)
	if r.deleted {
		want = append(want, moveView{0, from})
	} else {
		var now moveView
		i.get(path, &now)
		i.same("what the label of "+r.now().Name+" names", now.Version, from)
	}
	got := all[moveView](i, path+"/history")
	slices.Reverse(got)
	i.same("the moves of the label of "+r.now().Name, got, want)
}

// agent compares versions, label, events, figures and audit trail of one agent.
func (i *inspector) agent(r *agentRecord) {
	var got []content
	for n, v := range all[versionView](i, api.Path("agents", r.id, "versions")) {
		if want := int64(len(r.versions) - n); v.Number != want {
			i.problem("%s: version %d stands where %d should", r.now().Name, v.Number, want)
		}
		c := content{Name: v.Snapshot.Name, Department: v.Snapshot.Department, Level: v.Snapshot.Level, Description: v.Snapshot.Description}
		if v.RestoredFrom != nil {
			c.restoredFrom = *v.RestoredFrom
		}
		got = append(got, c)
	}
	slices.Reverse(got)
	if !slices.Equal(got, r.versions) {
		i.problem("%s: has the versions %v, promised %v", r.now().Name, got, r.versions)
	}
	i.label(r)
	i.career(r)
	i.reports(r)
	i.trail("agent "+r.now().Name, "agents/"+r.id, r.revision(), r.deleted)
}

// career checks that each change has told its events, in order.
func (i *inspector) career(r *agentRecord) {
	want := []string{"hired", "onboarded"}
	for n, v := range r.versions[1:] {
		switch by := slices.Index(levels, v.Level) - slices.Index(levels, r.versions[n].Level); {
		case by > 0:
			want = append(want, "promoted")
		case by < 0:
			want = append(want, "demoted")
		}
	}
	if r.deleted {
		want = append(want, "fired")
	}
	var list []eventView
	i.get(api.Path("agents", r.id, "history"), &list)
	var got []string
	for _, e := range list {
		got = append(got, e.Type)
	}
	if !slices.Equal(got, want) {
		i.problem("%s: has the career %v, want %v", r.now().Name, got, want)
	}
}

// reports checks that the feed has each reported event once, and that the
// figures have counted it once.
func (i *inspector) reports(r *agentRecord) {
	var got []string
	for _, e := range all[eventView](i, api.Path("agents", r.id, "activity")) {
		if e.Type == "task_completed" {
			got = append(got, e.ID)
		}
	}
	want := slices.Clone(r.events)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		i.problem("%s: the feed has %d reported events, promised %d, and they differ", r.now().Name, len(got), len(want))
	}
	if r.deleted {
		return // its figures are gone
	}
	var p struct {
		Total int `json:"tasks_completed_total"`
	}
	i.get(api.Path("agents", r.id, "performance"), &p)
	if p.Total != len(want) {
		i.problem("%s: the figures count %d tasks, promised %d", r.now().Name, p.Total, len(want))
	}
}

// trail checks that the audit trail has each revision once.
func (i *inspector) trail(what, resource string, revision int64, deleted bool) {
	want := []string{"none to 1"}
	for n := range revision - 1 {
		want = append(want, fmt.Sprintf("%d to %d", n+1, n+2))
	}
	if deleted {
		want = append(want, fmt.Sprintf("%d to none", revision))
	}
	var got []string
	for _, e := range selected[auditView](i, "/audit", url.Values{"resource": {resource}}) {
		got = append(got, orNone(e.From)+" to "+orNone(e.To))
	}
	slices.Reverse(got) // the oldest first
	if !slices.Equal(got, want) {
		i.problem("%s: has the audit trail %v, want %v", what, got, want)
	}
}

func orNone(revision *int64) string {
	if revision == nil {
		return "none"
	}
	return fmt.Sprint(*revision)
}

// strangers looks for parts of changes that nobody was promised and that no
// list of things shows: events and audit entries of what was never there.
func strangers(ctx context.Context, c *api.Client, crew []*worker) []string {
	i := &inspector{ctx: ctx, c: c}
	resources := map[string]bool{"departments/" + department: true, "activities": true}
	for _, w := range crew {
		for _, r := range w.agents {
			resources["agents/"+r.id] = true
		}
		for _, r := range slices.Concat(w.departments, w.projects) {
			resources[r.kind+"/"+r.id] = true
		}
	}
	for _, e := range all[auditView](i, "/audit") {
		if !resources[e.Resource] {
			i.problem("audit entry of %s, which was never there", e.Resource)
		}
	}
	for _, e := range all[eventView](i, "/activities") {
		if !resources["agents/"+e.AgentID] {
			i.problem("%s event of agent %s, who was never there", e.Type, e.AgentID)
		}
	}
	return i.problems
}
