package telemetry

import (
	"context"
	"time"

	"orgd/domain/fault"
	"orgd/ports"
)

// Observer measures the operations of a storage. The zero Observer measures nothing.
type Observer struct {
	Metrics *Metrics // nil without
	Traces  *Traces  // nil without
}

// Operation is an operation of a storage that has begun.
type Operation struct {
	metrics *Metrics
	name    string
	begun   time.Time
	span    Span
}

// Begin begins an operation, such as "agents.create". It has a span if it is part of
// a trace, and *ctx becomes the context with that span. A store's method begins with
//
//	defer observer.Begin(&ctx, "agents.create").End(&err)
func (o Observer) Begin(ctx *context.Context, name string) Operation {
	span := o.Traces.Begin(*ctx, "store ", name)
	*ctx = span.In(*ctx)
	return Operation{metrics: o.Metrics, name: name, begun: time.Now(), span: span}
}

// End ends the operation with the error that err points to. An error of a rule is an
// answer, not a failure.
func (o Operation) End(err *error) {
	if o.metrics != nil {
		failed := *err != nil && fault.Of(*err).Code >= fault.Internal
		o.metrics.StoreOperation(o.name, time.Since(o.begun), failed)
	}
	o.span.End(*err)
}

// Reported counts the events of one batch that was stored.
func (o Observer) Reported(c ports.Counted) {
	if o.Metrics != nil {
		o.Metrics.Reported(c)
	}
}
