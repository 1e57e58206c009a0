package request

import (
	"cmp"
	"context"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/app"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
	bounds "orgd/domain/page"
	"orgd/domain/revision"
)

// LongJSON is an answer in JSON. If it is longer than [bounds.LongBytes], it is
// sent while it is written.
type LongJSON struct {
	W   *jsondoc.Writer // the body is written to it
	Ctx context.Context // for reading what is written
	Err error           // of sending

	out     *LongAnswer
	reply   idempotency.Reply // its status and headers
	cancel  func()
	started bool // the answer is longer than LongBytes
	tag     revision.Tag
	digest  func() string
}

// LongJSON begins an answer with the status and headers of reply. digest, if not nil,
// returns the digest of what has been written: then the answer has the entity tag of tag
// and the digest, or if it is sent while it is written, one that no other answer has.
func (r *Request) LongJSON(reply idempotency.Reply, tag revision.Tag, digest func() string) *LongJSON {
	a := &LongJSON{out: r.LongAnswer(), reply: reply, tag: tag, digest: digest, Ctx: r.Ctx(), cancel: func() {}}
	a.out.status = reply.Status
	a.W = jsondoc.NewLongWriter(FlushAt, a.flush)
	return a
}

// Start makes the answer one that is sent while it is written. From now on it has
// [Env.LongTimeout]. Call it as soon as the length is known: nothing is sent before.
func (a *LongJSON) Start() {
	if a.started {
		return
	}
	a.started = true
	r := a.out.r
	if a.digest != nil {
		a.reply.ETag = protocol.ETag(a.tag, r.Env.IDs.NewID())
	}
	if a.Err = r.enterLong(); a.Err != nil {
		return
	}
	r.setHeaders(a.reply)
	a.Ctx, a.cancel = context.WithTimeout(r.Client, r.Env.LongTimeout)
}

// flush sends all but the last byte of the text, if the answer is longer than LongBytes.
// When sending has failed, it drops them.
func (a *LongJSON) flush(text []byte) (rest []byte) {
	if !a.started && len(text) <= bounds.LongBytes {
		return text
	}
	a.Start()
	end := len(text) - 1
	if a.Err == nil {
		resume := a.out.r.pause()
		a.out.buf = text[:end]
		if a.Err = a.out.flush(); a.Err == nil {
			a.Err = resume(a.Ctx)
		}
	}
	return append(text[:0], text[end])
}

// Finish ends the answer. err is the error of writing it.
func (a *LongJSON) Finish(err error) error {
	defer func() { a.cancel() }()
	err = cmp.Or(a.Err, err)
	if err == nil && !a.out.begun {
		if a.reply.Body = a.W.Bytes(); a.digest != nil {
			a.reply.ETag = protocol.ETag(a.tag, a.digest())
		}
		return a.out.r.Send(a.reply)
	}
	a.out.r.EndTurn()
	a.out.buf = a.W.Bytes()
	return a.out.Finish(err)
}

// LongList is an answer with all rows of a list, which may have hundreds of
// megabytes.
type LongList[T bounds.Row] struct {
	Reply  idempotency.Reply
	Tag    revision.Tag  // see [Request.LongJSON]
	Digest func() string // the same
	// Data writes the data of the envelope, and calls list for the list in it;
	// nil if the list is the data.
	Data func(w *jsondoc.Writer, list func(*jsondoc.Writer))
	// Read reads at most [app.RowsAtOnce] rows after last; nil begins with the first.
	Read func(_ context.Context, last *T) ([]T, error)
	// Row writes a row, and reads what it refers to.
	Row func(context.Context, *jsondoc.Writer, T) error
}

// Send sends the list.
func (l LongList[T]) Send(r *Request) (err error) {
	a := r.LongJSON(l.Reply, l.Tag, l.Digest)
	list := func(w *jsondoc.Writer) {
		w.OpenList()
		err = l.rows(a)
		w.CloseList()
	}
	WriteEnvelope(a.W, func(w *jsondoc.Writer) {
		if l.Data == nil {
			list(w)
		} else {
			l.Data(w, list)
		}
	})
	return a.Finish(err)
}

// rows writes all rows.
func (l LongList[T]) rows(a *LongJSON) error {
	var last *T
	var size int
	for {
		found, err := l.Read(a.Ctx, last)
		if err != nil {
			return err
		}
		for i := range found {
			last = &found[i]
			if size += (*last).Size(); size > bounds.LongBytes {
				a.Start()
			}
			if err := cmp.Or(a.Err, l.Row(a.Ctx, a.W, *last)); err != nil {
				return err
			}
		}
		if bounds.IsLast(found, app.RowsAtOnce) {
			return nil
		}
	}
}
