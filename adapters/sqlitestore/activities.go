package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/ports"
)

var _ ports.ActivityLog = (*Activities)(nil)

// Activities keeps events.
type Activities struct{ db *DB }

// NewActivities returns the events in db.
func NewActivities(db *DB) *Activities { return &Activities{db} }

// Append implements [ports.ActivityLog].
func (s *Activities) Append(ctx context.Context, reports []ports.Report, seal func(ports.Counted) ports.Note) (ports.Counted, error) {
	var n ports.Counted
	err := s.db.Write(ctx, func(tx *Tx) error {
		n = ports.Counted{}
		figures := newFigures()
		for _, r := range reports {
			fresh, err := putReport(tx, r.Event)
			if err != nil {
				return err
			}
			if !fresh {
				n.Duplicates++
				continue
			}
			n.Accepted++
			figures.add(r)
		}
		if err := figures.put(tx); err != nil {
			return err
		}
		note := seal(n)
		if n.Accepted == 0 {
			return putReceipt(tx, note.Receipt)
		}
		return leave(tx, note)
	})
	if err != nil {
		return ports.Counted{}, err
	}
	return n, nil
}

const insertEvent = `
INSERT INTO events (id, type, at, agent_id, agent_name, description, related, data, initiated_by, metadata)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// putEvents stores the events of a change.
func putEvents(tx *Tx, events []activity.Event) error {
	for _, e := range events {
		if _, err := tx.Exec(insertEvent, eventArgs(e)...); err != nil {
			return fmt.Errorf("sqlitestore: write event %s: %w", e.ID, err)
		}
	}
	return nil
}

const insertReport = insertEvent + " ON CONFLICT (id) DO NOTHING"

// putReport stores a reported event, or reports that its id is known.
func putReport(tx *Tx, e activity.Event) (fresh bool, err error) {
	res, err := tx.Exec(insertReport, eventArgs(e)...)
	if err != nil {
		return false, fmt.Errorf("sqlitestore: write event %s: %w", e.ID, err)
	}
	rows, err := res.RowsAffected()
	return rows > 0, err
}

func eventArgs(e activity.Event) []any {
	return []any{
		packID(e.ID), string(e.Type), millis(e.At), packID(e.AgentID), e.AgentName, e.Description,
		string(e.Related), (*string)(e.Data), e.By, string(e.Metadata),
	}
}

const eventColumns = "id, type, at, agent_id, agent_name, description, related, data, initiated_by, metadata"

// Events implements [ports.ActivityLog].
func (s *Activities) Events(ctx context.Context, q activity.Query) ([]activity.Event, error) {
	query, args := eventsQuery(q)
	return s.read(ctx, query, args)
}

// eventsQuery reads along one index, from the place where the page before ended.
func eventsQuery(q activity.Query) (string, []any) {
	var f filter
	index := "events_feed"
	switch {
	case q.AgentID != "" && q.Type != "":
		index = "events_agent_type"
		f.and("agent_id = ? AND type = ?", packID(q.AgentID), string(q.Type))
	case q.AgentID != "":
		index = "events_agent"
		f.and("agent_id = ?", packID(q.AgentID))
	case q.Type != "":
		index = "events_type"
		f.and("type = ?", string(q.Type))
	}
	if !q.Since.IsZero() {
		f.and("at >= ?", millis(q.Since))
	}
	if q.After != nil {
		f.and("(at, id) < (?, ?)", millis(q.After.At), packID(q.After.ID))
	}
	return "SELECT " + eventColumns + " FROM events INDEXED BY " + index + f.where() +
		" ORDER BY at DESC, id DESC LIMIT (? + 0)", append(f.args, q.Limit)
}

// Career implements [ports.ActivityLog].
func (s *Activities) Career(ctx context.Context, id agent.ID) ([]activity.Event, error) {
	query, args := careerQuery(id)
	events, err := s.read(ctx, query, args)
	slices.SortFunc(events, func(a, b activity.Event) int { return b.Position().Compare(a.Position()) })
	return events, err
}

// careerQuery finds the events type by type, without an order: an agent has few
// lifecycle events among any number of others.
func careerQuery(id agent.ID) (string, []any) {
	args := []any{packID(id)}
	for _, t := range activity.Types() {
		if t.Lifecycle() {
			args = append(args, string(t))
		}
	}
	return "SELECT " + eventColumns + " FROM events WHERE agent_id = ? AND type IN (?" +
		strings.Repeat(", ?", len(args)-2) + ")", args
}

func (s *Activities) read(ctx context.Context, query string, args []any) (events []activity.Event, err error) {
	err = s.db.Read(ctx, func(v *View) error {
		return v.Each(query, args, func(r Row) error {
			e, err := scanEvent(r)
			events = append(events, e)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: read events: %w", err)
	}
	return events, nil
}

func scanEvent(r Row) (e activity.Event, err error) {
	var id, agentID []byte
	var at int64
	err = r.Scan(&id, &e.Type, &at, &agentID, &e.AgentName, &e.Description,
		&e.Related, &e.Data, &e.By, &e.Metadata)
	e.ID, e.At, e.AgentID = activity.ID(unpackID(id)), fromMillis(at), unpackID(agentID)
	return e, err
}

const selectLastActive = "SELECT at FROM events WHERE agent_id = ? ORDER BY at DESC LIMIT 1"

// LastActive implements [ports.ActivityLog].
func (s *Activities) LastActive(ctx context.Context, id agent.ID) (time.Time, bool, error) {
	var at int64
	err := s.db.Read(ctx, func(v *View) error { return v.Row(selectLastActive, packID(id)).Scan(&at) })
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("sqlitestore: read events of agent %s: %w", id, err)
	}
	return fromMillis(at), true, nil
}
