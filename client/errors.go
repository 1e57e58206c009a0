package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrNotModified is returned by a read with [IfNoneMatch] when nothing has
// changed.
var ErrNotModified = errors.New("client: not modified")

// Error is an answer of the service that is no success. errors.As finds it in
// what a method returns, and errors.Is its Code.
type Error struct {
	// Code is the code of the API, 0 if something between the client and the
	// service has answered.
	Code Code
	// Category is the kind of the error, "" with code 0.
	Category Category
	// Type is an address that explains the category.
	Type string
	// Title is the category in words.
	Title string
	// Detail says what went wrong this time. It is generic for every 5xx.
	Detail string
	// Mistakes are what Detail says, one by one. Only plan, apply and reports of
	// activity have them, with [ErrValidation] and [ErrRequestValidation].
	Mistakes []Mistake
	// Status is the HTTP status.
	Status int
	// Instance is the id of the request; the service's log has it.
	Instance string
	// Retryable says that the same request may succeed later.
	Retryable bool
	// RetryAfter is how long the service asks to wait, 0 if it does not say.
	RetryAfter time.Duration

	// Method and Path are those of the request, without the path of the API.
	Method, Path string
	// Attempts is how often the request was sent.
	Attempts int
	// Uncertain says that the request may have had its effect although it failed:
	// this attempt or an earlier one was answered by a 5xx or not at all.
	Uncertain bool
}

// Error implements error. It names the request, the code, what went wrong and
// the instance.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %d", e.Method, e.Path, e.Status)
	if e.Code != 0 {
		fmt.Fprintf(&b, "/%s", e.Code)
	}
	fmt.Fprintf(&b, ": %s (instance %s", e.Detail, e.Instance)
	if e.Attempts > 1 {
		fmt.Fprintf(&b, ", %d attempts", e.Attempts)
	}
	if e.Uncertain {
		b.WriteString(", outcome uncertain")
	}
	b.WriteString(")")
	return b.String()
}

// Is reports whether target is the error's [Code].
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && e.Code == code
}

// A Failure is a request that got no answer, or one that nobody can use.
// errors.As finds it in what a method returns.
type Failure struct {
	// Method and Path are those of the request, without the path of the API.
	Method, Path string
	// Attempts is how often the request was tried.
	Attempts int
	// Lost says that the service was not reached, or that its answer did not arrive.
	Lost bool
	// Uncertain says that the request may have had its effect all the same.
	Uncertain bool
	// Err is the reason.
	Err error
}

// Error implements error. It names the request and the reason.
func (f *Failure) Error() string {
	attempts := ""
	if f.Attempts > 1 {
		attempts = fmt.Sprintf(" (%d attempts)", f.Attempts)
	}
	return fmt.Sprintf("client: %s %s%s: %v", f.Method, f.Path, attempts, f.Err)
}

// Unwrap returns the reason.
func (f *Failure) Unwrap() error { return f.Err }

// lost reports whether the answer tells nothing of what the service has done:
// a gateway did not reach it or gave it up.
func (e *Error) lost() bool {
	return e.Code == 0 && (e.Status == http.StatusBadGateway || e.Status == http.StatusServiceUnavailable || e.Status == http.StatusGatewayTimeout)
}

// problem is an error as it goes over the wire.
type problem struct {
	Type       string    `json:"type"`
	Title      string    `json:"title"`
	Detail     string    `json:"detail"`
	Instance   string    `json:"instance"`
	Code       Code      `json:"error_code"`
	Category   Category  `json:"error_category"`
	Retryable  bool      `json:"retryable"`
	RetryAfter *int64    `json:"retry_after"`
	Errors     []Mistake `json:"errors"`
}

// errorOf reads an answer that is no success.
func errorOf(res *http.Response, body []byte, sent http.Header) *Error {
	var envelope struct {
		Detail problem `json:"error_detail"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.Detail.Code == 0 {
		return &Error{
			Status:     res.StatusCode,
			Detail:     "this is not how orgd answers: " + excerpt(body),
			Instance:   sent.Get(requestID),
			RetryAfter: retryAfter(res.Header),
		}
	}
	p := envelope.Detail
	e := &Error{
		Code: p.Code, Category: p.Category, Type: p.Type, Title: p.Title, Detail: p.Detail, Mistakes: p.Errors,
		Status: res.StatusCode, Instance: p.Instance, Retryable: p.Retryable,
	}
	if p.RetryAfter != nil {
		e.RetryAfter = seconds(*p.RetryAfter)
	}
	return e
}

// retryAfter reads the header in its form of seconds, 0 if it is not there.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.ParseInt(h.Get("Retry-After"), 10, 64)
	if err != nil {
		return 0
	}
	return seconds(n)
}

// seconds is n seconds, at most a day and at least none: more than that nobody
// waits for, and the multiplication cannot overflow.
func seconds(n int64) time.Duration {
	const day = 24 * 60 * 60
	return time.Duration(min(max(n, 0), day)) * time.Second
}

// excerpt is the beginning of a text that is not expected, for people.
func excerpt(body []byte) string {
	const most = 120
	if len(body) == 0 {
		return "an empty body"
	}
	return strconv.QuoteToASCII(string(body[:min(len(body), most)]))
}
