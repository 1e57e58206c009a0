package organization

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// follow calls begin when the stream is open, and each for every event, until each
// returns false or ctx ends.
func follow(ctx context.Context, t *terminal.Terminal, service *client.Client, q client.StreamQuery, begin func() error, each func(client.StreamEvent) (more bool, err error)) error {
	following, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	q.Opened = sync.OnceFunc(func() {
		t.Say("Watching; Ctrl-C ends it.")
		if failed = begin(); failed != nil {
			stop()
		}
	})
	for e, err := range service.StreamActivities(following, q) {
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
		case e.Resync:
			t.Say("orgd: some events are missing here; orgd get activities shows them")
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
