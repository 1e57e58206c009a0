package activity

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func testCause() Cause {
	made := 0
	newID := func() string {
		made++
		return fmt.Sprintf("id-%d", made)
	}
	return Cause{At: time.Date(2026, 1, 31, 12, 0, 0, 7e6, time.UTC), By: `ada "the admin"`, IDs: &IDs{New: newID}}
}

func TestRecord(t *testing.T) {
	on := testCause()
	r := on.Record("agent-1", "Grace", 4)
	r.Promoted("mid", "senior")
	r.StatusChanged("terminated", "active")
	r.Onboarded("terminated", "active")
	r.Rehired("Engineer", "Platform")

	event := func(id ID, t Type, description, metadata string) Event {
		return Event{
			ID: id, Type: t, At: on.At, AgentID: "agent-1", AgentName: "Grace", Description: description,
			Related: `{"actor":"ada \"the admin\""}`, By: on.By, Metadata: object(metadata),
		}
	}
	want := []Event{
		event("id-1", Hired, "rehired as Engineer in Platform", `{"version":"4"}`),
		event("id-2", Onboarded, "onboarded, from terminated to active",
			`{"from":"terminated","to":"active","version":"4"}`),
		event("id-3", StatusChanged, "status changed from terminated to active",
			`{"from":"terminated","to":"active","version":"4"}`),
		event("id-4", Promoted, "promoted from mid to senior", `{"from":"mid","to":"senior","version":"4"}`),
	}
	if diff := cmp.Diff(want, r.Events()); diff != "" {
		t.Errorf("Events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, r.Events()); diff != "" {
		t.Errorf("Events called again (-want +got):\n%s", diff)
	}
}

func TestRecordDescriptions(t *testing.T) {
	for want, record := range map[string]func(*Record){
		"hired as Engineer in Platform":              func(r *Record) { r.Hired("Engineer", "Platform") },
		"onboarded on hiring, status active":         func(r *Record) { r.Onboarded("", "active") },
		"hired with status on_leave":                 func(r *Record) { r.StatusChanged("", "on_leave") },
		"offboarded on hiring, status terminated":    func(r *Record) { r.Offboarded("", "terminated") },
		"offboarded, from active to terminated":      func(r *Record) { r.Offboarded("active", "terminated") },
		"status changed from active to on_leave":     func(r *Record) { r.StatusChanged("active", "on_leave") },
		"demoted from senior to mid":                 func(r *Record) { r.Demoted("senior", "mid") },
		"fired as Engineer in Platform":              func(r *Record) { r.Fired("Engineer", "Platform") },
		"onboarded, from onboarding to active":       func(r *Record) { r.Onboarded("onboarding", "active") },
		"rehired as Engineer in Platform":            func(r *Record) { r.Rehired("Engineer", "Platform") },
		"promoted from junior to c_suite":            func(r *Record) { r.Promoted("junior", "c_suite") },
		"status changed from onboarding to active":   func(r *Record) { r.StatusChanged("onboarding", "active") },
		"status changed from terminated to active":   func(r *Record) { r.StatusChanged("terminated", "active") },
		"offboarded, from on_leave to terminated":    func(r *Record) { r.Offboarded("on_leave", "terminated") },
		"status changed from on_leave to terminated": func(r *Record) { r.StatusChanged("on_leave", "terminated") },
	} {
		r := testCause().Record("agent-1", "Grace", 1)
		record(r)
		if got := r.Events()[0].Description; got != want {
			t.Errorf("description = %q, want %q", got, want)
		}
	}
}

func TestRecordOfNothing(t *testing.T) {
	if got := (Cause{}).Record("agent-1", "Grace", 1).Events(); len(got) != 0 {
		t.Errorf("Events = %v, want none", got)
	}
}

func TestRecordWithoutSubject(t *testing.T) {
	on := testCause()
	on.By = ""
	r := on.Record("agent-1", "Grace", 1)
	r.Hired("Engineer", "Platform")
	if got := r.Events()[0].Related; got != "" {
		t.Errorf("Related = %q, want the empty object", got)
	}
}
