package httpapi

import (
	"bytes"
	"context"

	"orgd/app"
	"orgd/domain/jsondoc"
	bounds "orgd/domain/page"
	"orgd/domain/receipt"
)

// longList is an answer with all rows of a list, which may have hundreds of
// megabytes: what is longer than a page is sent while it is read.
type longList[T bounds.Row] struct {
	reply  receipt.Reply // with an empty list
	member string        // the name of the list, the last one of it in the body
	// tag, if any, makes the entity tag. A list that is sent while it is read is not
	// whole when its tag is made.
	tag func(whole bool) string
	// read reads at most [app.RowsAtOnce] rows behind last; nil begins with the first.
	read func(_ context.Context, last *T) ([]T, error)
	row  func(*jsondoc.Writer, T)
}

// answer sends the list; short is how an answer is sent that is not longer than a
// page.
func (l longList[T]) answer(x *exchange, short func(receipt.Reply) error) error {
	r := l.reply
	open := `"` + l.member + `":[`
	at := bytes.LastIndex(r.Body, []byte(open)) + len(open)
	out := x.long(jsonType)
	out.status = r.Status
	buf := append(out.room(), r.Body[:at]...)
	var last *T
	ctx := x.ctx()
	for {
		found, err := l.read(ctx, last)
		if err != nil {
			return err
		}
		for i := range found {
			if last != nil {
				buf = append(buf, ',')
			}
			last = &found[i]
			w := jsondoc.NewWriter(buf)
			l.row(w, *last)
			buf = w.Bytes()
			if len(buf) <= bounds.MaxBytes && !out.begun {
				continue
			}
			if !out.begun {
				if l.tag != nil {
					r.ETag = l.tag(false)
				}
				x.describe(r)
				longer, cancel := context.WithTimeout(x.client, x.server.cfg.OrganizationTimeout)
				defer cancel()
				ctx = longer
			}
			if err := out.write(buf); err != nil {
				return out.finish(err)
			}
			buf = out.room()
		}
		if bounds.IsLast(found, app.RowsAtOnce) {
			break
		}
	}
	buf = append(buf, r.Body[at:]...)
	if out.begun {
		return out.finish(out.write(buf))
	}
	r.Body = buf
	if l.tag != nil {
		r.ETag = l.tag(true)
	}
	return short(r)
}
