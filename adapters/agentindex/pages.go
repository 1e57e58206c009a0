package agentindex

import (
	"context"
	"errors"

	"orgd/domain/page"
)

// ErrOvertaken says that an agent has changed since the index had the entry for which it was
// read: the list has to begin anew, with a later index.
var ErrOvertaken = errors.New("agentindex: an agent has changed while a list was read")

// errFull ends a page.
var errFull = errors.New("agentindex: the page is full")

// Source finds what a list has of agents.
type Source[T page.Row] struct {
	// Known returns it if it is in memory, as it is in the state of the entry.
	Known func(*Entry) (T, bool)
	// Read calls row with it for each of some entries, in their order, as far as it finds them.
	// It ends with the first error of row. It returns [ErrOvertaken] for one of a later state.
	Read func(missing []*Entry, row func(T) error) error
}

// Each finds what is in the list for each of the entries, and calls visit for each of them, in
// their order. It returns [ErrOvertaken], or the first error.
func (s Source[T]) Each(entries []*Entry, found []T, visit func(i int) error) error {
	var missing []int
	var unknown []*Entry
	for i, e := range entries {
		var ok bool
		if found[i], ok = s.Known(e); !ok {
			missing, unknown = append(missing, i), append(unknown, e)
		}
	}
	next := 0
	visitTo := func(read int) error { // the one that is missing behind so many, or the end
		end := len(entries)
		if read < len(missing) {
			end = missing[read]
		}
		for ; next < end; next++ {
			if err := visit(next); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visitTo(0); err != nil || len(missing) == 0 {
		return err
	}
	read := 0
	err := s.Read(unknown, func(row T) error {
		found[missing[read]] = row
		read++
		return visitTo(read)
	})
	if err == nil && read < len(missing) {
		err = ErrOvertaken
	}
	return err
}

// Page finds a page of what q selects, of so many agents at most. It ends as [page.Filling] says.
func (s Source[T]) Page(ctx context.Context, x *Index, q Query, limit int) ([]T, error) {
	if limit <= 0 {
		return []T{}, nil
	}
	var entries []*Entry
	for e := range x.Select(q) {
		if entries = append(entries, e); len(entries) == limit {
			break
		}
	}
	var filling page.Filling
	found, n := make([]T, len(entries)), 0
	err := s.Each(entries, found, func(i int) error {
		n++
		if filling.Add(found[i].Size()) {
			return errFull
		}
		return page.Allow(ctx, int(filling))
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return found[:n], err
}
