package webhook

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/activity"
	"orgd/domain/domaintest"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

const eventID activity.ID = "0190a1b2-0000-7000-8000-0000000000ee"

// An event has one delivery to each webhook, whoever records it.
func TestDeliver(t *testing.T) {
	w, other := start(t, ""), start(t, "")
	other.ID = "0190a1b2-0000-7000-8000-00000000000b"
	d := w.Deliver(eventID, after(3))
	if !name.IsUUID(string(d.ID)) || d.ID[14] != '8' || !strings.ContainsRune("89ab", rune(d.ID[19])) {
		t.Errorf("id = %s, want a UUID of version 8", d.ID)
	}
	want := Delivery{ID: d.ID, Webhook: hookID, EventID: eventID, CreatedAt: after(3), Status: Pending, Due: after(3), Mark: string(d.ID)}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("Deliver (-want +got):\n%s", diff)
	}
	if again := w.Deliver(eventID, after(9)); again.ID != d.ID {
		t.Errorf("the same delivery has the ids %s and %s", d.ID, again.ID)
	}
	if d.ID == other.Deliver(eventID, after(3)).ID || d.ID == w.Deliver(hookID, after(3)).ID {
		t.Error("different deliveries share an id")
	}
}

// attempts takes d through n attempts with the same result, each as soon as it
// is due, without jitter.
func attempts(d Delivery, n int, r Result) Delivery {
	for range n {
		d = d.Begin(d.Due, "b")
		d = d.Finish(r, d.Due.Add(-Lease), 0.5, "f")
	}
	return d
}

func TestAttempts(t *testing.T) {
	fresh := start(t, "").Deliver(eventID, dawn)
	running := fresh.Begin(after(10), "m1")
	want := fresh
	want.Attempt, want.Begun, want.Due, want.Mark = 1, after(10), after(10).Add(Lease), "m1"
	if diff := cmp.Diff(want, running); diff != "" {
		t.Errorf("Begin (-want +got):\n%s", diff)
	}
	back := running.PutBack(after(11), "m2")
	if back.Attempt != 0 || !back.Due.Equal(after(11)) || back.Status != Pending || back.Mark != "m2" {
		t.Errorf("PutBack = %+v, want no attempt and due at once", back)
	}
	done := running.Finish(Result{Code: 204}, after(12), 0, "m3")
	if done.Status != Delivered || !done.Due.IsZero() || !done.Ended.Equal(after(12)) || done.Last.Code != 204 || done.Attempt != 1 || done.Mark != "m3" {
		t.Errorf("Finish with 204 = %+v, want it delivered", done)
	}
	bad := Result{Code: 500, Failure: BadStatus}
	retried := running.Finish(bad, after(12), 0.5, "m3")
	if retried.Status != Pending || !retried.Due.Equal(after(12).Add(5*time.Second)) || retried.Last != bad || !retried.Ended.IsZero() {
		t.Errorf("Finish with 500 = %+v, want another attempt in 5 s", retried)
	}
	for what, d := range map[string]Delivery{
		"410":               running.Finish(Result{Code: 410, Failure: BadStatus}, after(12), 0, "m"),
		"without its event": running.Finish(Result{Failure: NoEvent}, after(12), 0, "m"),
		"the last attempt":  attempts(fresh, MaxAttempts, bad),
	} {
		if d.Status != Failed || !d.Due.IsZero() || d.Ended.IsZero() {
			t.Errorf("%s = %+v, want it given up", what, d)
		}
		if spent := what == "the last attempt"; d.Spent() != spent {
			t.Errorf("%s: Spent = %t", what, d.Spent())
		}
	}
	if d := attempts(fresh, MaxAttempts-1, bad); d.Status != Pending || d.Spent() {
		t.Errorf("before the last attempt = %+v, want it pending", d)
	}
}

// The waits double, then stay; all of them together take about three days.
func TestSchedule(t *testing.T) {
	want := []time.Duration{
		5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 160 * time.Second, 320 * time.Second,
		640 * time.Second, 1280 * time.Second, 2560 * time.Second, 5120 * time.Second, 10240 * time.Second, 20480 * time.Second,
		6 * time.Hour, 6 * time.Hour, 6 * time.Hour,
	}
	for i, d := range want {
		if got := delay(i+1, 0.5); got != d {
			t.Errorf("wait %d = %v, want %v", i+1, got, d)
		}
		least, most := delay(i+1, 0), delay(i+1, 1)
		if least != d*8/10 || most != d*12/10 {
			t.Errorf("wait %d = %v to %v, want a fifth around %v", i+1, least, most, d)
		}
	}
	if d := delay(1<<40, 0.5); d != 6*time.Hour {
		t.Errorf("a late wait = %v, want 6 h", d)
	}
	fresh := start(t, "").Deliver(eventID, dawn)
	last := attempts(fresh, MaxAttempts, Result{Failure: Timeout})
	if took := last.Ended.Sub(last.Begun); took < 71*time.Hour || took > 72*time.Hour {
		t.Errorf("all attempts take %v, want 71 to 72 h", took)
	}
}

// A test is tried once and nothing comes of it; its event looks like any other.
func TestProbe(t *testing.T) {
	w := start(t, "")
	d, err := w.Probe(eventID, dawn)
	if err != nil || !d.Test {
		t.Fatalf("Probe = %+v, %v, want a test", d, err)
	}
	d = d.Begin(dawn, "m").Finish(Result{Failure: Timeout}, after(1), 0, "m")
	if d.Status != Failed || d.Spent() {
		t.Errorf("a failed test = %+v, want it failed and not spent", d)
	}
	if _, err := w.Disable(Gone, dawn).Probe(eventID, dawn); !errors.Is(err, ErrDisabled) || domaintest.Code(err) != 4000 {
		t.Errorf("Probe of a disabled webhook = %v, want ErrDisabled", err)
	}
	body := string(w.Message(activity.Logged{Event: d.TestEvent()}, after(1)).Body)
	const want = `{"id":"` + string(eventID) + `","event_type":"tool_used","timestamp":"2026-01-31T23:59:59.999Z",` +
		`"agent_id":"00000000-0000-0000-0000-000000000000","agent_name":"Webhook test","description":"A test of the webhook: nothing has happened.",` +
		`"related_ids":{"agent_id":"00000000-0000-0000-0000-000000000000","tool":"webhook_test","webhook":"` + hookID + `"},"data":{"success":true,"tool":"webhook_test"}}`
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("the body of a test (-want +got):\n%s", diff)
	}
}

// A delivery that is asked for again begins anew.
func TestAgain(t *testing.T) {
	w := start(t, "")
	fresh := w.Deliver(eventID, dawn)
	for what, d := range map[string]Delivery{
		"pending":   fresh,
		"running":   fresh.Begin(after(1), "b"),
		"delivered": fresh.Begin(after(1), "b").Finish(Result{Code: 200}, after(2), 0, "f"),
		"failed":    attempts(fresh, MaxAttempts, Result{Code: 500, Failure: BadStatus}),
	} {
		want := fresh
		want.Due, want.Mark = after(9), "again"
		got, err := w.Again(d, after(9), "again")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Again of one that is %s = %v (-want +got):\n%s", what, err, diff)
		}
	}
	if _, err := w.Disable(Gone, dawn).Again(fresh, dawn, "m"); !errors.Is(err, ErrDisabled) {
		t.Errorf("Again on a disabled webhook = %v, want ErrDisabled", err)
	}
}

func TestMessage(t *testing.T) {
	w := start(t, "")
	data := jsondoc.Object(`{"a":1}`)
	e := activity.Event{ID: eventID, Type: activity.Hired, At: dawn, AgentID: hookID, AgentName: "Ann", Description: "d", Related: `{"actor":"x"}`, Data: &data}
	m := w.Message(activity.Logged{Event: e}, after(5))
	const body = `{"id":"` + string(eventID) + `","event_type":"hired","timestamp":"2026-01-31T23:59:59.999Z","agent_id":"` + hookID + `",` +
		`"agent_name":"Ann","description":"d","related_ids":{"actor":"x","agent_id":"` + hookID + `"},"data":{"a":1}}`
	s := secret(1)
	want := Message{
		URL: "https://example.com/hook", ID: string(eventID), At: after(5), Body: []byte(body),
		Signature: sign(s[:], []byte(string(eventID)+".1769904000."+body)),
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("Message (-want +got):\n%s", diff)
	}
}

func TestDeliveryShown(t *testing.T) {
	fresh := start(t, "").Deliver(eventID, dawn)
	head := `{"id":"` + string(fresh.ID) + `","event_id":"` + string(eventID) + `",`
	const tail = `,"created_at":"2026-01-31T23:59:59.999Z"}`
	for _, tt := range []struct {
		d    Delivery
		want string
	}{
		{fresh, `"attempt":0,"status":"pending","response_code":null,"error":null,"next_attempt_at":"2026-01-31T23:59:59.999Z"`},
		{attempts(fresh, 1, Result{Code: 503, Failure: BadStatus}), `"attempt":1,"status":"pending","response_code":503,"error":"status","next_attempt_at":"2026-02-01T00:00:04.999Z"`},
		{attempts(fresh, 1, Result{Code: 200}), `"attempt":1,"status":"delivered","response_code":200,"error":null,"next_attempt_at":null`},
		{attempts(fresh, MaxAttempts, Result{Failure: NoName}), `"attempt":24,"status":"failed","response_code":null,"error":"dns","next_attempt_at":null`},
	} {
		w := jsondoc.NewWriter(nil)
		w.Open()
		tt.d.Write(w)
		w.Close()
		if diff := cmp.Diff(head+tt.want+tail, string(w.Bytes())); diff != "" {
			t.Errorf("Write (-want +got):\n%s", diff)
		}
	}
	if p := fresh.Position(); p != (Position{dawn, fresh.ID}) {
		t.Errorf("Position = %+v", p)
	}
}
