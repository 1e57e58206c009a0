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

// watched is a stream, as what shows it needs it.
type watched[E any] struct {
	open   func(ctx context.Context, opened func()) iter.Seq2[E, error]
	resync func(E) bool
	list   string // the command that lists what a resync leaves out
}

// events is the stream of events that q selects.
func events(service *client.Client, q client.StreamQuery) watched[client.StreamEvent] {
	return watched[client.StreamEvent]{
		open: func(ctx context.Context, opened func()) iter.Seq2[client.StreamEvent, error] {
			q.Opened = opened
			return service.StreamActivities(ctx, q)
		},
		resync: func(e client.StreamEvent) bool { return e.Resync },
		list:   "orgd get activities",
	}
}

// changes is the stream of changes that q selects.
func changes(service *client.Client, q client.ChangeStreamQuery) watched[client.StreamChange] {
	return watched[client.StreamChange]{
		open: func(ctx context.Context, opened func()) iter.Seq2[client.StreamChange, error] {
			q.Opened = opened
			return service.StreamChanges(ctx, q)
		},
		resync: func(e client.StreamChange) bool { return e.Resync },
		list:   "orgd get changes",
	}
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
