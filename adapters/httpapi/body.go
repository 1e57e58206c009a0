package httpapi

import (
	"crypto/sha256"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

const (
	defaultMaxBody = 1 << 20
	// bodyTimeout is how long a client may take to send its body.
	bodyTimeout = 15 * time.Second
	// spoolTimeout is the same for a body that is spooled.
	spoolTimeout = 5 * time.Minute
)

// errBody is a body that is wrong before it is JSON.
var errBody = fault.New(fault.RequestValidation, "the request body is not acceptable")

// errIncomplete is a body of which a part has not come. It is answered, although
// net/http takes a connection whose body cannot be read for one whose client
// has left.
var errIncomplete = fault.New(fault.RequestValidation, "the request body is not complete")

// read returns the request's body, bounded in size and time.
func (x *exchange) read() (string, error) {
	if x.body != nil {
		return *x.body, nil
	}
	max := x.route.maxBody
	if max == 0 {
		max = defaultMaxBody
	}
	var body string
	err := x.receive(max, bodyTimeout, func(r io.Reader) (err error) {
		size := x.Request.ContentLength
		if size < 0 {
			size = max
		}
		body, err = readAll(r, size)
		return err
	})
	if err == nil {
		x.body = &body
	}
	return body, err
}

// receive lets take read the body, bounded in size and time. Then the work on the
// request begins.
func (x *exchange) receive(max int64, timeout time.Duration, take func(io.Reader) error) error {
	if x.Request.ContentLength > max {
		return tooLarge(max)
	}
	if err := x.setReadDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	err := take(http.MaxBytesReader(x.Writer, x.Request.Body, max))
	var large *http.MaxBytesError
	switch {
	case err == nil:
		x.startTimeout()
		// Nothing more is to come, and a deadline that passes looks like a
		// client that leaves.
		return x.setReadDeadline(time.Time{})
	case errors.As(err, &large):
		return tooLarge(max)
	case errors.Is(err, errSpool):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errIncomplete.With("the request body did not arrive within %d seconds", int(timeout.Seconds()))
	default:
		return errIncomplete.With("the request body ended early")
	}
}

// spool returns the request's body, bounded in size and time. It is closed with
// the exchange.
func (x *exchange) spool() (*spool, error) {
	if x.spooled != nil {
		return x.spooled, nil
	}
	x.spooled = newSpool()
	err := x.receive(x.env.maxDocument, spoolTimeout, func(r io.Reader) error {
		_, err := io.Copy(x.spooled, r)
		return err
	})
	return x.spooled, err
}

// closeSpool gives back what the body took.
func (x *exchange) closeSpool() {
	if x.spooled == nil {
		return
	}
	if err := x.spooled.close(); err != nil {
		x.env.log.Warn("temporary file not removed", zap.String("instance", x.id), zap.Error(err))
	}
}

// bodySum is the SHA-256 of the body, wherever the route keeps it.
func (x *exchange) bodySum() ([sha256.Size]byte, error) {
	if x.route.spooled {
		s, err := x.spool()
		return s.sum(), err
	}
	body, err := x.read()
	hash := sha256.New()
	// A reader alone, because one that also writes would copy the body as a whole.
	_, _ = io.Copy(hash, struct{ io.Reader }{strings.NewReader(body)}) // neither can fail
	return [sha256.Size]byte(hash.Sum(nil)), err
}

// setReadDeadline bounds reading from the connection, where there is one.
func (x *exchange) setReadDeadline(t time.Time) error {
	err := http.NewResponseController(x.Writer).SetReadDeadline(t)
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// firstRead is how much memory a body gets before any of it has arrived.
const firstRead = 16 << 10

// readAll reads r to its end. It is mostly no longer than size, which spares
// memory, but memory grows with what has arrived: announcing costs a client
// nothing.
func readAll(r io.Reader, size int64) (string, error) {
	body := new(strings.Builder)
	piece := make([]byte, min(firstRead, size+1)) // one more, where the end is found
	for {
		n, err := r.Read(piece)
		if body.Cap()-body.Len() < n {
			body = larger(body, n, size)
		}
		body.Write(piece[:n])
		if err == io.EOF {
			return body.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// larger returns body with room for n more bytes, and for twice of what it has
// unless that exceeds size.
func larger(body *strings.Builder, n int, size int64) *strings.Builder {
	room := min(int64(max(firstRead, 2*body.Len())), size)
	next := new(strings.Builder)
	next.Grow(max(int(room), body.Len()+n))
	next.WriteString(body.String())
	return next
}

func tooLarge(max int64) error {
	return errBody.With("the request body is larger than %d bytes", max)
}

// document reads the body as one JSON value. merge says that the body is a
// JSON Merge Patch, which has a media type of its own.
func (x *exchange) document(merge bool) (jsondoc.Value, error) {
	types := []string{protocol.JSON}
	if merge {
		types = append(types, "application/merge-patch+json")
	}
	if _, err := contentType(x.Request.Header, types...); err != nil {
		return jsondoc.Value{}, err
	}
	body, err := x.read()
	if err != nil {
		return jsondoc.Value{}, err
	}
	if len(body) == 0 {
		return jsondoc.Value{}, errBody.With("the request body is empty, a JSON object is required")
	}
	return jsondoc.Parse(body)
}

// contentType returns which of types the body has.
func contentType(h http.Header, types ...string) (string, error) {
	if enc := h.Values("Content-Encoding"); len(enc) > 0 && !strings.EqualFold(strings.Join(enc, ","), "identity") {
		return "", errBody.With("Content-Encoding: is not supported")
	}
	values, wanted := h.Values("Content-Type"), strings.Join(types, " or ")
	if len(values) != 1 {
		return "", errBody.With("Content-Type: must be %s", wanted)
	}
	if values[0] == types[0] {
		return types[0], nil
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
