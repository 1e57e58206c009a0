package httpapi

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/activity"
	"orgd/domain/jsondoc"
)

const (
	eventsType = "text/event-stream"
	// reconnectAfter is how long clients are asked to wait before they come back.
	reconnectAfter = 2 * time.Second
	// eventBytes is about how much is written at once.
	eventBytes = 32 << 10
)

// streamTimes is what tests make shorter.
type streamTimes struct {
	heartbeat time.Duration // how long a stream is silent at most
	// write is how long a client may take to accept one write. Who reads nothing
	// is let go then.
	write time.Duration
}

var usualStreamTimes = streamTimes{heartbeat: 15 * time.Second, write: 10 * time.Second}

// eventWriter writes Server-Sent Events. Everything but comments carries an id,
// so a client that comes back goes on where it was, also if no event was for it
// in between.
type eventWriter struct {
	out    http.ResponseWriter
	within time.Duration // for each write
	conn   *http.ResponseController
	idOf   func(activity.Seq) string
	buffer []byte
}

// unsent is the error of a write to the client.
type unsent struct{ error }

func (e *unsent) Unwrap() error { return e.error }

// beginEvents sends the headers of a stream and lifts the deadlines of the
// connection, which are for answers that end.
func beginEvents(r *request.Request, within time.Duration, idOf func(activity.Seq) string) (*eventWriter, error) {
	if err := r.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	h := r.Writer.Header()
	h.Set("Content-Type", eventsType)
	h.Set("X-Accel-Buffering", "no") // proxies that know it pass everything on at once
	r.Writer.WriteHeader(http.StatusOK)
	r.Writer.WriteHeaderNow()
	w := &eventWriter{out: r.Writer, within: within, idOf: idOf}
	w.conn = http.NewResponseController(bare(r.Writer))
	return w, nil
}

// bare is the writer inside gin's, which keeps errors of flushing to itself.
func bare(w http.ResponseWriter) http.ResponseWriter {
	if u, ok := w.(interface{ Unwrap() http.ResponseWriter }); ok {
		return u.Unwrap()
	}
	return w
}

// open tells where the stream begins.
func (w *eventWriter) open(p activity.Seq) error {
	w.buffer = append(w.buffer, "retry: "...)
	w.buffer = strconv.AppendInt(w.buffer, reconnectAfter.Milliseconds(), 10)
	w.buffer = append(w.buffer, '\n')
	w.id(p)
	w.buffer = append(w.buffer, '\n')
	return w.flush()
}

// heartbeat says that all is well, and that nothing up to p is for the client.
func (w *eventWriter) heartbeat(p activity.Seq) error {
	w.buffer = append(w.buffer, ": heartbeat\n"...)
	w.id(p)
	w.buffer = append(w.buffer, '\n')
	return w.flush()
}

// resync tells that events before p may be missing.
func (w *eventWriter) resync(p activity.Seq) error {
	w.buffer = append(w.buffer, "event: resync\n"...)
	w.id(p)
	w.buffer = append(w.buffer, `data: {"reason":"the log does not reach back to the id; read the feed to catch up"}`+"\n\n"...)
	return w.flush()
}

// events writes a stretch. A client that has all of it is at its end.
func (w *eventWriter) events(s app.Stretch) error {
	for i, e := range s.Events {
		position := e.Seq
		if i == len(s.Events)-1 {
			position = s.Position
		}
		w.id(position)
		w.buffer = append(w.buffer, "data: "...)
		text := jsondoc.NewWriter(w.buffer)
		e.Event.Write(text)
		w.buffer = append(text.Bytes(), "\n\n"...)
		if len(w.buffer) < eventBytes && i < len(s.Events)-1 {
			continue
		}
		if err := w.flush(); err != nil {
			return err
		}
	}
	return nil
}

// comment writes a remark for people.
func (w *eventWriter) comment(text string) error {
	w.buffer = append(append(append(w.buffer, ": "...), text...), "\n\n"...)
	return w.flush()
}

func (w *eventWriter) id(p activity.Seq) {
	w.buffer = append(append(append(w.buffer, "id: "...), w.idOf(p)...), '\n')
}

// flush sends what was written. An error is an unsent.
func (w *eventWriter) flush() error {
	err := w.conn.SetWriteDeadline(time.Now().Add(w.within))
	if errors.Is(err, http.ErrNotSupported) { // not a connection
		err = nil
	}
	if err == nil {
		_, err = w.out.Write(w.buffer)
	}
	if err == nil {
		err = w.conn.Flush()
	}
	w.buffer = w.buffer[:0]
	if err != nil {
		return &unsent{err}
	}
	return nil
}
