package audit

import (
	"testing"
	"time"
)

func TestResources(t *testing.T) {
	for _, tc := range []struct{ got, want Resource }{
		{Company, "company"},
		{Agent("a-1"), "agents/a-1"},
		{Department("Ops"), "departments/Ops"},
		{Project("proj-1"), "projects/proj-1"},
		{Session("s-1"), "sessions/s-1"},
	} {
		if tc.got != tc.want {
			t.Errorf("resource = %q, want %q", tc.got, tc.want)
		}
	}
}

func TestPosition(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	if got, want := (Entry{ID: "e-1", At: at}).Position(), (Position{At: at, ID: "e-1"}); got != want {
		t.Errorf("Position = %+v, want %+v", got, want)
	}
	if Kept != 400*24*time.Hour {
		t.Errorf("Kept = %v, want 400 days", Kept)
	}
}
