package portstest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"orgd/domain/agent"
	"orgd/domain/identity"
)

// IdentityLog checks the promises of ports.IdentityLog.
func IdentityLog(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"VersionsKeepEverything":      identityKeeps,
		"RollbackIsTold":              identityRollback,
		"UnknownVersionIsNotFound":    identityUnknown,
		"PagesWalkEveryVersionOnce":   identityPages,
		"CursorSurvivesNewVersions":   identityCursor,
		"ChangesOutsideMakeNoVersion": identityUnversioned,
		"ListEndsByBytes":             identityBytes,
	})
}

func identityKeeps(w *world) {
	w.createDepartment("Sales")
	s := w.hiring("Bob", "Sales", rich, `"metadata":`+free)
	s.Version.Reason = new("weil $ne \u0000 é")
	w.wantNil("Create", Hire(w.Context(), w.Agents, s))
	id := s.Agent.ID()
	want := []identity.Version{*s.Version}
	for _, patch := range []string{`{"instructions":"new","model":null}`, `{"metadata":{"a.b":null,"$ne":7}}`} {
		step := must(w.changing(patch, nil)(w.agent(id)))
		step.Version.SavedAt = step.Version.SavedAt.Add(time.Millisecond) // kept to the millisecond
		step.Version.SavedBy, step.Version.Imported = "https://idp.example|ann$.é", true
		w.update(id, fixed(step))
		want = append([]identity.Version{*step.Version}, want...)
	}
	w.want("Versions", w.versions(id), want)
	for _, v := range want {
		got, err := w.Identities.Version(w.Context(), id, v.Number)
		w.wantNil("Version", err)
		w.want(fmt.Sprintf("Version(%d)", v.Number), got, v)
	}
}

func identityBytes(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales", large(0)).ID()
	var want []int64
	for i := int64(12); i > 0; i-- {
		if want = append(want, i); i > 1 {
			w.change(id, fmt.Sprintf(`{"description":"%d"}`, i))
		}
	}
	var got []int64
	for _, v := range shortPages(w, len(want), func(ctx context.Context, last *identity.Version) ([]identity.Version, error) {
		var before int64
		if last != nil {
			before = last.Number
		}
		return w.Identities.Versions(ctx, id, before, len(want))
	}) {
		got = append(got, v.Number)
	}
	w.want("all Versions", got, want)
}

func identityRollback(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales", rich).ID()
	w.change(id, `{"name":"Bobby","level":"vp","metadata":{"a":1}}`)
	first := w.versions(id)[1]
	a := w.update(id, w.rollingBack(first, new("was better")))
	w.want("the identity after a rollback", a.Identity, first.Content)
	got := w.versions(id)
	if len(got) != 3 || got[0].RestoredFrom == nil || *got[0].RestoredFrom != 1 || *got[0].Reason != "was better" {
		w.Fatalf("Versions = %d of them, the newest %+v, want the third, restored from 1", len(got), got[0])
	}
	w.want("the hash after a rollback", got[0].Hash, first.Hash)
	_, err := w.Agents.Agent(w.Context(), byName("Bobby"))
	w.wantErr("Agent by the name before the rollback", err, agent.ErrNotFound)
}

func identityUnknown(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	other := agent.ID(w.id())
	for _, number := range []int64{-1, 0, 2, 1 << 62} {
		_, err := w.Identities.Version(w.Context(), id, number)
		w.wantErr(fmt.Sprintf("Version(%d)", number), err, identity.ErrVersionNotFound)
	}
	_, err := w.Identities.Version(w.Context(), other, 1)
	w.wantErr("Version of an unknown agent", err, identity.ErrVersionNotFound)
	w.want("Versions of an unknown agent", w.versions(other), nil)
}

// numbers lists the numbers of an agent's versions, read in pages of limit. At
// every page but the first, between is called.
func (w *world) numbers(id agent.ID, limit int, between func()) []int64 {
	w.Helper()
	var numbers []int64
	for _, v := range walk(w, limit, func(last *identity.Version) ([]identity.Version, error) {
		var before int64
		if last != nil {
			before = last.Number
			between()
		}
		return w.Identities.Versions(w.Context(), id, before, limit)
	}) {
		numbers = append(numbers, v.Number)
	}
	return numbers
}

func identityPages(w *world) {
	w.createDepartment("Sales")
	w.hire("Ann", "Sales")
	id := w.hire("Bob", "Sales").ID()
	for i := range 11 { // 10 comes before 9
		w.change(id, fmt.Sprintf(`{"description":"%d"}`, i))
	}
	want := []int64{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
	for limit := 1; limit <= len(want)+1; limit++ {
		w.want(fmt.Sprintf("Versions in pages of %d", limit), w.numbers(id, limit, func() {}), want)
	}
	for before, want := range map[int64][]int64{1: nil, 2: {1}, 100: {12, 11}} {
		got, err := w.Identities.Versions(w.Context(), id, before, 2)
		w.wantNil("Versions", err)
		var numbers []int64
		for _, v := range got {
			numbers = append(numbers, v.Number)
		}
		w.want(fmt.Sprintf("two Versions before %d", before), numbers, want)
	}
}

func identityCursor(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	for i := range 5 {
		w.change(id, fmt.Sprintf(`{"description":"%d"}`, i))
	}
	got := w.numbers(id, 2, func() { w.change(id, `{"description":"`+w.id()+`"}`) })
	w.want("Versions while new ones come", got, []int64{6, 5, 4, 3, 2, 1})
}

func identityUnversioned(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	a := w.change(id, `{"tier":"small","personality_preset":"p","model_requirement":{"a":1}}`)
	w.want("revision and version", []int64{a.Revision, a.Version}, []int64{2, 1})
	w.want("the number of versions", len(w.versions(id)), 1)
}
