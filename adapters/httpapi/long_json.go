package httpapi

import (
	"cmp"
	"context"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/app"
	"orgd/domain/jsondoc"
	bounds "orgd/domain/page"
	"orgd/domain/receipt"
)

// longJSON is an answer in JSON. If it is longer than [bounds.LongBytes], it is
// sent while it is written.
type longJSON struct {
	out     *longAnswer
	w       *jsondoc.Writer // of the body
	reply   receipt.Reply   // its status and headers
	ctx     context.Context // for reading what is written
	cancel  func()
	started bool  // the answer is longer than LongBytes
	err     error // of sending
	// tag, if any, makes the entity tag: with true of a body that has been written, with
	// false of one that has not.
	tag func(written bool) string
}

// longJSON begins an answer with the status and headers of r. Its body is written to w.
func (x *exchange) longJSON(r receipt.Reply, tag func(written bool) string) *longJSON {
	a := &longJSON{out: x.long(protocol.JSON), reply: r, tag: tag, ctx: x.ctx(), cancel: func() {}}
	a.out.status = r.Status
	a.w = jsondoc.NewLongWriter(flushAt, a.flush)
	return a
}

// start makes the answer one that is sent while it is written. From now on it may take
// as long as a document of the whole organization. Call it as soon as the length is
// known: nothing is sent before.
func (a *longJSON) start() {
	if a.started {
		return
	}
	a.started = true
	if a.tag != nil {
		a.reply.ETag = a.tag(false)
	}
	x := a.out.x
	if a.err = x.enterLong(); a.err != nil {
		return
	}
	x.describe(a.reply)
	a.ctx, a.cancel = context.WithTimeout(x.client, x.env.longTimeout)
}

// flush sends all but the last byte of the text, if the answer is longer than LongBytes.
// When sending has failed, it drops them.
func (a *longJSON) flush(text []byte) (rest []byte) {
	if !a.started && len(text) <= bounds.LongBytes {
		return text
	}
	a.start()
	end := len(text) - 1
	if a.err == nil {
		resume := a.out.x.pause()
		a.out.buf = text[:end]
		if a.err = a.out.flush(); a.err == nil {
			a.err = resume(a.ctx)
		}
	}
	return append(text[:0], text[end])
}

// finish ends the answer. err is the error of writing it; short sends it if nothing has
// been sent yet.
func (a *longJSON) finish(err error, short func(receipt.Reply) error) error {
	defer func() { a.cancel() }()
	err = cmp.Or(a.err, err)
	if err == nil && !a.out.begun {
		if a.reply.Body = a.w.Bytes(); a.tag != nil {
			a.reply.ETag = a.tag(true)
		}
		return short(a.reply)
	}
	a.out.x.giveTurn()
	a.out.buf = a.w.Bytes()
	return a.out.finish(err)
}

// longList is an answer with all rows of a list, which may have hundreds of
// megabytes.
type longList[T bounds.Row] struct {
	reply receipt.Reply
	tag   func(written bool) string // see [longJSON]
	// data writes the data of the envelope, and calls list where the list stands in it;
	// nil if the list is the data.
	data func(w *jsondoc.Writer, list func(*jsondoc.Writer))
	// read reads at most [app.RowsAtOnce] rows behind last; nil begins with the first.
	read func(_ context.Context, last *T) ([]T, error)
	// row writes a row, and reads what it refers to.
	row func(context.Context, *jsondoc.Writer, T) error
}

// answer sends the list; short is how an answer is sent that is not longer than a
// page.
func (l longList[T]) answer(x *exchange, short func(receipt.Reply) error) (err error) {
	a := x.longJSON(l.reply, l.tag)
	list := func(w *jsondoc.Writer) {
		w.OpenList()
		err = l.rows(a)
		w.CloseList()
	}
	writeEnvelope(a.w, func(w *jsondoc.Writer) {
		if l.data == nil {
			list(w)
		} else {
			l.data(w, list)
		}
	})
	return a.finish(err, short)
}

// rows writes all rows.
func (l longList[T]) rows(a *longJSON) error {
	var last *T
	var size int
	for {
		found, err := l.read(a.ctx, last)
		if err != nil {
			return err
		}
		for i := range found {
			last = &found[i]
			if size += (*last).Size(); size > bounds.LongBytes {
				a.start()
			}
			if err := cmp.Or(a.err, l.row(a.ctx, a.w, *last)); err != nil {
				return err
			}
		}
		if bounds.IsLast(found, app.RowsAtOnce) {
			return nil
		}
	}
}
