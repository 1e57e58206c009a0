package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/name"
	"orgd/ports"
)

// Stream reads the log of events, whose order is that of the commits.
type Stream struct{ db *DB }

// Changed implements [ports.EventStream].
func (s *Stream) Changed() <-chan struct{} { return s.db.changed.Wait() }

// Head implements [ports.EventStream].
func (s *Stream) Head(ctx context.Context) (_ activity.Seq, err error) {
	defer s.db.observer.Begin(&ctx, "stream.head").End(&err)
	return sqlite.Ask(ctx, s.db, engine.Head)
}

// Progress implements [ports.EventStream]. The log is read where it is stored.
func (s *Stream) Progress(ctx context.Context) (read, end activity.Seq, err error) {
	defer s.db.observer.Begin(&ctx, "stream.progress").End(&err)
	end, err = sqlite.Ask(ctx, s.db, engine.Head)
	return end, end, err
}

const (
	selectLog = "SELECT seq, department_key, " + eventColumns +
		" FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT (? + 0)"
	selectLoggedChanges = "SELECT seq, " + entryColumns +
		", change FROM changes WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT (? + 0)"
	selectLogBegin = "SELECT seq FROM log_marks WHERE at = 0"
)

// After implements [ports.EventStream].
func (s *Stream) After(ctx context.Context, position activity.Seq, limit int) (page ports.LogPage, err error) {
	defer s.db.observer.Begin(&ctx, "stream.after").End(&err)
	return s.read(ctx, func(v *sqlite.View) (ports.LogPage, error) {
		head, err := engine.Head(v)
		if err != nil {
			return ports.LogPage{}, err
		}
		if err := checkReach(v, position, head); err != nil {
			return ports.LogPage{}, err
		}
		return pageOf(v, position, head, limit)
	})
}

// Stored implements [ports.EventStream]. Cutting the log off removes nothing.
func (s *Stream) Stored(ctx context.Context, after, upTo activity.Seq, limit int) (_ ports.LogPage, err error) {
	defer s.db.observer.Begin(&ctx, "stream.stored").End(&err)
	return s.read(ctx, func(v *sqlite.View) (ports.LogPage, error) { return pageOf(v, after, upTo, limit) })
}

func (s *Stream) read(ctx context.Context, fn func(*sqlite.View) (ports.LogPage, error)) (ports.LogPage, error) {
	page, err := sqlite.Read(ctx, s.db, fn)
	if !errors.Is(err, activity.ErrTooOld) {
		err = sqlite.Wrap(err, "read the log", "")
	}
	return page, err
}

// pageOf reads what is behind one position and up to another: the changes, and the events
// up to the last of them if there is no room for more.
func pageOf(v *sqlite.View, after, upTo activity.Seq, limit int) (ports.LogPage, error) {
	page := ports.LogPage{Next: max(after, upTo)}
	var seq int64
	found, err := sqlite.Rows(v, selectLoggedChanges, []any{after, upTo, limit}, func(r sqlite.Row) (activity.Logged, error) {
		e, err := scanEntry(r, &seq)
		if err != nil {
			return activity.Logged{}, err
		}
		return activity.LoggedChange(activity.Seq(seq), e), nil
	})
	if err != nil {
		return page, err
	}
	if len(found) == limit {
		upTo = found[limit-1].Seq
	}
	var department string
	row := newEventRow(&seq, &department)
	events, err := sqlite.Rows(v, selectLog, []any{after, upTo, limit}, func(r sqlite.Row) (activity.Logged, error) {
		e, err := row.scan(r)
		return activity.Logged{Seq: activity.Seq(seq), Department: name.Key(department), Event: e}, err
	})
	found = append(found, events...)
	slices.SortFunc(found, func(a, b activity.Logged) int { return cmp.Compare(a.Seq, b.Seq) })
	if len(found) >= limit {
		found = found[:limit]
		page.Next, page.More = found[limit-1].Seq, true
	}
	page.Events = found
	return page, err
}

// checkReach returns activity.ErrTooOld unless the position is in the log.
func checkReach(v *sqlite.View, position, head activity.Seq) error {
	var begin activity.Seq
	if err := sqlite.OrNone(v.Row(selectLogBegin).Scan(&begin)); err != nil {
		return err
	}
	if position < begin || position > head {
		return activity.ErrTooOld
	}
	return nil
}
