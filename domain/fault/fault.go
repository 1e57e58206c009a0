// Package fault names the errors of the published interface.
//
// A fault is a code of the interface, a sentence for the client and, where an
// outside cause exists, that cause for the log. The package that owns a rule
// declares the sentinel with [New]; the place where the rule is broken adds the
// occurrence with [Error.With]; errors.Is still finds the sentinel.
package fault

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// Error is one fault. The zero value is not useful; use [New].
type Error struct {
	// Code is the code of the interface; it decides category, status and
	// whether a client may retry.
	Code Code
	// Msg is written for the client: it names the field or the record and the
	// reason, and never repeats the text of a driver or of the runtime.
	Msg string
	// RetryAfter is how long the client should wait, 0 when unknown. Clients
	// are told whole seconds, rounded up.
	RetryAfter time.Duration

	kind     *Error    // the sentinel this occurrence belongs to
	cause    error     // what the outside world said; only for the log
	mistakes []Mistake // nil if Msg is the only one
}

// New makes a sentinel. Declare it as a package variable beside its rule.
func New(code Code, msg string) *Error {
	return &Error{Code: code, Msg: msg}
}

// With returns an occurrence of e that says what happened this time.
// errors.Is(occurrence, e) holds.
func (e *Error) With(format string, args ...any) *Error {
	o := e.occurrence()
	o.Msg, o.mistakes = fmt.Sprintf(format, args...), nil
	return o
}

// Because returns an occurrence of e that keeps the cause for the log. The
// cause never reaches a client.
func (e *Error) Because(cause error) *Error {
	o := e.occurrence()
	o.cause = cause
	return o
}

// After returns an occurrence of e that asks the client to wait for d.
func (e *Error) After(d time.Duration) *Error {
	o := e.occurrence()
	o.RetryAfter = d
	return o
}

func (e *Error) occurrence() *Error {
	o := *e
	if o.kind == nil {
		o.kind = e
	}
	return &o
}

// Error is the text for the log: the sentence, then the cause.
func (e *Error) Error() string {
	if e.cause != nil {
		return e.Msg + ": " + e.cause.Error()
	}
	return e.Msg
}

// Is reports whether target is the sentinel of this occurrence.
func (e *Error) Is(target error) bool { return e.kind != nil && target == error(e.kind) }

// Unwrap returns the outside cause, or nil.
func (e *Error) Unwrap() error { return e.cause }

// ErrInternal is what a client sees of an error that names no fault.
var ErrInternal = New(Internal, "an unexpected error occurred")

// Of returns the fault in err's chain. An error without one is [ErrInternal],
// with err as its cause: what nobody planned for is never shown to a client.
func Of(err error) *Error {
	var f *Error
	if errors.As(err, &f) {
		return f
	}
	return ErrInternal.Because(err)
}

// Recover, when deferred, turns a panic into an error that begins with what and has
// the stack. Without a panic it leaves err as it is.
func Recover(err *error, what string) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%s: %s\n%s", what, PanicText(v), debug.Stack())
	}
}

// PanicText describes the value of a panic for a log. Only the runtime's own
// words are shown: any other value may hold somebody's data.
func PanicText(v any) string {
	var own runtime.Error
	if err, ok := v.(error); ok && errors.As(err, &own) {
		return own.Error()
	}
	return fmt.Sprintf("a value of type %T", v)
}
