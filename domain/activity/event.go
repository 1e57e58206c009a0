package activity

import (
	"strings"
	"time"

	"orgd/domain/audit"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// ErrID is a text that is no event id.
var ErrID = fault.New(fault.RequestValidation, "not an event id")

// ID identifies an event for ever: a UUID in lower-case text form. Ids made by
// the service are UUIDv7, so that they ascend with time; a client that reports
// an event may bring any UUID.
type ID string

// ParseID reads a UUID of the form 8-4-4-4-12 in either letter case, or returns
// [ErrID].
func ParseID(s string) (ID, error) {
	if !name.IsUUID(s) {
		return "", ErrID.With("id: must be a UUID")
	}
	return ID(strings.ToLower(s)), nil
}

// Event is one thing that happened to one agent or that one agent did. It never
// changes after it is stored.
//
// The feed shows ID, Type, At, AgentID, AgentName, Description, Related and
// Data. The career shows Type, At, Description, By and Metadata.
type Event struct {
	ID   ID
	Type Type
	// At is when it happened, in UTC and whole milliseconds.
	At time.Time
	// AgentID is the agent's id; the agent may be deleted since.
	AgentID string
	// AgentName is the agent's name at the time of the event, as written.
	AgentName string
	// Description is one line for people, at most [MaxDescription] code points. If it is
	// empty the feed shows one that is made of the data.
	Description string
	// Related names the other things involved: an object from string to string
	// in canonical form. Lifecycle events carry the key "actor", which is By. The feed
	// shows the agent, the task and the tool of the event itself beside them.
	Related jsondoc.Object
	// Data is what a client reported beside it, an object of at most [MaxData]
	// bytes, or nil. Lifecycle events have none.
	Data *jsondoc.Object
	// By is the subject that made the change; empty for runtime types.
	By string
	// Metadata are the details of a lifecycle event: an object from string to
	// string in canonical form, with the keys "from", "to" and "version" where
	// they apply. It is empty for runtime types.
	Metadata jsondoc.Object
}

// Write writes what the feed shows of e, an object.
func (e Event) Write(w *jsondoc.Writer) {
	w.Open()
	w.Field("id").Text(string(e.ID))
	w.Field("event_type").Text(string(e.Type))
	w.Field("timestamp").Time(e.At)
	w.Field("agent_id").Text(e.AgentID)
	w.Field("agent_name").Text(e.AgentName)
	w.Field("description").Text(e.description())
	w.Field("related_ids").Free(e.related())
	w.Field("data").FreeOrNull(e.Data)
	w.Close()
}

// related returns Related together with what the event itself names: its agent, and the
// task or tool of its data. What a client reported stays as it is.
func (e Event) related() jsondoc.Object {
	return pairs("agent_id", e.AgentID, "task_id", e.datum("task_id"), "tool", e.datum("tool")).Merge(e.Related.Value())
}

// description returns Description, or a line of what Data says if that is empty.
func (e Event) description() string {
	if e.Description != "" || e.Data == nil {
		return e.Description
	}
	return describe(e.Type, e.datum)
}

// datum is a member of the data as text: a string as it is, another value as JSON, "" if it
// is absent or null.
func (e Event) datum(name string) string {
	if e.Data == nil {
		return ""
	}
	v, ok := e.Data.Value().Get(name)
	switch {
	case !ok || v.IsNull():
		return ""
	case v.Kind() == jsondoc.KindString:
		return v.Text()
	}
	return string(v.Append(nil))
}

// describe says in a line what happened, by the data of a runtime type.
func describe(t Type, datum func(string) string) string {
	failed := datum("success") == "false"
	with := func(text, word, name string) string {
		if value := datum(name); value != "" {
			return text + word + value
		}
		return text
	}
	switch t {
	case TaskStarted:
		return "started task " + datum("task_id")
	case TaskCompleted:
		if failed {
			return "failed in task " + datum("task_id")
		}
		return "completed task " + datum("task_id")
	case CostIncurred:
		return with("incurred a cost of "+datum("amount"), " with ", "model")
	case ToolUsed:
		if failed {
			return "used tool " + datum("tool") + " without success"
		}
		return "used tool " + datum("tool")
	case DelegationSent:
		return with("delegated task "+datum("task_id"), " to ", "counterpart")
	case DelegationReceived:
		return with("received task "+datum("task_id"), " from ", "counterpart")
	}
	return ""
}

// Encoded is an event as the feed shows it: far more often than it is stored, so
// stores may keep it like this.
type Encoded struct {
	Position
	Text string // the JSON that [Event.Write] writes
}

// Size implements [page.Row].
func (s Encoded) Size() int { return len(s.Text) }

// usualLength is more than most events take in bytes.
const usualLength = 512

// Encoded returns what the feed shows of e.
func (e Event) Encoded() Encoded {
	w := jsondoc.NewWriter(make([]byte, 0, usualLength))
	e.Write(w)
	return Encoded{e.Position(), string(w.Bytes())}
}

// Position is the event's position in the feed.
func (e Event) Position() Position { return Position{At: e.At, ID: e.ID} }

// Position is where a reader of a feed is. Feeds show the newest event first, and of
// events at the same time the one with the greatest id.
type Position struct {
	At time.Time
	ID ID
}

// Compare is negative, zero or positive as a feed shows p before q, at the same
// position, or after q. The career of an agent is in the opposite order.
func (p Position) Compare(q Position) int {
	if c := q.At.Compare(p.At); c != 0 {
		return c
	}
	return strings.Compare(string(q.ID), string(p.ID))
}

// Query selects a page of a feed, which is in the order of [Position.Compare].
type Query struct {
	AgentID string    // "" means any
	Type    Type      // "" means any
	Since   time.Time // zero means everything retained; inclusive
	After   *Position // events behind this position; nil means from the newest
	Limit   int
}

// Seq is a position in the log of all events, which has one order for everybody
// and only grows at its end. Zero lies before the first event. Positions ascend
// along the log and may leave numbers out.
type Seq int64

// Logged is an event, or an entry of the change log, in the log.
type Logged struct {
	Event               // zero if it is a change
	Change *audit.Entry // nil if it is an event
	Seq    Seq
	// Department is the one that the agent was in: after the change that made
	// the event, before it for a deletion; for a reported event when it was
	// reported. It may be deleted since. Of a change it is that of the change.
	Department name.Key
}

// Write writes what the feed or the change log shows, an object.
func (l Logged) Write(w *jsondoc.Writer) {
	if l.Change != nil {
		l.Change.WriteChange(w)
		return
	}
	l.Event.Write(w)
}

// LogID is the id of the event or of the change.
func (l Logged) LogID() string {
	if l.Change != nil {
		return l.Change.ID
	}
	return string(l.ID)
}

// LoggedChange returns an entry of the change log at its position.
func LoggedChange(seq Seq, e audit.Entry) Logged {
	return Logged{Change: &e, Seq: seq, Department: e.Change.Department.Key}
}

// ErrTooOld is a position that the log does not reach back to any more, or that it
// never had.
var ErrTooOld = fault.New(fault.Conflict, "the log of events does not reach back so far")
