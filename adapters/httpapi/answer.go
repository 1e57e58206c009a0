package httpapi

import (
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/jsondoc"
	bounds "orgd/domain/page"
	"orgd/domain/receipt"
)

// write sends a whole answer.
func (x *exchange) write(status int, contentType string, body []byte) {
	if x.route.long {
		// Sending has its own time, however long the work has taken.
		if err := x.setWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
			x.env.log.Debug("answer not bounded in time", zap.String("instance", x.id), zap.Error(err))
		}
	}
	h := x.Writer.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.Writer.WriteHeader(status)
	if x.Request.Method == http.MethodHead {
		x.Writer.WriteHeaderNow()
		return
	}
	x.giveTurn()
	if _, err := x.Writer.Write(body); err != nil {
		// Nobody is left to tell, and nothing is undone.
		x.env.log.Debug("answer not sent", zap.String("instance", x.id), zap.Error(err))
	}
}

// describe sets the headers that say what a reply shows, and where it is.
func (x *exchange) describe(r receipt.Reply) {
	h := x.Writer.Header()
	if r.ETag != "" {
		h.Set("ETag", r.ETag)
	}
	if r.Location != "" {
		h.Set("Location", r.Location)
	}
}

// send answers with a reply, as a fresh or a repeated request gets it.
func (x *exchange) send(r receipt.Reply) error {
	x.describe(r)
	if r.Status == http.StatusNoContent {
		x.Writer.WriteHeader(r.Status)
		x.Writer.WriteHeaderNow()
		return nil
	}
	x.write(r.Status, protocol.JSON, r.Body)
	return nil
}

// show answers a read with 200, or with 304 if the client has this already.
func (x *exchange) show(r receipt.Reply) error {
	if r.ETag != "" && protocol.MatchesNone(x.Request.Header, r.ETag) {
		return x.notModified(r.ETag)
	}
	r.Status = http.StatusOK
	return x.send(r)
}

// showData does the same with data that is not written if the client has it.
func (x *exchange) showData(tag string, data func(*jsondoc.Writer)) error {
	if protocol.MatchesNone(x.Request.Header, tag) {
		return x.notModified(tag)
	}
	x.Writer.Header()["Etag"] = []string{tag}
	x.writeBody(func(w *jsondoc.Writer) { writeEnvelope(w, data) })
	return nil
}

func (x *exchange) notModified(tag string) error {
	x.Writer.Header()["Etag"] = []string{tag}
	x.Writer.WriteHeader(http.StatusNotModified)
	x.Writer.WriteHeaderNow()
	return nil
}

// buffers are those of answers that were sent, for others to be written to.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer bounds the buffers that are kept, in bytes: one large answer would
// hold its memory for all the small ones that come after it.
const maxBuffer = 1 << 20

// writeBody sends an answer of 200 that body writes.
func (x *exchange) writeBody(body func(*jsondoc.Writer)) {
	buf := buffers.Get().(*[]byte)
	w := jsondoc.NewWriter((*buf)[:0])
	body(w)
	x.write(http.StatusOK, protocol.JSON, w.Bytes())
	if *buf = w.Bytes(); cap(*buf) <= maxBuffer {
		buffers.Put(buf)
	}
}

func (x *exchange) noContent() error { return x.send(receipt.Reply{Status: http.StatusNoContent}) }

// envelope is the body of a success; data writes its payload.
func envelope(sizeHint int, data func(*jsondoc.Writer)) []byte {
	w := jsondoc.NewWriter(make([]byte, 0, sizeHint+64))
	writeEnvelope(w, data)
	return w.Bytes()
}

func writeEnvelope(w *jsondoc.Writer, data func(*jsondoc.Writer)) {
	w.Open()
	data(w.Field("data"))
	w.Field("error").Null()
	w.Field("error_detail").Null()
	w.Field("success").Bool(true)
	w.Close()
}

// object is a payload that is one object; members writes what is in it.
func object(members func(*jsondoc.Writer)) func(*jsondoc.Writer) {
	return func(w *jsondoc.Writer) {
		w.Open()
		members(w)
		w.Close()
	}
}

// array is a payload that is a list; each item is written by item.
func array[T any](items []T, item func(*jsondoc.Writer, T)) func(*jsondoc.Writer) {
	return func(w *jsondoc.Writer) {
		w.OpenList()
		for _, it := range items {
			item(w, it)
		}
		w.CloseList()
	}
}

// page answers a list. rows are up to limit+1 rows: one more than the page has
// tells that there is a next page, whose cursor next makes from the last row
// shown. A page ends with the row that fills it, see [bounds.MaxBytes]: an answer
// is in memory until its client has read it.
func page[T bounds.Row](x *exchange, p paging, rows []T, item func(*jsondoc.Writer, T), next func(T) protocol.Position) error {
	return fitting(x, p, rows, bounds.Fits(rows), item, next)
}

// smallPage is [page] for rows that are small.
func smallPage[T any](x *exchange, p paging, rows []T, item func(*jsondoc.Writer, T), next func(T) protocol.Position) error {
	return fitting(x, p, rows, len(rows), item, next)
}

func fitting[T any](x *exchange, p paging, rows []T, fits int, item func(*jsondoc.Writer, T), next func(T) protocol.Position) error {
	x.writeBody(func(w *jsondoc.Writer) {
		writePage(w, p.limit, func(w *jsondoc.Writer) (cursor string) {
			return behind(x, p, rows, writeRows(w, rows[:min(fits, p.limit)], item), next)
		})
	})
	return nil
}

// behind returns the cursor of the page behind the first n of rows, which it links, or ""
// if there are no more.
func behind[T any](x *exchange, p paging, rows []T, n int, next func(T) protocol.Position) string {
	if n == len(rows) {
		return ""
	}
	cursor := x.env.cursors.Seal(p.scope, next(rows[n-1]))
	x.linkNext(cursor)
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

// writePage writes a page of a list. rows writes its rows and returns the cursor of
// the next page, or "".
func writePage(w *jsondoc.Writer, limit int, rows func(*jsondoc.Writer) (cursor string)) {
	w.Open()
	cursor := rows(w.Field("data"))
	w.Field("error").Null()
	w.Field("error_detail").Null()
	w.Field("success").Bool(true)
	w.Field("pagination").Open()
	w.Field("limit").Int(int64(limit))
	if w.Field("next_cursor"); cursor == "" {
		w.Null()
	} else {
		w.Text(cursor)
	}
	w.Field("has_more").Bool(cursor != "")
	w.Close()
	w.Field("degraded_sources").OpenList()
	w.CloseList()
	w.Close()
}

// linkNext says in a header where the next page is (RFC 8288).
func (x *exchange) linkNext(cursor string) {
	q := x.Request.URL.Query()
	q.Set("cursor", cursor)
	next := url.URL{Path: x.Request.URL.Path, RawPath: x.Request.URL.RawPath, RawQuery: q.Encode()}
	x.Writer.Header().Set("Link", "<"+next.String()+`>; rel="next"`)
}
