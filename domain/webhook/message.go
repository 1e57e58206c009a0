package webhook

import (
	"time"

	"orgd/domain/activity"
	"orgd/domain/jsondoc"
)

// Message is what is sent in one attempt.
type Message struct {
	URL     string
	Allowed Policy // beside what is allowed where it is sent from
	// ID is that of the event: the same in every attempt, so that a receiver
	// can tell what it has already.
	ID        string
	At        time.Time // of the attempt
	Signature string
	Body      []byte // JSON
}

// Message returns the message of an attempt at a time to deliver an event or a change to w.
func (w Webhook) Message(e activity.Logged, at time.Time) Message {
	out := jsondoc.NewWriter(make([]byte, 0, 512))
	e.Write(out)
	body := out.Bytes()
	id := e.LogID()
	return Message{URL: w.URL, Allowed: w.Allowed, ID: id, At: at, Signature: w.Secrets.Sign(id, at, body), Body: body}
}

// nobody is the agent of events that did not happen.
const nobody = "00000000-0000-0000-0000-000000000000"

// TestEvent is the event of a test: it did not happen, is in no feed, and is of
// a type that changes nothing for anybody who takes it for true.
func (d Delivery) TestEvent() activity.Event {
	data := jsondoc.Object(`{"success":true,"tool":"webhook_test"}`)
	return activity.Event{
		ID: d.EventID, Type: activity.ToolUsed, At: d.CreatedAt, AgentID: nobody, AgentName: "Webhook test",
		Description: "A test of the webhook: nothing has happened.",
		Related:     jsondoc.Object(`{"webhook":"` + string(d.Webhook) + `"}`), Data: &data,
	}
}
