package request

import (
	"crypto/sha256"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

const (
	// BodyTimeout is how long a client may take to send its body.
	BodyTimeout = 15 * time.Second
	// spoolTimeout is the same for a body that is spooled.
	spoolTimeout = 5 * time.Minute
)

// errBody is a body that is wrong before it is JSON.
var errBody = fault.New(fault.RequestValidation, "the request body is not acceptable")

// ErrIncomplete is a body of which a part is missing. It is answered, although
// net/http cancels the context of a request whose body cannot be read, as if the client
// had left.
var ErrIncomplete = fault.New(fault.RequestValidation, "the request body is not complete")

// read returns the request's body, bounded in size, time and memory; "" on a route that
// takes none, where nothing is read.
func (r *Request) read() (string, error) {
	if r.arrived || r.Route.MaxBody == 0 {
		return r.body, nil
	}
	max := r.Route.MaxBody
	var body string
	err := r.receive(max, BodyTimeout, func(from io.Reader) (err error) {
		size := r.HTTP.ContentLength
		if size < 0 {
			size = max
		}
		body, err = readAll(from, size, func(n int64) error { return r.takeMemory(n, size) })
		return err
	})
	switch {
	case err == nil:
		r.body, r.arrived = body, true
	case errors.Is(err, ErrBodies):
		r.Env.Turns.Denied("bodies")
		// What is left of the body does not hold the answer up.
		err = errors.Join(err, r.SetReadDeadline(time.Now()))
	}
	return body, err
}

// takeMemory takes memory for n bytes of a body of size, of which more has arrived than
// there was memory for. More than a small part of it is taken at once as for all of it, or
// many that have a part of theirs would wait for each other.
func (r *Request) takeMemory(n, size int64) error {
	small := &r.Env.Bodies.small
	if r.memory == nil {
		r.memory = small.hold(r.subject(), r.stopReading)
	}
	if n <= small.most || r.memory.pool != small {
		return r.memory.grow(r.Client, n)
	}
	if err := r.memory.stay(); err != nil {
		return err
	}
	whole := r.Env.Bodies.of(size).hold(r.subject(), r.stopReading)
	if err := whole.grow(r.Client, size); err != nil {
		whole.release()
		return err
	}
	part := r.memory
	r.memory = whole
	part.release()
	if err := r.SetReadDeadline(time.Now().Add(BodyTimeout)); err != nil {
		return err
	}
	return r.memory.stands()
}

func (r *Request) stopReading() {
	// An error is that of a connection that has ended.
	_ = r.SetReadDeadline(time.Now())
}

// dropBody gives the memory of the body back. Whoever answers has done with it.
func (r *Request) dropBody() {
	r.body, r.arrived = "", false
	r.memory.release()
	r.memory = nil
}

// receive has take read the body, bounded in size and time. Then it starts the timeout of
// the work again.
func (r *Request) receive(max int64, timeout time.Duration, take func(io.Reader) error) error {
	if r.HTTP.ContentLength > max {
		return errBody.With("the request body must be at most %d bytes, it has %d", max, r.HTTP.ContentLength)
	}
	if err := r.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	err := take(http.MaxBytesReader(r.Writer, r.HTTP.Body, max))
	var large *http.MaxBytesError
	if gone := r.memory.stay(); gone != nil {
		return gone
	}
	switch {
	case err == nil:
		r.restartTimeout()
		// The body is complete. A deadline that passes would look like a client that
		// leaves. While it came the session may have ended.
		return errors.Join(r.SetReadDeadline(time.Time{}), r.live())
	case errors.As(err, &large):
		return errBody.With("the request body is larger than %d bytes", max)
	case errors.Is(err, errSpool), errors.Is(err, ErrBodies), r.Client.Err() != nil && errors.Is(err, r.Client.Err()):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ErrIncomplete.With("the request body did not arrive within %d seconds", int(timeout.Seconds()))
	default:
		return ErrIncomplete.With("the request body ended early")
	}
}

// Spool returns the body of a request to a spooled route, bounded in size and time. It
// is closed with the request.
func (r *Request) Spool() (*Spool, error) {
	if r.spooled != nil {
		return r.spooled, nil
	}
	r.spooled = NewSpool()
	err := r.receive(r.Env.MaxDocument, spoolTimeout, func(from io.Reader) error {
		_, err := io.Copy(r.spooled, from)
		return err
	})
	return r.spooled, err
}

// BodySum returns the SHA-256 of the body.
func (r *Request) BodySum() ([sha256.Size]byte, error) {
	if r.Route.Spooled {
		s, err := r.Spool()
		return s.Sum(), err
	}
	body, err := r.read()
	hash := sha256.New()
	// A reader alone, because one that also writes would copy the body as a whole.
	_, _ = io.Copy(hash, struct{ io.Reader }{strings.NewReader(body)}) // neither can fail
	return [sha256.Size]byte(hash.Sum(nil)), err
}

// SetReadDeadline bounds reading from the connection, if there is one. The zero time is
// no bound.
func (r *Request) SetReadDeadline(t time.Time) error {
	return ignoreNotSupported(http.NewResponseController(r.Writer).SetReadDeadline(t))
}

// ignoreNotSupported drops the error of a writer that is no connection.
func ignoreNotSupported(err error) error {
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

const (
	// firstRead is how much memory a body gets before any of it has arrived, in bytes.
	firstRead = 512
	// mostRead is how much is read at once.
	mostRead = 16 << 10
)

// firstPieces and pieces are the memory that bodies are read with, [firstRead] and
// [mostRead] bytes each.
var (
	firstPieces = sync.Pool{New: func() any { return new([firstRead]byte) }}
	pieces      = sync.Pool{New: func() any { return new([mostRead]byte) }}
)

// readAll reads r to its end. It is mostly no longer than size, which spares
// memory, but memory grows with what has arrived: a client may announce any size. take is
// called with how large the body may become, whenever that grows.
func readAll(r io.Reader, size int64, take func(int64) error) (string, error) {
	first := firstPieces.Get().(*[firstRead]byte)
	defer firstPieces.Put(first)
	body, piece := new(strings.Builder), first[:]
	for {
		n, err := r.Read(piece)
		if body.Cap()-body.Len() < n {
			room := larger(body, n, size)
			if err := take(room); err != nil {
				return "", err
			}
			next := new(strings.Builder)
			next.Grow(int(room))
			next.WriteString(body.String())
			body = next
		}
		body.Write(piece[:n])
		if err == io.EOF {
			return body.String(), nil
		}
		if err != nil {
			return "", err
		}
		if n == firstRead && len(piece) == firstRead {
			more := pieces.Get().(*[mostRead]byte)
			defer pieces.Put(more)
			piece = more[:]
		}
	}
}

// larger returns room for n bytes more than body has, and for twice of what it has unless
// that exceeds size.
func larger(body *strings.Builder, n int, size int64) int64 {
	return max(min(int64(max(firstRead, 2*body.Len())), size), int64(body.Len()+n))
}

// Text reads the body, whatever it is.
func (r *Request) Text() (string, error) { return r.read() }

// HasBody reads the body and reports whether there is one.
func (r *Request) HasBody() (bool, error) {
	body, err := r.read()
	return body != "", err
}

var (
	documentTypes = []string{protocol.JSON}
	patchTypes    = []string{protocol.JSON, "application/merge-patch+json"}
)

// Document reads the body as one JSON value. That of a PATCH may have the media type of a
// JSON Merge Patch.
func (r *Request) Document() (jsondoc.Value, error) {
	types := documentTypes
	if r.HTTP.Method == http.MethodPatch {
		types = patchTypes
	}
	if _, err := BodyType(r.HTTP.Header, types...); err != nil {
		return jsondoc.Value{}, err
	}
	body, err := r.read()
	if err != nil {
		return jsondoc.Value{}, err
	}
	if len(body) == 0 {
		return jsondoc.Value{}, errBody.With("the request body is empty, a JSON object is required")
	}
	return jsondoc.Parse(body)
}

// BodyType returns the media type of a body, which must be one of types.
func BodyType(h http.Header, types ...string) (string, error) {
	if enc := h["Content-Encoding"]; len(enc) > 0 && !strings.EqualFold(strings.Join(enc, ","), "identity") {
		return "", errBody.With("Content-Encoding: is not supported")
	}
	values := h["Content-Type"]
	if len(values) == 1 && values[0] == types[0] {
		return types[0], nil
	}
	wanted := strings.Join(types, " or ")
	if len(values) != 1 {
		return "", errBody.With("Content-Type: must be %s", wanted)
	}
	typ, params, err := mime.ParseMediaType(values[0])
	charset, hasCharset := params["charset"]
	if err != nil || hasCharset && !strings.EqualFold(charset, "utf-8") {
		return "", errBody.With("Content-Type: must be %s in UTF-8", wanted)
	}
	if !slices.Contains(types, typ) {
		return "", errBody.With("Content-Type: must be %s", wanted)
	}
	return typ, nil
}
