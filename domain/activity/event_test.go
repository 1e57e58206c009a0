package activity

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/jsondoc"
)

const someID = "01890a5d-ac96-774b-bcce-b302099a8057"

func TestParseID(t *testing.T) {
	for _, s := range []string{someID, "01890A5D-AC96-774B-BCCE-B302099A8057"} {
		if got, err := ParseID(s); got != someID || err != nil {
			t.Errorf("ParseID(%q) = %q, %v, want %q, nil", s, got, err, someID)
		}
	}
	for _, s := range []string{"", "x", someID + "0", "{" + someID + "}", "01890a5dac96774bbcceb302099a8057"} {
		if _, err := ParseID(s); !errors.Is(err, ErrID) {
			t.Errorf("ParseID(%q) = %v, want ErrID", s, err)
		}
	}
}

func TestPositionCompare(t *testing.T) {
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	want := []Position{
		{At: noon.Add(time.Millisecond), ID: "a"},
		{At: noon, ID: "c"},
		{At: noon, ID: "b"},
		{At: noon.Add(-time.Millisecond), ID: "d"},
	}
	got := []Position{want[2], want[0], want[3], want[1]}
	slices.SortFunc(got, Position.Compare)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("feed order (-want +got):\n%s", diff)
	}
	if c := want[0].Compare(want[0]); c != 0 {
		t.Errorf("Compare with itself = %d, want 0", c)
	}
	e := Event{ID: "c", At: noon}
	if got := e.Position(); got != want[1] {
		t.Errorf("Position = %v, want %v", got, want[1])
	}
}

// An event is shown with what the interface lists of it, in its order.
func TestShown(t *testing.T) {
	data := jsondoc.Object(`{"tokens":7}`)
	e := Event{
		ID: "0190a5c4-0000-7000-8000-000000000001", Type: ToolUsed, At: time.UnixMilli(1_700_000_000_123).UTC(),
		AgentID: "0190a5c4-0000-7000-8000-000000000002", AgentName: "Grace", Description: "said \"hi\"",
		Related: `{"task":"t"}`, Data: &data, By: "somebody", Metadata: `{"from":"x"}`,
	}
	want := Encoded{Position{e.At, e.ID}, `{"id":"0190a5c4-0000-7000-8000-000000000001","event_type":"tool_used",` +
		`"timestamp":"2023-11-14T22:13:20.123Z","agent_id":"0190a5c4-0000-7000-8000-000000000002","agent_name":"Grace",` +
		`"description":"said \"hi\"","related_ids":{"agent_id":"0190a5c4-0000-7000-8000-000000000002","task":"t"},"data":{"tokens":7}}`}
	if got := e.Encoded(); got != want {
		t.Errorf("Shown = %v, want %v", got, want)
	}
	e.Description = strings.Repeat("x", 2*usualLength)
	long := strings.Replace(want.Text, `said \"hi\"`, e.Description, 1)
	if got := e.Encoded().Text; got != long {
		t.Errorf("Shown of a long event = %s, want %s", got, long)
	}
}

// An event says what it is about, also if nothing was reported but its data.
func TestEventsSayWhatTheyAreAbout(t *testing.T) {
	const agentID = "0190a5c4-0000-7000-8000-000000000002"
	for _, c := range []struct {
		kind                            Type
		data, related, description, ids string
	}{
		{TaskStarted, `{"task_id":"t-1"}`, `{}`, "started task t-1", `"task_id":"t-1"`},
		{TaskCompleted, `{"success":true,"task_id":"t-1"}`, `{}`, "completed task t-1", `"task_id":"t-1"`},
		{TaskCompleted, `{"success":false,"task_id":"t-1"}`, `{}`, "failed in task t-1", `"task_id":"t-1"`},
		{CostIncurred, `{"amount":0.250}`, `{}`, "incurred a cost of 0.25", ``},
		{CostIncurred, `{"amount":2,"model":"large"}`, `{}`, "incurred a cost of 2 with large", ``},
		{ToolUsed, `{"success":true,"tool":"git"}`, `{}`, "used tool git", `"tool":"git"`},
		{ToolUsed, `{"success":false,"tool":"git"}`, `{"tool":"mine"}`, "used tool git without success", `"tool":"mine"`},
		{DelegationSent, `{"counterpart":"Bob","task_id":"t"}`, `{"task_id":"own"}`, "delegated task t to Bob", `"task_id":"own"`},
		{DelegationReceived, `{"task_id":"t"}`, `{}`, "received task t", `"task_id":"t"`},
	} {
		v, err := jsondoc.Parse([]byte(c.data))
		if err != nil {
			t.Fatal(err)
		}
		data, _ := v.Object()
		e := Event{Type: c.kind, AgentID: agentID, Related: jsondoc.Object(c.related), Data: &data}
		text := e.Encoded().Text
		ids := strings.TrimSuffix(`"related_ids":{"agent_id":"`+agentID+`",`+c.ids, ",") + `}`
		if !strings.Contains(text, `"description":"`+c.description+`"`) || !strings.Contains(text, ids) {
			t.Errorf("%s %s = %s, want %q and %s", c.kind, c.data, text, c.description, ids)
		}
	}
}

func TestParseWindow(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for s, want := range map[string]time.Time{
		"24":  time.Date(2026, 1, 30, 12, 0, 0, 0, time.UTC),
		"48":  time.Date(2026, 1, 29, 12, 0, 0, 0, time.UTC),
		"168": time.Date(2026, 1, 24, 12, 0, 0, 0, time.UTC),
	} {
		w, err := ParseWindow(s)
		if err != nil {
			t.Errorf("ParseWindow(%q) = %v, want nil", s, err)
		}
		if got := w.Since(now); !got.Equal(want) {
			t.Errorf("Since with window %s = %v, want %v", s, got, want)
		}
	}
	for _, s := range []string{"", "0", "24.0", "+24", "024", "72", "24h"} {
		if _, err := ParseWindow(s); !errors.Is(err, ErrWindow) {
			t.Errorf("ParseWindow(%q) = %v, want ErrWindow", s, err)
		}
	}
	if got := Window(0).Since(now); !got.IsZero() {
		t.Errorf("Window(0).Since = %v, want the zero time", got)
	}
}
