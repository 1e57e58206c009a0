package agent

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/domaintest"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

func TestParseRestoring(t *testing.T) {
	for _, text := range []string{`{}`, `{"name":null,"department":null}`} {
		if in := domaintest.Read(t, ParseRestoring, text); in != (Restoring{}) {
			t.Errorf("ParseRestoring(%s) = %v, want nothing", text, in)
		}
	}
	if in := domaintest.Read(t, ParseRestoring, `{"name":"Bob","department":"Ops"}`); in.Name.Text != "Bob" || in.Department.Text != "Ops" {
		t.Errorf("ParseRestoring = %v, want Bob in Ops", in)
	}
	for _, text := range []string{`{"name":""}`, `{"name":1}`, `{"name":"a/health"}`, `{"department":[]}`, `{"id":"x"}`, `[]`} {
		doc, err := jsondoc.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseRestoring(doc); fault.Of(err) == nil {
			t.Errorf("ParseRestoring(%s) = %v, want a refusal", text, err)
		}
	}
}

// former is an agent that was deleted later than its clock shows now.
func former(t *testing.T) Former {
	_, last := old(t)
	return Former{Last: last, Deletion: last.Fire(on(5)).Deletion()}
}

func TestFireSaysWhoDidIt(t *testing.T) {
	want := Deletion{ID: adaID, Name: "Countess", Department: "Ops", At: on(5).At, By: "root"}
	if got := former(t).Deletion; got != want {
		t.Errorf("Deletion = %+v, want %+v", got, want)
	}
}

func TestRestore(t *testing.T) {
	f := former(t)
	s, err := f.Restore(Restoring{}, because(on(2), "by mistake"))
	if err != nil {
		t.Fatalf("Restore = %v", err)
	}
	want := f.Last
	want.Version, want.Revision, want.UpdatedAt = 3, f.Last.Revision+2, on(6).At // behind the deletion
	if diff := cmp.Diff(want, s.Agent); diff != "" {
		t.Errorf("Restore (-want +got):\n%s", diff)
	}
	v := s.Version
	if v.Number != 3 || v.Text != f.Last.Text || v.RestoredFrom == nil || *v.RestoredFrom != 2 || *v.Reason != "by mistake" || v.SavedBy != "root" {
		t.Errorf("the version = %+v, want the third with the content of the second", v)
	}
	if len(s.Events) != 1 || s.Events[0].Type != activity.Hired || s.Events[0].Description != "rehired as Engineer in Ops" || !s.Events[0].At.Equal(want.UpdatedAt) {
		t.Errorf("the events = %+v, want one rehire", s.Events)
	}
	if c := s.Change; c.Action != audit.AgentRestored || c.FromVersion != 2 || c.ToVersion != 3 || c.Fields != nil || c.Summary != "restored" {
		t.Errorf("the change = %+v", c)
	}
	if s.From != 0 || !s.Effective() || s.Deleted {
		t.Errorf("the step = %+v, want one that makes an agent", s)
	}
}

func TestRestoreAsSomebodyElse(t *testing.T) {
	f := former(t)
	s, err := f.Restore(domaintest.Read(t, ParseRestoring, `{"name":"Eve","department":"Sales"}`), on(9))
	if err != nil {
		t.Fatalf("Restore = %v", err)
	}
	if a := s.Agent; a.ID() != adaID || a.Name().Text != "Eve" || a.Department().Text != "Sales" || s.Version.Content.Name.Text != "Eve" || a.Text != s.Version.Text {
		t.Errorf("Restore = %+v", a)
	}
	if diff := cmp.Diff([]string{"department", "name"}, s.Change.Fields); diff != "" {
		t.Errorf("the fields that changed (-want +got):\n%s", diff)
	}
}

// A name that was given before it was refused is not given again.
func TestRestoreOfAnOldName(t *testing.T) {
	f := former(t)
	f.Last.Identity.Name.Text, f.Last.Identity.Name.Key = "Eng/health", "eng/health"
	if _, err := f.Restore(Restoring{}, on(9)); !errors.Is(err, ErrRestore) {
		t.Errorf("Restore = %v, want ErrRestore", err)
	}
	if _, err := f.Restore(domaintest.Read(t, ParseRestoring, `{"name":"Eve"}`), on(9)); err != nil {
		t.Errorf("Restore with another name = %v", err)
	}
}

func TestPurge(t *testing.T) {
	s := former(t).Purge(because(on(9), "the law"))
	if !s.Deleted || s.Version != nil || s.Events != nil || s.Change.Action != audit.AgentPurged || s.Change.FromVersion != 2 || s.Change.ToVersion != 0 || *s.Change.Reason != "the law" {
		t.Errorf("Purge = %+v", s)
	}
}
