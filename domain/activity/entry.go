package activity

import (
	"time"

	"orgd/domain/jsondoc"
)

// Bounds of what a client reports.
const (
	MaxBatch       = 1000     // entries at once
	MaxDescription = 1024     // code points
	MaxRelated     = 64       // pairs
	MaxText        = 256      // code points of a key, of a related id, of a text in the data
	MaxAgentRef    = 128      // code points of an agent's name or id
	MaxData        = 16 << 10 // bytes of the data in canonical form
)

// Entry is one event as a client reports it, checked by itself. Which agent it
// means and whether its time is acceptable is decided later.
type Entry struct {
	ID          ID        // empty if the client leaves it to the service
	Type        Type      // a runtime type
	Agent       string    // the agent's name or id, as written
	At          time.Time // zero if the client leaves it to the service; else UTC, cut to milliseconds
	Description string
	Related     jsondoc.Object
	Data        *jsondoc.Object
	Measures    Measures // what Data says about performance
}

// Event completes the entry: id and now are used where the client left the id
// or the time to the service, agentID and agentName say which agent it means.
func (e Entry) Event(id ID, now time.Time, agentID, agentName string) Event {
	if e.ID != "" {
		id = e.ID
	}
	if !e.At.IsZero() {
		now = e.At
	}
	return Event{
		ID:          id,
		Type:        e.Type,
		At:          now,
		AgentID:     agentID,
		AgentName:   agentName,
		Description: e.Description,
		Related:     e.Related,
		Data:        e.Data,
	}
}

func readEntry(r *jsondoc.Reader, e *Entry) {
	readID(r, &e.ID)
	readType(r, &e.Type)
	r.Text("agent", &e.Agent, 1, MaxAgentRef)
	if !r.Has("agent") {
		r.Fail("agent", "is required")
	}
	readTime(r, &e.At)
	r.Text("description", &e.Description, 0, MaxDescription)
	readRelated(r, &e.Related)
	data := readData(r, &e.Data)
	e.Measures = measure(e.Type, known{r: r, data: data})
}

func readID(r *jsondoc.Reader, dst *ID) {
	if !r.Has("id") {
		return
	}
	v, _ := r.Raw("id")
	if v.Kind() == jsondoc.KindString {
		if id, err := ParseID(v.Text()); err == nil {
			*dst = id
			return
		}
	}
	r.Fail("id", "must be a UUID")
}

func readType(r *jsondoc.Reader, dst *Type) {
	if !r.Has("event_type") {
		r.Fail("event_type", "is required")
		return
	}
	jsondoc.Enum(r, "event_type", dst, RuntimeTypes()...)
}

// readTime reads an RFC 3339 time with any offset. Times before 1970 are
// mistakes, and one of them is Go's zero time, which means "none" in an Entry.
func readTime(r *jsondoc.Reader, dst *time.Time) {
	v, ok := r.Raw("timestamp")
	if !ok {
		return
	}
	if v.Kind() == jsondoc.KindString {
		var t time.Time
		// UnmarshalText is stricter than time.Parse, which takes "1:02:03" too.
		if err := t.UnmarshalText([]byte(v.Text())); err == nil && t.Unix() >= 0 {
			*dst = t.UTC().Truncate(time.Millisecond)
			return
		}
	}
	r.Fail("timestamp", "must be an RFC 3339 time after 1970, such as 2026-01-31T12:00:00Z")
}

func readRelated(r *jsondoc.Reader, dst *jsondoc.Object) {
	v, ok := r.Raw("related_ids")
	if !ok {
		return
	}
	if v.Kind() != jsondoc.KindObject {
		r.Fail("related_ids", "must be an object")
		return
	}
	if len(v.Members()) > MaxRelated {
		r.Fail("related_ids", "must have at most %d entries", MaxRelated)
		return
	}
	for _, m := range v.Members() {
		if !isLength(m.Name, MaxText) || !isText(m.Value, MaxText) {
			r.Fail("related_ids", "must map strings to strings, each of 1 to %d characters", MaxText)
			return
		}
	}
	*dst = jsondoc.Object(v.Append(nil))
}

// readData keeps the data as it is, nulls included, and returns it: the object,
// or null if there is none.
func readData(r *jsondoc.Reader, dst **jsondoc.Object) jsondoc.Value {
	v, ok := r.Raw("data")
	if !ok || v.Kind() == jsondoc.KindNull {
		return jsondoc.Value{}
	}
	if v.Kind() != jsondoc.KindObject {
		r.Fail("data", "must be an object or null")
		return jsondoc.Value{}
	}
	text := jsondoc.Object(v.Append(nil))
	if len(text) > MaxData {
		r.Fail("data", "must be at most %d bytes", MaxData)
	}
	*dst = &text
	return v
}
