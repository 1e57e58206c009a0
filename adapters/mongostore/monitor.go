package mongostore

import (
	"context"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"

	"orgd/adapters/telemetry"
)

// commandMonitor has spans made of the commands that are sent for requests; nil
// without traces. They have the command and the collection, but no values.
func commandMonitor(t *telemetry.Traces) *event.CommandMonitor {
	if t == nil {
		return nil
	}
	var running sync.Map // telemetry.Span by the driver's number of a command
	end := func(id int64, how func(telemetry.Span)) {
		if span, ok := running.LoadAndDelete(id); ok {
			how(span.(telemetry.Span))
		}
	}
	return &event.CommandMonitor{
		Started: func(ctx context.Context, e *event.CommandStartedEvent) {
			span := t.Command(ctx, e.CommandName, collectionOf(e.CommandName, e.Command), e.DatabaseName)
			if span.Kept() {
				running.Store(e.RequestID, span)
			}
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) {
			end(e.RequestID, func(s telemetry.Span) { s.End(nil) })
		},
		Failed: func(_ context.Context, e *event.CommandFailedEvent) {
			end(e.RequestID, func(s telemetry.Span) { s.Failed("command failed") })
		},
	}
}

// collectionOf returns the collection that a command is for, which is the value
// of its first element; "" for one that is for none.
func collectionOf(name string, command bson.Raw) string {
	text, _ := command.Lookup(name).StringValueOK()
	return text
}
