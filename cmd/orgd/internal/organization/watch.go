package organization

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"sync"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// timeWidth is how wide times are.
const timeWidth = len("2006-01-02T15:04:05Z")

// watched is a stream, as what shows it needs it.
type watched[E any] struct {
	list    string // the command that lists what a resync leaves out
	open    func(ctx context.Context, opened func()) iter.Seq2[E, error]
	resync  func(E) bool
	columns []string
	widths  []int // of the columns, at least
	cells   func(E) []string
	item    func(E) any // with its position, as JSON
}

// print prints what comes, up to a limit, where nil and 0 are none.
func (w watched[E]) print(ctx context.Context, t *terminal.Terminal, list terminal.ListFlag, limit *uint) error {
	f, err := list.Stream()
	if err != nil {
		return err
	}
	table := t.Table(w.widths...)
	var left uint
	if limit != nil {
		left = *limit
	}
	return w.follow(ctx, t, func() error {
		if f.Output == "table" {
			table.Header(w.columns...)
		}
		return table.Flush()
	}, func(e E) (bool, error) {
		left-- // from 0 it goes on for ever
		if f.Output != "table" {
			return left != 0, f.PrintOne(t, w.item(e))
		}
		table.Row(w.cells(e)...)
		return left != 0, table.Flush()
	})
}

// follow calls begin when the stream is open, and each for all that comes, until each
// returns false or ctx ends.
func (w watched[E]) follow(ctx context.Context, t *terminal.Terminal, begin func() error, each func(E) (more bool, err error)) error {
	following, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	opened := sync.OnceFunc(func() {
		t.Say("Watching; Ctrl-C ends it.")
		if failed = begin(); failed != nil {
			stop()
		}
	})
	for e, err := range w.open(following, opened) {
		more := true
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case failed != nil:
			return failed
		case err != nil && refused(err):
			return err
		case err != nil:
			t.Say("orgd: %s; trying again", terminal.Visible(t.Sentence(err)))
		case w.resync(e):
			t.Say("orgd: something is missing here; %s shows it", w.list)
		default:
			more, err = each(e)
			if err != nil || !more {
				return err
			}
		}
	}
	return ctx.Err()
}

// refused reports whether a retry would get the same answer.
func refused(err error) bool {
	if e, ok := errors.AsType[*client.Error](err); ok {
		return !e.Retryable && e.Status < http.StatusInternalServerError
	}
	f, ok := errors.AsType[*client.Failure](err)
	return ok && !f.Lost
}
