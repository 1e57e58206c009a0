package fault

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

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
