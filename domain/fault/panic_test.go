package fault

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestRecover(t *testing.T) {
	call := func(do func() error) (err error) {
		defer Recover(&err, "test: panic")
		return do()
	}
	want := errors.New("no panic")
	if err := call(func() error { return want }); err != want {
		t.Errorf("without a panic = %v, want %v", err, want)
	}
	err := call(func() error { panic("secret") })
	if err == nil || !strings.HasPrefix(err.Error(), "test: panic: a value of type string\n") || !strings.Contains(err.Error(), "TestRecover") {
		t.Errorf("of a panic = %v, want its type and the stack", err)
	}
}

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
