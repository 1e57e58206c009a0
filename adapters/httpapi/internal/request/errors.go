package request

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/session"
	"orgd/ports"
)

var (
	// ErrNoRoute is a path that no route has.
	ErrNoRoute = fault.New(fault.RouteNotFound, "no such endpoint")
	// ErrNoMethod is a method that the route does not have. Its status is 405.
	ErrNoMethod = fault.New(fault.RequestValidation, "this endpoint does not answer this method")
)

// statusOf is the one place where a code becomes a status.
func statusOf(c fault.Code) int {
	switch c {
	case fault.Unauthorized, fault.SessionRevoked:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.Validation, fault.RequestValidation:
		return http.StatusBadRequest
	case fault.NotFound, fault.RecordNotFound, fault.RouteNotFound:
		return http.StatusNotFound
	case fault.Conflict, fault.Duplicate, fault.VersionConflict:
		return http.StatusConflict
	case fault.RateLimited, fault.OperationLimited, fault.ConcurrencyLimited:
		return http.StatusTooManyRequests
	case fault.BudgetExhausted:
		return http.StatusPaymentRequired
	case fault.Provider:
		return http.StatusBadGateway
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// publicMessages replace the messages of errors whose cause is not the client's business.
var publicMessages = map[fault.Code]string{
	fault.Internal:    "an unexpected error occurred",
	fault.Unavailable: "the service is temporarily unavailable",
	fault.Persistence: "the storage failed to do this",
}

// Fail answers an error. It is the only place that logs one.
func (r *Request) Fail(err error) {
	f := FaultOf(r.withName(err))
	status := statusOf(f.Code)
	if errors.Is(err, ErrNoMethod) {
		status = http.StatusMethodNotAllowed
	}
	r.Code = f.Code
	if status >= http.StatusInternalServerError {
		r.Env.Log.Error("request failed", append([]zap.Field{zap.String("instance", r.ID),
			zap.String("route", r.Route.Name), zap.Stringer("code", f.Code), zap.Error(err)}, r.Trace...)...)
	}
	if r.Writer.Written() {
		panic(http.ErrAbortHandler) // the answer has begun; it is cut off
	}
	h := r.Writer.Header()
	h.Del("ETag") // of the answer that failed
	h.Del("Link")
	h.Set("Cache-Control", "no-store")
	if f.RetryAfter > 0 {
		h.Set("Retry-After", strconv.FormatInt(protocol.Seconds(f.RetryAfter), 10))
	}
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if r.Route.Back != "" && protocol.Prefers(r.HTTP.Header, "text/html", protocol.JSON) {
		r.failPage(f, status)
		return
	}
	if r.problem {
		r.Write(status, protocol.Problem, r.problemBody(f, status))
		return
	}
	r.Write(status, protocol.JSON, r.errorBody(f))
}

// FaultOf returns the fault in err as it is answered: a 5xx has a public message, and a
// 503 a time after which to retry.
func FaultOf(err error) *fault.Error {
	f := fault.Of(err)
	if f.Code == fault.Internal && errors.Is(err, context.DeadlineExceeded) {
		f = ports.ErrUnavailable.Because(err)
	}
	if f.Code == fault.Unavailable && f.RetryAfter == 0 {
		f = f.After(time.Second)
	}
	if text, ok := publicMessages[f.Code]; ok && !errors.Is(f, session.ErrProvider) { // which people can do something about
		f = f.With("%s", text)
	}
	return f
}

// errorBody is the envelope of an error.
func (r *Request) errorBody(f *fault.Error) []byte {
	w := jsondoc.NewWriter(make([]byte, 0, 512))
	w.Open()
	w.Field("data").Null()
	w.Field("error").Text(f.Msg)
	w.Field("error_detail").Open()
	r.writeDetail(w, f)
	w.Close()
	w.Field("success").Bool(false)
	w.Close()
	return w.Bytes()
}

// problemBody is the bare problem document (RFC 9457).
func (r *Request) problemBody(f *fault.Error, status int) []byte {
	w := jsondoc.NewWriter(make([]byte, 0, 512))
	w.Open()
	w.Field("status").Int(int64(status))
	r.writeDetail(w, f)
	w.Close()
	return w.Bytes()
}

func (r *Request) writeDetail(w *jsondoc.Writer, f *fault.Error) {
	category := f.Code.Category()
	w.Field("detail").Text(f.Msg)
	w.Field("error_code").Int(int64(f.Code))
	w.Field("error_category").Text(category.Name)
	w.Field("retryable").Bool(f.Code.Retryable())
	if w.Field("retry_after"); f.RetryAfter > 0 {
		w.Int(protocol.Seconds(f.RetryAfter))
	} else {
		w.Null()
	}
	w.Field("instance").Text(r.ID)
	w.Field("title").Text(category.Title)
	w.Field("type").Text(r.Env.ErrorDocs + "#" + category.Name)
	if r.Route.Mistakes && category == fault.Validation.Category() {
		writeMistakes(w, f.Mistakes())
	}
}

func writeMistakes(w *jsondoc.Writer, mistakes []fault.Mistake) {
	w.Field("errors").OpenList()
	for _, m := range mistakes {
		w.Open()
		w.Field("path").Text(m.Path)
		w.Field("text").Text(m.Text)
		if w.Field("line"); m.Line > 0 {
			w.Int(int64(m.Line))
		} else {
			w.Null()
		}
		w.Close()
	}
	w.CloseList()
}
