package sqlitestore

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/ports"
)

// selectEventsAt has the events in the order of the positions.
const selectEventsAt = "SELECT seq, " + eventColumns +
	" FROM (SELECT value AS position FROM json_each(?)) CROSS JOIN events ON seq = position"

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

const insertEvent = `
INSERT INTO events (id, type, at, agent_id, agent_name, description, related, data, initiated_by, metadata, department_key, seq)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const insertReport = insertEvent + " ON CONFLICT (id) DO NOTHING"

// addEvent says that an event of some [eventArgs] was stored.
func addEvent(tx *engine.Tx, args []any, seq activity.Seq) {
	tx.Changed.Logged = true
	tx.Changed.Events = append(tx.Changed.Events, memory.FeedPosition{At: args[2].(int64), ID: args[0].([]byte), Seq: int64(seq)})
}

func eventArgs(e activity.Event, department name.Key) []any {
	return append(make([]any, 0, 12), // with the number that the writer gives it
		sqlite.PackID(e.ID), string(e.Type), sqlite.Millis(e.At), sqlite.PackID(e.AgentID), e.AgentName, e.Description,
		string(e.Related), (*string)(e.Data), e.By, string(e.Metadata), string(department))
}

// feedQuery reads one of seq, at and id of each event of a page along an index,
// from where the page before ended. The indexes keep the types apart, so that there
// need not be more of them: a feed of all types is the merge of the feeds of each.
func feedQuery(column string, q activity.Query) (string, []any) {
	var args []any
	param := func(arg any) string {
		args = append(args, arg)
		return "?" + strconv.Itoa(len(args))
	}
	feed := "SELECT seq, at, id FROM events INDEXED BY events_type WHERE "
	if q.AgentID != "" {
		feed = "SELECT seq, at, id FROM events INDEXED BY events_agent_type WHERE agent_id = " +
			param(sqlite.PackID(q.AgentID)) + " AND "
	}
	if !q.Since.IsZero() {
		feed += "at >= " + param(sqlite.Millis(q.Since)) + " AND "
	}
	if q.After != nil {
		feed += "(at, id) < (" + param(sqlite.Millis(q.After.At)) + ", " + param(sqlite.PackID(q.After.ID)) + ") AND "
	}
	types := activity.Types()
	if q.Type != "" {
		types = []activity.Type{q.Type}
	}
	feeds := make([]string, len(types))
	for i, t := range types {
		feeds[i] = feed + "type = " + param(string(t))
	}
	return "SELECT " + column + " FROM (" + strings.Join(feeds, " UNION ALL ") +
		" ORDER BY at DESC, id DESC LIMIT (" + param(q.Limit) + " + 0))", args
}
