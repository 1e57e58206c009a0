package sqlitestore

import (
	"encoding/json"
	"errors"
	"fmt"

	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/jsondoc"
	"orgd/domain/page"
	"orgd/ports"
)

// eventsAt returns the events at positions of the log, as v sees them: first the cached ones,
// then those that are read, in the order in which they were asked for. Reading stops
// after the row that exceeds a page. The caller sorts.
func (db *DB) eventsAt(v *sqlite.View, positions []int64) ([]activity.Encoded, error) {
	found, missing := db.Events.Remembered(positions)
	if len(missing) == 0 {
		return found, nil
	}
	list, err := json.Marshal(missing)
	if err != nil {
		return nil, err
	}
	var position int64
	var filling page.Filling
	behind := false
	row := newEventRow(&position)
	err = v.Each(selectEventsAt, []any{string(list)}, func(r sqlite.Row) error {
		e, err := row.scan(r)
		if err != nil {
			return err
		}
		encoded := e.Encoded()
		db.Events.Remember(position, encoded)
		found = append(found, encoded)
		err = sqlite.Fill(v.Context(), &filling, encoded.Size())
		behind = errors.Is(err, sqlite.ErrFull)
		return err
	})
	if err == nil && !behind && len(found) != len(positions) {
		err = ports.ErrStorage.Because(fmt.Errorf("an index has %d events that are not stored", len(positions)-len(found)))
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

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

func (x *eventRow) scan(r sqlite.Row) (activity.Event, error) {
	if err := r.Scan(x.dest...); err != nil {
		return activity.Event{}, err
	}
	e := x.event
	e.ID, e.At, e.AgentID = activity.ID(sqlite.UnpackID(x.id)), sqlite.FromMillis(x.at), sqlite.UnpackID(x.agentID)
	if text, ok := x.data.(string); ok {
		e.Data = (*jsondoc.Object)(&text)
	}
	return e, nil
}
