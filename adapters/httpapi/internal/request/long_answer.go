package request

import (
	"errors"
	"net/http"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
)

// FlushAt is the size at which a part of a long answer is sent, in bytes.
const FlushAt = 64 << 10

// LongAnswer is an answer in JSON that is sent while it is made. A short one is sent as
// any other answer.
type LongAnswer struct {
	r      *Request
	status int
	buf    []byte
	begun  bool
}

// errHeadOnly ends the making of a long answer to a HEAD request.
var errHeadOnly = errors.New("httpapi: only the head of the answer is wanted")

// LongAnswer begins an answer of 200.
func (r *Request) LongAnswer() *LongAnswer { return &LongAnswer{r: r, status: http.StatusOK} }

// Write appends b to the answer.
func (a *LongAnswer) Write(b []byte) (int, error) { return len(b), a.Put(append(a.buf, b...)) }

// Buffer returns the slice that the next part is appended to. [LongAnswer.Put] takes the
// longer slice.
func (a *LongAnswer) Buffer() []byte { return a.buf }

// Put takes what Buffer returned with more at its end, and sends it if it is long
// enough. After an error the answer ends with [LongAnswer.Finish].
func (a *LongAnswer) Put(buf []byte) error {
	a.buf = buf
	if len(a.buf) < FlushAt {
		return nil
	}
	return a.flush()
}

// flush sends the buffer, unless the caller's session has ended since the answer was
// begun. Each part has [WriteTimeout].
func (a *LongAnswer) flush() error {
	w := a.r.Writer
	if a.begun {
		if err := a.r.live(); err != nil {
			return err
		}
	} else {
		w.Header().Set("Content-Type", protocol.JSON)
		a.r.WriteStatus(a.status)
		a.begun = true
	}
	if a.r.HTTP.Method == http.MethodHead {
		return errHeadOnly
	}
	if err := a.r.SetWriteDeadline(time.Now().Add(WriteTimeout)); err != nil {
		return err
	}
	_, err := w.Write(a.buf)
	a.buf = a.buf[:0]
	return err
}

// Finish ends the answer. err is the error of making it, if any.
func (a *LongAnswer) Finish(err error) error {
	switch {
	case errors.Is(err, errHeadOnly):
		return nil
	case err != nil:
		return err
	case a.begun:
		return a.flush()
	}
	a.r.Write(a.status, protocol.JSON, a.buf)
	return nil
}
