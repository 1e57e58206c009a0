package request

import (
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
	bounds "orgd/domain/page"
)

// Write sends a whole answer. Unless it reports that it has done so, the body may still be read
// by the connection, which has not ended its writing when the client leaves.
func (r *Request) Write(status int, contentType string, body []byte) (sent bool) {
	if r.Route.Long {
		// Sending has its own time, however long the work has taken.
		if err := r.SetWriteDeadline(time.Now().Add(WriteTimeout)); err != nil {
			r.Env.Log.Debug("answer not bounded in time", zap.String("instance", r.ID), zap.Error(err))
		}
	}
	h := r.Writer.Header()
	h["Content-Type"] = []string{contentType}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	r.dropBody()
	r.Writer.WriteHeader(status)
	if r.HTTP.Method == http.MethodHead {
		r.Writer.WriteHeaderNow()
		return true
	}
	r.EndTurn()
	_, err := r.Writer.Write(body)
	if err != nil {
		// The client has left. Nothing is undone.
		r.Env.Log.Debug("answer not sent", zap.String("instance", r.ID), zap.Error(err))
	}
	return err == nil
}

// WriteTimeout is how long a client may take to read an answer, or a part of a long one.
const WriteTimeout = 60 * time.Second

// SetWriteDeadline bounds writing to the connection, if there is one. The zero time is no
// bound.
func (r *Request) SetWriteDeadline(t time.Time) error {
	return ignoreNotSupported(http.NewResponseController(r.Writer).SetWriteDeadline(t))
}

// Tag returns an entity tag as clients see it.
func (r *Request) Tag(tag string) string { return protocol.In(r.Env.Incarnation(), tag) }

// setHeaders sets the headers of a reply.
func (r *Request) setHeaders(reply idempotency.Reply) {
	h := r.Writer.Header()
	if reply.ETag != "" {
		h["Etag"] = []string{r.Tag(reply.ETag)}
	}
	if reply.Location != "" {
		h["Location"] = []string{reply.Location}
	}
}

// Send answers with a reply, which may be that of an earlier request. It answers a read
// with 304 if the client has the reply.
func (r *Request) Send(reply idempotency.Reply) error {
	if r.IsRead() && reply.ETag != "" {
		if tag := r.Tag(reply.ETag); protocol.ClientHas(r.HTTP.Header, tag) {
			return r.NotModified(tag)
		}
	}
	r.setHeaders(reply)
	if reply.Status == http.StatusNoContent {
		r.WriteStatus(reply.Status)
		return nil
	}
	r.Write(reply.Status, protocol.JSON, reply.Body)
	return nil
}

// WriteStatus sends an answer without a body.
func (r *Request) WriteStatus(status int) {
	r.dropBody()
	r.Writer.WriteHeader(status)
	r.Writer.WriteHeaderNow()
}

// NoContent answers with 204.
func (r *Request) NoContent() error { return r.Send(idempotency.Reply{Status: http.StatusNoContent}) }

// SendData answers with 200 and an envelope, whose payload data writes.
func (r *Request) SendData(data func(*jsondoc.Writer)) error {
	return r.SendReply(idempotency.Reply{Status: http.StatusOK}, data)
}

// SendReply answers with a reply that has no body yet: an envelope, whose payload data writes.
func (r *Request) SendReply(reply idempotency.Reply, data func(*jsondoc.Writer)) error {
	r.setHeaders(reply)
	r.writeBody(reply.Status, func(w *jsondoc.Writer) { WriteEnvelope(w, data) })
	return nil
}

// SendObject answers with 200 and an envelope, whose payload is an object with the
// members that are written by members.
func (r *Request) SendObject(members func(*jsondoc.Writer)) error {
	return r.SendData(Object(members))
}

// SendObjectIfNew does the same, or answers with 304 if the client has the entity tag.
func (r *Request) SendObjectIfNew(tag string, members func(*jsondoc.Writer)) error {
	tag = r.Tag(tag)
	if protocol.ClientHas(r.HTTP.Header, tag) {
		return r.NotModified(tag)
	}
	r.Writer.Header()["Etag"] = []string{tag}
	return r.SendObject(members)
}

// NotModified answers with 304 to a client that has the tag.
func (r *Request) NotModified(tag string) error {
	r.Writer.Header()["Etag"] = []string{tag}
	r.WriteStatus(http.StatusNotModified)
	return nil
}

// buffers are those of answers that were sent, for others to be written to.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer bounds the buffers that are kept, in bytes: one large answer would
// hold its memory for all the small ones that come after it.
const maxBuffer = 1 << 20

// writeBody sends an answer that body writes.
func (r *Request) writeBody(status int, body func(*jsondoc.Writer)) {
	buf := buffers.Get().(*[]byte)
	w := jsondoc.NewWriter((*buf)[:0])
	body(w)
	sent := r.Write(status, protocol.JSON, w.Bytes())
	if *buf = w.Bytes(); sent && cap(*buf) <= maxBuffer {
		buffers.Put(buf)
	}
}

// Envelope returns the body of a success; data writes its payload. sizeHint is about its
// size in bytes.
func Envelope(sizeHint int, data func(*jsondoc.Writer)) []byte {
	w := jsondoc.NewWriter(make([]byte, 0, sizeHint+64))
	WriteEnvelope(w, data)
	return w.Bytes()
}

// WriteEnvelope writes the body of a success; data writes its payload.
func WriteEnvelope(w *jsondoc.Writer, data func(*jsondoc.Writer)) {
	w.Open()
	data(w.Field("data"))
	w.Field("error").Null()
	w.Field("error_detail").Null()
	w.Field("success").Bool(true)
	w.Close()
}

// Object returns a payload that is one object, whose members are written by members.
func Object(members func(*jsondoc.Writer)) func(*jsondoc.Writer) {
	return func(w *jsondoc.Writer) {
		w.Open()
		members(w)
		w.Close()
	}
}

// Array returns a payload that is a list. Each item is written by item.
func Array[T any](items []T, item func(*jsondoc.Writer, T)) func(*jsondoc.Writer) {
	return func(w *jsondoc.Writer) {
		w.OpenList()
		for _, it := range items {
			item(w, it)
		}
		w.CloseList()
	}
}

// SendPage answers with a page of a list. rows are up to Limit+1 rows: one more than the
// page has means that there is a next page, whose cursor next makes from the last row
// sent. A page ends with the row that fills it, see [bounds.MaxBytes]: an answer
// is in memory until its client has read it.
func SendPage[T bounds.Row](r *Request, p Paging, rows []T, item func(*jsondoc.Writer, T), next func(T) protocol.Position) error {
	return sendRows(r, p, rows, bounds.Fits(rows), item, next)
}

// SendSmallPage is [SendPage] for rows that are small.
func SendSmallPage[T any](r *Request, p Paging, rows []T, item func(*jsondoc.Writer, T), next func(T) protocol.Position) error {
	return sendRows(r, p, rows, len(rows), item, next)
}

// SendFound is [SendPage] for rows that are looked for. They are all on the page, as far as it
// is not filled by them, and the next one begins behind reached; nil means that there is none.
func SendFound[T any](r *Request, p Paging, rows []T, reached protocol.Position, item func(*jsondoc.Writer, T), next func(T) protocol.Position) error {
	r.writeBody(http.StatusOK, func(w *jsondoc.Writer) {
		WritePage(w, p.Limit, func(w *jsondoc.Writer) string {
			if n := writeRows(w, rows, item); n < len(rows) {
				reached = next(rows[n-1])
			}
			if reached == nil {
				return ""
			}
			return r.link(p, reached)
		})
	})
	return nil
}

func sendRows[T any](r *Request, p Paging, rows []T, fits int, item func(*jsondoc.Writer, T), next func(T) protocol.Position) error {
	r.writeBody(http.StatusOK, func(w *jsondoc.Writer) {
		WritePage(w, p.Limit, func(w *jsondoc.Writer) (cursor string) {
			return NextPage(r, p, rows, writeRows(w, rows[:min(fits, p.Limit)], item), next)
		})
	})
	return nil
}

// NextPage returns the cursor of the page after the first n of rows, or "" if there are
// no more rows. It sets the Link to that page (RFC 8288).
func NextPage[T any](r *Request, p Paging, rows []T, n int, next func(T) protocol.Position) string {
	if n == len(rows) {
		return ""
	}
	return r.link(p, next(rows[n-1]))
}

// Cursor returns the cursor of the page behind a position.
func (r *Request) Cursor(p Paging, at protocol.Position) string {
	return r.Env.Cursors.Seal(p.scope, at)
}

// link returns the cursor of the page behind a position, and sets the Link to it.
func (r *Request) link(p Paging, at protocol.Position) string {
	cursor := r.Cursor(p, at)
	q := r.HTTP.URL.Query()
	q.Set("cursor", cursor)
	page := url.URL{Path: r.HTTP.URL.Path, RawPath: r.HTTP.URL.RawPath, RawQuery: q.Encode()}
	r.Writer.Header().Set("Link", "<"+page.String()+`>; rel="next"`)
	return cursor
}

// writeRows writes rows until a page is full, and returns how many.
func writeRows[T any](w *jsondoc.Writer, rows []T, item func(*jsondoc.Writer, T)) (n int) {
	w.OpenList()
	for n < len(rows) && len(w.Bytes()) <= bounds.MaxBytes {
		item(w, rows[n])
		n++
	}
	w.CloseList()
	return n
}

// WritePage writes a page of a list. rows writes its rows and returns the cursor of
// the next page, or "".
func WritePage(w *jsondoc.Writer, limit int, rows func(*jsondoc.Writer) (cursor string)) {
	writePage(w, limit, func(w *jsondoc.Writer) (string, bool) {
		cursor := rows(w)
		return cursor, cursor != ""
	})
}

// SendFollowed sends a page of a list that grows at its end: rows, which are small, and where
// to go on, also if there are no more yet.
func SendFollowed[T any](r *Request, p Paging, rows []T, item func(*jsondoc.Writer, T), next protocol.Position, more bool) error {
	r.writeBody(http.StatusOK, func(w *jsondoc.Writer) {
		writePage(w, p.Limit, func(w *jsondoc.Writer) (string, bool) {
			w.OpenList()
			for _, row := range rows {
				item(w, row)
			}
			w.CloseList()
			return r.link(p, next), more
		})
	})
	return nil
}

func writePage(w *jsondoc.Writer, limit int, rows func(*jsondoc.Writer) (cursor string, more bool)) {
	w.Open()
	cursor, more := rows(w.Field("data"))
	w.Field("error").Null()
	w.Field("error_detail").Null()
	w.Field("success").Bool(true)
	w.Field("pagination").Open()
	w.Field("limit").Int(int64(limit))
	w.Field("next_cursor").TextOrNull(jsondoc.NonZero(cursor))
	w.Field("has_more").Bool(more)
	w.Close()
	w.Field("degraded_sources").OpenList()
	w.CloseList()
	w.Close()
}
