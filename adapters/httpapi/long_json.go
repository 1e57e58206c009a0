package httpapi

import (
	"cmp"
	"context"

	"orgd/app"
	"orgd/domain/jsondoc"
	bounds "orgd/domain/page"
	"orgd/domain/receipt"
)

// longJSON is an answer in JSON. If it is longer than a page, it is sent while it is
// written.
type longJSON struct {
	out     *longAnswer
	w       *jsondoc.Writer
	reply   receipt.Reply // without its body
	ctx     context.Context
	cancel  func()
	started bool
	err     error // of sending
	// tag, if any, makes the entity tag. An answer that is sent while it is written is
	// not whole when its tag is made.
	tag func(whole bool) string
}

func (x *exchange) longJSON(r receipt.Reply, tag func(whole bool) string) *longJSON {
	a := &longJSON{out: x.long(jsonType), reply: r, tag: tag, ctx: x.ctx(), cancel: func() {}}
	a.out.status = r.Status
	a.w = jsondoc.NewLongWriter(a.flush)
	return a
}

// start says that the answer is long, before it is. From now on its time is that of a
// document of the whole organization.
func (a *longJSON) start() {
	if a.started {
		return
	}
	a.started = true
	if a.tag != nil {
		a.reply.ETag = a.tag(false)
	}
	x := a.out.x
	x.describe(a.reply)
	a.ctx, a.cancel = context.WithTimeout(x.client, x.server.cfg.OrganizationTimeout)
}

func (a *longJSON) flush(text []byte) (rest []byte) {
	if !a.started && len(text) <= bounds.MaxBytes {
		return text
	}
	a.start()
	end := len(text) - 1
	if a.err == nil {
		a.out.buf = text[:end]
		a.err = a.out.flush()
	}
	return append(text[:0], text[end])
}

// finish ends the answer. err is what its making ended with, and short sends it if it
// has not been begun.
func (a *longJSON) finish(err error, short func(receipt.Reply) error) error {
	defer func() { a.cancel() }()
	err = cmp.Or(a.err, err)
	if err == nil && !a.out.begun {
		if a.reply.Body = a.w.Bytes(); a.tag != nil {
			a.reply.ETag = a.tag(true)
		}
		return short(a.reply)
	}
	a.out.buf = a.w.Bytes()
	return a.out.finish(err)
}

// longList is an answer with all rows of a list, which may have hundreds of
// megabytes.
type longList[T bounds.Row] struct {
	reply receipt.Reply
	tag   func(whole bool) string // see [longJSON]
	// data writes what the list is part of, and calls list for it; nil if it is all.
	data func(w *jsondoc.Writer, list func(*jsondoc.Writer))
	// read reads at most [app.RowsAtOnce] rows behind last; nil begins with the first.
	read func(_ context.Context, last *T) ([]T, error)
	row  func(context.Context, *jsondoc.Writer, T) error
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
			if size += (*last).Size(); size > bounds.MaxBytes {
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
