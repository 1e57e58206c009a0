package portstest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"orgd/domain/identity"
	"orgd/domain/project"
)

// projects lists the ids of projects in pages of limit.
func (w *world) projects(q project.Query, limit int) []project.ID {
	w.Helper()
	q.Limit = limit
	var ids []project.ID
	for _, p := range walk(w, limit, func(last *project.Project) ([]project.Project, error) {
		if last != nil {
			q.After = last.ID
		}
		return w.Projects.Projects(w.Context(), q)
	}) {
		ids = append(ids, p.ID)
	}
	return ids
}

func projectBytes(w *world) {
	var want []project.Project
	for i := range 24 {
		want = append(want, w.steer(w.start("a").ID, `{"task_ids":`+longTexts(i)+`}`))
	}
	w.want("all Projects", shortPages(w, len(want), func(ctx context.Context, last *project.Project) ([]project.Project, error) {
		q := project.Query{Limit: len(want)}
		if last != nil {
			q.After = last.ID
		}
		return w.Projects.Projects(ctx, q)
	}), want)
}

func projectFilters(w *world) {
	a := w.start("a", planned).ID
	b := w.start("b").ID
	c := w.start("c", planned).ID
	w.steer(c, `{"status":"active","lead":"`+other+`"}`)
	w.steer(b, `{"status":"active","lead":"`+lead+`","team":["`+other+`"]}`)
	of := func(id identity.ID) *identity.ID { return &id }
	for _, tt := range []struct {
		q    project.Query
		want []project.ID
	}{
		{project.Query{}, []project.ID{a, b, c}},
		{project.Query{Status: project.Active}, []project.ID{b, c}},
		{project.Query{Status: project.OnHold}, nil},
		{project.Query{Lead: of(lead)}, []project.ID{a, b}},
		{project.Query{Lead: of(other), Status: project.Active}, []project.ID{c}},
		{project.Query{Lead: of("")}, nil},
		{project.Query{Lead: of("0190a5c4-0000-7000-8000-00000000cccc")}, nil},
	} {
		for _, limit := range []int{1, 2, 10} {
			w.want(fmt.Sprintf("Projects(%+v) in pages of %d", tt.q, limit), w.projects(tt.q, limit), tt.want)
		}
	}
}

func projectPages(w *world) {
	w.want("Projects of an empty storage", w.projects(project.Query{}, 1), nil)
	var want []project.ID
	for i := range 6 { // the latest first, so that neither age nor name is the order
		s := w.starting(project.NewID(epoch.Add(-time.Duration(i/2)*time.Hour), uint16(i)), fmt.Sprint("p", i))
		w.wantNil("Create", w.Projects.Create(w.Context(), s))
		want = append(want, s.State.ID)
	}
	slices.Sort(want)
	for limit := 1; limit <= len(want)+1; limit++ {
		w.want(fmt.Sprintf("Projects in pages of %d", limit), w.projects(project.Query{}, limit), want)
	}
	w.want("Projects behind the last", w.projects(project.Query{After: want[5]}, 10), nil)
}

func projectCursor(w *world) {
	var want []project.ID
	for range 6 {
		want = append(want, w.start("stays").ID)
	}
	drop := func(id project.ID) {
		_, err := w.Projects.Update(w.Context(), id, w.dropping())
		w.wantNil("Update", err)
	}
	passing := w.start("goes").ID
	got := walk(w, 2, func(last *project.Project) ([]project.Project, error) {
		q := project.Query{Limit: 2}
		if last != nil {
			q.After = last.ID
			drop(passing)
			passing = w.start("goes").ID
		}
		return w.Projects.Projects(w.Context(), q)
	})
	got = slices.DeleteFunc(got, func(p project.Project) bool { return p.Name == "goes" })
	w.want("the number of projects while others come and go", len(got), len(want))
	for i, p := range got {
		w.want("a project while others come and go", p.ID, want[i])
	}
	drop(passing)
	drop(want[2])
	w.want("Projects behind one that has gone", w.projects(project.Query{After: want[2]}, 10), want[3:])
}
