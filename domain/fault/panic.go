package fault

import (
	"errors"
	"fmt"
	"runtime"
)

// PanicText describes the value of a panic for a log. Only the runtime's own
// words are shown: any other value may hold somebody's data.
func PanicText(v any) string {
	var own runtime.Error
	if err, ok := v.(error); ok && errors.As(err, &own) {
		return own.Error()
	}
	return fmt.Sprintf("a value of type %T", v)
}
