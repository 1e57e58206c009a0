package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/activity"
	"orgd/domain/name"
	"orgd/ports"
)

var _ ports.EventStream = (*Stream)(nil)

// Stream reads the log of events. [DB.Sequence] brings them into it.
type Stream struct{ db *DB }

// NewStream returns the log in db.
func NewStream(db *DB) *Stream { return &Stream{db} }

// Grown implements [ports.EventStream].
func (s *Stream) Grown() <-chan struct{} { return s.db.grown.Next() }

// Head implements [ports.EventStream].
func (s *Stream) Head(ctx context.Context) (activity.Seq, error) {
	last, err := s.db.lastPage(ctx, s.db.coll(logColl))
	return last.end(), err
}

// After implements [ports.EventStream].
func (s *Stream) After(ctx context.Context, at activity.Seq, limit int) ([]activity.Logged, error) {
	for {
		entries, err := s.db.entriesAfter(ctx, at, limit)
		if err != nil || len(entries) == 0 {
			return nil, err
		}
		events, err := s.events(ctx, entries)
		if err != nil || len(events) > 0 {
			return events, err
		}
		at = entries[len(entries)-1].seq // all of them have been forgotten
	}
}

// events reads the events of entries, those left out that are not kept any more.
func (s *Stream) events(ctx context.Context, entries []entry) ([]activity.Logged, error) {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	var docs []eventDoc
	opts := options.Find().SetBatchSize(int32(len(ids)))
	if err := s.db.all(ctx, s.db.coll(eventsColl), bson.D{in("_id", ids)}, &docs, opts); err != nil {
		return nil, err
	}
	found := make(map[string]eventDoc, len(docs))
	for _, d := range docs {
		found[d.ID] = d
	}
	events := make([]activity.Logged, 0, len(docs))
	for _, e := range entries {
		if d, kept := found[e.id]; kept {
			events = append(events, activity.Logged{Event: d.event(), Seq: e.seq, Department: name.Key(d.Department)})
		}
	}
	return events, nil
}

// entry is one event in the log.
type entry struct {
	seq activity.Seq
	id  string
}

// entriesAfter returns the first entries behind a place, at most limit. None
// means that there are none.
func (db *DB) entriesAfter(ctx context.Context, at activity.Seq, limit int) ([]entry, error) {
	if at < 0 {
		return nil, activity.ErrTooOld
	}
	number, nth := splitPlace(at)
	entries, err := db.restOf(ctx, number, nth)
	for number++; err == nil && len(entries) < limit; {
		var pages []page
		pages, err = db.nextPages(ctx, number)
		for _, p := range pages {
			entries = append(entries, p.after(0)...)
		}
		if len(pages) < pagesAtOnce {
			break
		}
		number += int64(len(pages))
	}
	if err != nil {
		return nil, err
	}
	return entries[:min(limit, len(entries))], nil
}

// restOf returns the entries of a page behind its nth.
func (db *DB) restOf(ctx context.Context, number int64, nth int) ([]entry, error) {
	if number == 0 && nth == 0 {
		return nil, nil
	}
	p, err := db.page(ctx, number)
	if err != nil {
		return nil, err
	}
	if nth > len(p.Events) {
		return nil, activity.ErrTooOld
	}
	return p.after(nth), nil
}

// after returns the entries behind the nth of the page.
func (p page) after(nth int) []entry {
	var entries []entry
	for i, id := range p.Events[nth:] {
		entries = append(entries, entry{place(p.Number, nth+i+1), id})
	}
	return entries
}
