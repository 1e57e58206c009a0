package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/page"
	"orgd/ports"
)

// Activities keeps events.
type Activities struct{ db *DB }

// Append implements [ports.ActivityLog].
func (s *Activities) Append(ctx context.Context, reports []ports.Report, seal func(ports.Counted) ports.Trail) (_ ports.Counted, err error) {
	defer s.db.observer.Begin(&ctx, "activities.append").End(&err)
	var n ports.Counted
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		n = ports.Counted{}
		if err := wantAgents(tx, reports); err != nil {
			return err
		}
		figures, last := newFigures(tx), activity.Seq(0)
		for _, r := range reports {
			fresh, err := putReport(tx, r)
			if err != nil {
				return err
			}
			if !fresh {
				n.Duplicates++
				continue
			}
			n.Accepted++
			if err := figures.add(r); err != nil {
				return err
			}
			last = tx.LastNumber()
		}
		n.Disagree = figures.disagree()
		if err := figures.put(tx); err != nil {
			return err
		}
		tx.Changed.Reported = append(tx.Changed.Reported, memory.Reported{Seq: last, Days: figures.agents})
		return putTrail(tx, seal(n), n.Accepted > 0)
	})
	if err != nil {
		return ports.Counted{}, err
	}
	s.db.observer.Reported(n)
	return n, nil
}

const selectPurged = "SELECT EXISTS (SELECT 1 FROM purged_agents WHERE id = ?)"

// wantAgents refuses reports of an agent that was purged.
func wantAgents(tx *engine.Tx, reports []ports.Report) error {
	if purged, err := anyPurged(tx); !purged {
		return err
	}
	seen := map[string]bool{}
	for _, r := range reports {
		if seen[r.Event.AgentID] {
			continue
		}
		seen[r.Event.AgentID] = true
		var purged bool
		if err := tx.Row(selectPurged, sqlite.PackID(r.Event.AgentID)).Scan(&purged); err != nil {
			return sqlite.Wrap(err, "read agent", r.Event.AgentID)
		}
		if purged {
			return agent.ErrNotFound.With("there is no agent %q", r.Event.AgentID)
		}
	}
	return nil
}

// putReport stores a reported event, or reports that its id is known.
func putReport(tx *engine.Tx, r ports.Report) (fresh bool, err error) {
	seq, err := tx.Number()
	if err != nil {
		return false, err
	}
	args := eventArgs(r.Event, r.Department)
	n, err := sqlite.Changed(tx.Exec(insertReport, append(args, seq)...))
	if n > 0 {
		addEvent(tx, args, seq)
	}
	return n > 0, sqlite.Wrap(err, "write event", string(r.Event.ID))
}

// Feed implements [ports.ActivityLog]. The newest events, or the indexes, have the order
// of a page and all that selects it, so the database is asked for no event that is
// remembered.
func (s *Activities) Feed(ctx context.Context, q activity.Query) (found []activity.Encoded, err error) {
	defer s.db.observer.Begin(&ctx, "activities.list").End(&err)
	positions, listed := s.db.Newest.Page(q)
	if listed {
		if cached, missing := s.db.Events.Remembered(positions); len(missing) == 0 {
			return fitting(cached), s.db.Refused()
		}
	}
	err = s.db.Read(ctx, func(v *sqlite.View) (err error) {
		if listed {
			if found, err = s.db.eventsAt(v, positions); !errors.Is(err, ports.ErrStorage) {
				return err
			} // one was deleted meanwhile
		}
		found, err = s.db.indexed(v, q)
		return err
	})
	if err != nil {
		return nil, sqlite.Wrap(err, "read events", "")
	}
	return fitting(found), nil
}

// fitting sorts the events of a page, of which the cached come first, and leaves out what
// is behind its last: of the cached ones some may be.
func fitting(found []activity.Encoded) []activity.Encoded {
	slices.SortFunc(found, func(a, b activity.Encoded) int { return a.Compare(b.Position) })
	return found[:min(len(found), page.Fits(found)+1)]
}

// indexed returns the events of a page by an index.
func (db *DB) indexed(v *sqlite.View, q activity.Query) ([]activity.Encoded, error) {
	query, args := feedQuery("seq", q)
	var position int64
	positions, err := sqlite.Rows(v, query, args, func(r sqlite.Row) (int64, error) {
		err := r.Scan(&position)
		return position, err
	})
	if err != nil {
		return nil, err
	}
	return db.eventsAt(v, positions)
}

const selectEvent = "SELECT " + eventColumns + " FROM events WHERE id = ?"

// Find implements [ports.ActivityLog].
func (s *Activities) Find(ctx context.Context, ids []activity.ID) (_ map[activity.ID]activity.Event, err error) {
	defer s.db.observer.Begin(&ctx, "activities.find").End(&err)
	found := map[activity.ID]activity.Event{}
	row := newEventRow()
	err = s.db.Read(ctx, func(v *sqlite.View) error {
		for _, id := range ids {
			e, err := row.scan(v.Row(selectEvent, sqlite.PackID(id)))
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return sqlite.Wrap(err, "read event", string(id))
			}
			found[id] = e
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Career implements [ports.ActivityLog].
func (s *Activities) Career(ctx context.Context, id agent.ID) (_ []activity.Event, err error) {
	defer s.db.observer.Begin(&ctx, "activities.career").End(&err)
	query, args := careerQuery(id)
	career, err := sqlite.All(ctx, s.db, "read events", query, args, newEventRow().scan)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(career, func(a, b activity.Event) int { return b.Position().Compare(a.Position()) })
	return career, nil
}

// careerQuery finds the events type by type, without an order: an agent has few
// lifecycle events among any number of others.
func careerQuery(id agent.ID) (string, []any) {
	args := []any{sqlite.PackID(id)}
	for _, t := range activity.Types() {
		if t.Lifecycle() {
			args = append(args, string(t))
		}
	}
	return "SELECT " + eventColumns + " FROM events WHERE agent_id = ? AND type IN (?" +
		strings.Repeat(", ?", len(args)-2) + ")", args
}

// selectLastActive looks up the newest event of each type along the index that keeps them
// apart.
var selectLastActive = func() string {
	var newest []string
	for _, t := range activity.Types() {
		newest = append(newest, "coalesce((SELECT max(at) FROM events INDEXED BY events_agent_type WHERE agent_id = unhex(k.value) AND type = '"+string(t)+"'), -1)")
	}
	return "SELECT k.key, max(" + strings.Join(newest, ", ") + ") FROM json_each(?) AS k"
}()

// LastActive implements [ports.ActivityLog].
func (s *Activities) LastActive(ctx context.Context, ids []agent.ID) (_ map[agent.ID]time.Time, err error) {
	defer s.db.observer.Begin(&ctx, "activities.last").End(&err)
	found := make(map[agent.ID]time.Time, len(ids))
	packed := make([]string, len(ids))
	for i, id := range ids {
		packed[i] = hex.EncodeToString(sqlite.PackID(id))
	}
	err = s.db.Ask(ctx, func(v *sqlite.View) error {
		return sqlite.EachOf(v, selectLastActive, packed, nil, func(r sqlite.Row) error {
			var i, at int64
			if err := r.Scan(&i, &at); err != nil || at < 0 {
				return err
			}
			found[ids[i]] = sqlite.FromMillis(at)
			return nil
		})
	})
	return found, sqlite.Wrap(err, "read events", "")
}
