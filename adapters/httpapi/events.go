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
	// reconnectAfter is how long clients are asked to wait before they reconnect.
	reconnectAfter = 2 * time.Second
	// eventBytes is about how much is written at once, in bytes.
	eventBytes = 32 << 10
)

// streamTimes are the times of streams. Tests make them shorter.
type streamTimes struct {
	heartbeat time.Duration // the longest time between two writes
	// write is how long a client may take to read one write. Then its stream ends.
	write time.Duration
}

var usualStreamTimes = streamTimes{heartbeat: 15 * time.Second, write: 10 * time.Second}

// eventWriter writes Server-Sent Events. Everything but comments carries an id,
// so a client that reconnects continues from there, also if no event was for it
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

// beginEvents sends the headers of a stream and removes the read deadline of the
// connection. within bounds each write.
func beginEvents(r *request.Request, within time.Duration, idOf func(activity.Seq) string) (*eventWriter, error) {
	if err := r.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	h := r.Writer.Header()
	h.Set("Content-Type", eventsType)
	h.Set("X-Accel-Buffering", "no") // tells nginx not to buffer the answer
	r.WriteStatus(http.StatusOK)
	w := &eventWriter{out: r.Writer, within: within, idOf: idOf}
	w.conn = http.NewResponseController(bare(r.Writer))
	return w, nil
}

// bare returns the writer inside gin's, which drops the errors of flushing.
func bare(w http.ResponseWriter) http.ResponseWriter {
	if u, ok := w.(interface{ Unwrap() http.ResponseWriter }); ok {
		return u.Unwrap()
	}
	return w
}

// open writes the position that the stream begins at.
func (w *eventWriter) open(p activity.Seq) error {
	return w.position("retry: "+strconv.FormatInt(reconnectAfter.Milliseconds(), 10)+"\n", p, "\n")
}

// heartbeat writes the position p: no event up to it is for the client.
func (w *eventWriter) heartbeat(p activity.Seq) error {
	return w.position(": heartbeat\n", p, "\n")
}

// resync writes that events before p may be missing.
func (w *eventWriter) resync(p activity.Seq) error {
	return w.position("event: resync\n", p, `data: {"reason":"the log does not reach back to the id; read the feed to catch up"}`+"\n\n")
}

// position sends the id of a position between two texts.
func (w *eventWriter) position(before string, p activity.Seq, after string) error {
	w.buffer = append(w.buffer, before...)
	w.id(p)
	w.buffer = append(w.buffer, after...)
	return w.flush()
}

// events writes a batch. The id of its last event is the position at the end of the batch.
func (w *eventWriter) events(batch app.Batch) error {
	for i, e := range batch.Events {
		position := e.Seq
		if i == len(batch.Events)-1 {
			position = batch.Position
		}
		w.id(position)
		w.buffer = append(w.buffer, "data: "...)
		text := jsondoc.NewWriter(w.buffer)
		e.Write(text)
		w.buffer = append(text.Bytes(), "\n\n"...)
		if len(w.buffer) < eventBytes && i < len(batch.Events)-1 {
			continue
		}
		if err := w.flush(); err != nil {
			return err
		}
	}
	return nil
}

// comment writes a comment, which clients ignore.
func (w *eventWriter) comment(text string) error {
	w.buffer = append(append(append(w.buffer, ": "...), text...), "\n\n"...)
	return w.flush()
}

func (w *eventWriter) id(p activity.Seq) {
	w.buffer = append(append(append(w.buffer, "id: "...), w.idOf(p)...), '\n')
}

// flush sends the buffer. An error is an unsent.
func (w *eventWriter) flush() error {
	err := w.conn.SetWriteDeadline(time.Now().Add(w.within))
	if err == nil || errors.Is(err, http.ErrNotSupported) { // not a connection
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
