package httpapi

import (
	"errors"
	"net/http"
	"time"
)

// flushAt is from how many bytes on a part of a long answer is sent.
const flushAt = 64 << 10

// writeTimeout is how long a client may take to read an answer, or a part of a long
// one.
const writeTimeout = 60 * time.Second

// longAnswer is an answer that goes out while it is made. One that turns out to
// be short is sent as any other.
type longAnswer struct {
	x           *exchange
	status      int
	contentType string
	buf         []byte
	begun       bool
}

// errHeadOnly ends the making of a long answer of which only the head is
// wanted.
var errHeadOnly = errors.New("httpapi: only the head of the answer is wanted")

func (x *exchange) long(contentType string) *longAnswer {
	return &longAnswer{x: x, status: http.StatusOK, contentType: contentType}
}

// room is where the next part is appended; write takes the longer slice.
func (a *longAnswer) room() []byte { return a.buf }

func (a *longAnswer) write(buf []byte) error {
	a.buf = buf
	if len(a.buf) < flushAt {
		return nil
	}
	return a.flush()
}

// flush sends what there is. Each part has the time that a whole answer of
// another request has.
func (a *longAnswer) flush() error {
	w := a.x.Writer
	if !a.begun {
		w.Header().Set("Content-Type", a.contentType)
		w.WriteHeader(a.status)
		w.WriteHeaderNow()
		a.begun = true
	}
	if a.x.Request.Method == http.MethodHead {
		return errHeadOnly
	}
	if err := a.x.setWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err := w.Write(a.buf)
	a.buf = a.buf[:0]
	return err
}

// finish ends the answer. err is what its making ended with.
func (a *longAnswer) finish(err error) error {
	switch {
	case errors.Is(err, errHeadOnly):
		return nil
	case err != nil:
		return err
	case a.begun:
		return a.flush()
	}
	a.x.write(a.status, a.contentType, a.buf)
	return nil
}

// noDeadline is the deadline of an answer that is made before it is sent, however
// long that takes; sending it sets another one.
var noDeadline time.Time

// setWriteDeadline bounds writing to the connection, where there is one.
func (x *exchange) setWriteDeadline(t time.Time) error {
	err := http.NewResponseController(x.Writer).SetWriteDeadline(t)
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}
