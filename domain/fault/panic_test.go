package fault

import (
	"errors"
	"fmt"
	"testing"
)

func TestPanicText(t *testing.T) {
	const outOfRange = "runtime error: index out of range [1] with length 0"
	reach := func(list []int) int { return list[1] }
	for _, c := range []struct {
		panics func()
		want   string
	}{
		{func() { panic("secret") }, "a value of type string"},
		{func() { panic(errors.New("secret")) }, "a value of type *errors.errorString"},
		{func() { reach(nil) }, outOfRange},
		{func() {
			defer func() { panic(fmt.Errorf("secret: %w", recover().(error))) }()
			reach(nil)
		}, outOfRange},
	} {
		func() {
			defer func() {
				if got := PanicText(recover()); got != c.want {
					t.Errorf("PanicText = %q, want %q", got, c.want)
				}
			}()
			c.panics()
		}()
	}
}
