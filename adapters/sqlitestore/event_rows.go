package sqlitestore

import (
	"orgd/domain/activity"
	"orgd/domain/jsondoc"
)

const eventColumns = "id, type, at, agent_id, agent_name, description, related, data, initiated_by, metadata"

// eventRow reads rows of [eventColumns], one after another into the same
// variables: a page has dozens.
type eventRow struct {
	event       activity.Event
	id, agentID []byte // packed
	at          int64
	data        any // a text or nothing
	dest        []any
}

// newEventRow returns a reader of rows that have other columns in front, which it
// scans into first.
func newEventRow(first ...any) *eventRow {
	x := &eventRow{}
	e := &x.event
	// A type of its own takes database/sql three times as long as a text.
	x.dest = append(first, &x.id, (*string)(&e.Type), &x.at, &x.agentID, &e.AgentName, &e.Description,
		(*string)(&e.Related), &x.data, &e.By, (*string)(&e.Metadata))
	return x
}

func (x *eventRow) scan(r Row) (activity.Event, error) {
	if err := r.Scan(x.dest...); err != nil {
		return activity.Event{}, err
	}
	e := x.event
	e.ID, e.At, e.AgentID = activity.ID(unpackID(x.id)), fromMillis(x.at), unpackID(x.agentID)
	if text, ok := x.data.(string); ok {
		e.Data = (*jsondoc.Object)(&text)
	}
	return e, nil
}
