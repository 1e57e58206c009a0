package activity

import (
	"time"
	"unicode/utf8"

	"orgd/domain/jsondoc"
)

// Bounds of what a client reports.
const (
	MaxBatch       = 1000     // entries at once
	MaxDescription = 1024     // code points
	MaxRelated     = 64       // pairs
	MaxText        = 256      // code points of a related id, of its key, of a known text in the data
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
	Unused      []string // members of Data that look like measures and are none, with what may be meant
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

// readEntry reads one entry. A problem leaves the entry unusable; the reader
// reports it.
func readEntry(r *jsondoc.Reader, e *Entry) {
	readID(r, &e.ID)
	r.Require("event_type")
	jsondoc.Enum(r, "event_type", &e.Type, RuntimeTypes()...)
	r.Require("agent")
	r.Text("agent", &e.Agent, 1, MaxAgentRef)
	readTime(r, &e.At)
	r.Text("description", &e.Description, 0, MaxDescription)
	readRelated(r, &e.Related)
	readData(r, e)
}

func readID(r *jsondoc.Reader, dst *ID) {
	v, ok := r.Raw("id")
	if !ok || v.IsNull() {
		return
	}
	id, err := ParseID(v.Text())
	if err != nil {
		r.Fail("id", "must be a UUID")
		return
	}
	*dst = id
}

// readTime refuses times before 1970: they are mistakes, and one of them is the
// zero time, which means "none" in an Entry.
func readTime(r *jsondoc.Reader, dst *time.Time) {
	var at time.Time
	if !r.Time("timestamp", &at) {
		return
	}
	if at.Unix() < 0 {
		r.Fail("timestamp", "must not be before 1970")
		return
	}
	*dst = at
}

func readRelated(r *jsondoc.Reader, dst *jsondoc.Object) {
	v, ok := r.Raw("related_ids")
	if !ok || v.IsNull() {
		return
	}
	if v.Kind() != jsondoc.KindObject {
		r.Fail("related_ids", "must be an object")
		return
	}
	if v.Len() > MaxRelated {
		r.Fail("related_ids", "must have at most %d members, not %d", MaxRelated, v.Len())
		return
	}
	r.Object("related_ids", func(r *jsondoc.Reader) {
		for _, m := range v.Members() {
			if n := utf8.RuneCountInString(m.Name); n < 1 || n > MaxText {
				r.Fail("", "must have keys of 1 to %d characters, not %d", MaxText, n)
			}
			r.Require(m.Name) // null is no text
			readOptionalText(r, m.Name)
		}
	})
	*dst, _ = v.Object() // it is one
}

// readData keeps the data exactly as it is and reads what it measures. Every
// runtime type has a required key, so there is always data.
func readData(r *jsondoc.Reader, e *Entry) {
	r.Require("data")
	v, _ := r.Raw("data")
	r.Object("data", func(r *jsondoc.Reader) {
		e.Measures = readMeasures(e.Type, r)
		r.AllowOthers()
	})
	if v.Kind() != jsondoc.KindObject {
		return
	}
	e.Unused = unused(e.Type, v)
	data, ok := v.ObjectWithin(MaxData)
	if !ok {
		r.Fail("data", "%s", jsondoc.TooLarge(v, MaxData))
		return
	}
	e.Data = &data
}
