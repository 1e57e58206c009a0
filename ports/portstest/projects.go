package portstest

import (
	"fmt"
	"slices"
	"testing"

	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/project"
	"orgd/ports"
)

// ProjectStore checks the promises of ports.ProjectStore.
func ProjectStore(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"CreateKeepsEverything":        projectCreate,
		"UpdateKeepsEverything":        projectUpdate,
		"UnknownIsNotFound":            projectUnknown,
		"TakenIdIsRefused":             projectTaken,
		"FailedChangeStoresNothing":    projectFailed,
		"NoEffectStoresOnlyTheRecord":  projectNoEffect,
		"UsedKeyIsRefused":             projectUsedKey,
		"EveryStepLeavesItsAuditEntry": projectAudit,
		"DeletedIsGone":                projectDelete,
		"ListFilters":                  projectFilters,
		"PagesWalkEveryProjectOnce":    projectPages,
		"ListEndsByBytes":              projectBytes,
		"CursorSurvivesOtherChanges":   projectCursor,
		"ParallelUpdatesLoseNothing":   projectParallelUpdates,
		"ParallelCreatesOfOneId":       projectParallelCreates,
	})
}

const (
	lead  = "0190a5c4-0000-7000-8000-00000000aaaa"
	other = "0190a5c4-0000-7000-8000-00000000bbbb"
)

// planned sets every field that a new project can have.
const planned = `"description":"é\u0000\n","team":["` + other + `","` + lead + `"],"lead":"` + lead + `",
	"deadline":"2026-12-31T23:59:59.999Z","budget":999999999.999999999`

func (w *world) project(id project.ID) project.Project {
	w.Helper()
	p, err := w.Projects.Project(w.Context(), id)
	w.wantNil("Project", err)
	return p
}

// steer applies a patch to a project that has to exist.
func (w *world) steer(id project.ID, patch string) project.Project {
	w.Helper()
	p, err := w.Projects.Update(w.Context(), id, w.steering(patch, nil))
	w.wantNil("Update", err)
	return p
}

func projectCreate(w *world) {
	for _, p := range []project.Project{w.start("Same name"), w.start("Same name", planned), w.start(" 東京 $ne ")} {
		w.want("Project", w.project(p.ID), p)
	}
}

func projectUpdate(w *world) {
	id := w.start("Launch").ID
	for _, patch := range []string{
		`{` + planned + `,"name":"Ａ","status":"active","task_ids":["b","a","$ne"]}`, `{"deadline":null,"lead":null}`, `{"status":"completed"}`,
	} {
		before, do := w.project(id), w.steering(patch, nil)
		want := must(do(before)).State
		got, err := w.Projects.Update(w.Context(), id, func(p project.Project) (ports.Change[project.Project], error) {
			w.want("the project given to change", p, before)
			return do(p)
		})
		w.wantNil("Update", err)
		w.want("Update", got, want)
		w.want("Project", w.project(id), want)
	}
}

func projectUnknown(w *world) {
	p := w.start("Launch")
	for _, id := range []project.ID{"proj-000000000000", p.ID[:16], p.ID + "0", "%", ""} {
		_, err := w.Projects.Project(w.Context(), id)
		w.wantErr("Project", err, project.ErrNotFound)
		_, err = w.Projects.Update(w.Context(), id, w.steering(`{"name":"x"}`, nil))
		w.wantErr("Update", err, project.ErrNotFound)
	}
}

func projectTaken(w *world) {
	p := w.start("Launch")
	w.wantNothingStored("Create", project.ErrExists, func(r *idempotency.Record) error {
		s := w.starting(p.ID, "Another")
		s.Idempotency = r
		return w.Projects.Create(w.Context(), s)
	})
}

func projectFailed(w *world) {
	id := w.start("Launch").ID
	w.wantNothingStored("Update", errRefused, func(r *idempotency.Record) error {
		do := w.steering(`{"name":"x"}`, r)
		_, err := w.Projects.Update(w.Context(), id, func(p project.Project) (ports.Change[project.Project], error) {
			return must(do(p)), errRefused
		})
		return err
	})
	w.wantNothingStored("Update with an illegal move", project.ErrMove, func(r *idempotency.Record) error {
		_, err := w.Projects.Update(w.Context(), id, w.steering(`{"status":"completed"}`, r))
		return err
	})
}

func projectNoEffect(w *world) {
	id := w.start("Launch", planned).ID
	w.wantOnlyRecord("Update", func(r *idempotency.Record) error {
		_, err := w.Projects.Update(w.Context(), id, w.steering(`{"name":"Launch","lead":"`+lead+`"}`, r))
		return err
	})
}

func projectUsedKey(w *world) {
	w.wantRecordOnce("Create", func(r *idempotency.Record) error {
		n := w.made.Add(1)
		s := w.starting(project.NewID(epoch, uint16(n)), "Launch")
		s.Idempotency = r
		return w.Projects.Create(w.Context(), s)
	})
	id := w.start("Launch").ID
	w.wantRecordOnce("Update", func(r *idempotency.Record) error {
		_, err := w.Projects.Update(w.Context(), id, w.steering(`{"name":"`+w.id()[:20]+`"}`, r))
		return err
	})
}

func projectAudit(w *world) {
	s := w.starting("proj-0123456789ab", "Launch")
	w.wantNil("Create", w.Projects.Create(w.Context(), s))
	want := []audit.Entry{s.Audit}
	for _, do := range []func(project.Project) (ports.Change[project.Project], error){w.steering(`{"status":"active"}`, nil), w.dropping()} {
		want = append([]audit.Entry{must(do(w.project(s.State.ID))).Audit}, want...)
		_, err := w.Projects.Update(w.Context(), s.State.ID, do)
		w.wantNil("Update", err)
	}
	w.want("Entries", w.entries(audit.Project("proj-0123456789ab")), want)
}

func projectDelete(w *world) {
	p, q := w.start("one"), w.start("two")
	_, err := w.Projects.Update(w.Context(), p.ID, w.dropping())
	w.wantNil("Update", err)
	_, err = w.Projects.Project(w.Context(), p.ID)
	w.wantErr("Project", err, project.ErrNotFound)
	_, err = w.Projects.Update(w.Context(), p.ID, w.dropping())
	w.wantErr("Update", err, project.ErrNotFound)
	w.want("Projects", w.projects(project.Query{}, 10), []project.ID{q.ID})
}

func projectParallelUpdates(w *world) {
	const each = 6
	id := w.start("Launch").ID
	errs := atOnce(crowd, func(i int) error {
		for j := range each {
			_, err := w.Projects.Update(w.Context(), id, func(p project.Project) (ports.Change[project.Project], error) {
				tasks := ""
				for _, t := range append(slices.Clone(p.TaskIDs), fmt.Sprintf("%d.%d", i, j)) {
					tasks += "," + quote(t)
				}
				return w.steering(`{"task_ids":[`+tasks[1:]+`]}`, nil)(p)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("Update", errs)
	p := w.project(id)
	w.want("the revision", p.Revision, int64(1+crowd*each))
	w.want("the number of tasks", len(p.TaskIDs), crowd*each)
	w.wantTrail(audit.Project(string(id)), 1+crowd*each, false)
}

func projectParallelCreates(w *world) {
	steps := make([]ports.Change[project.Project], crowd)
	for i := range steps {
		steps[i] = w.starting("proj-0123456789ab", fmt.Sprint("p", i))
	}
	errs := atOnce(crowd, func(i int) error { return w.Projects.Create(w.Context(), steps[i]) })
	if n := w.wantEach("Create", errs, project.ErrExists); n != 1 {
		w.Errorf("%d projects were created under one id, want 1", n)
	}
	i := slices.Index(errs, nil)
	w.want("the project", w.project("proj-0123456789ab"), steps[max(i, 0)].State)
	w.wantTrail(audit.Project("proj-0123456789ab"), 1, false)
}
