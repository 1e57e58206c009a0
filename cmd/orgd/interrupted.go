package main

import (
	"context"
	"errors"
	"net/http"
	"syscall"

	"orgd/client"
)

// exitSignal is the exit code of a command that signal 0 would end; as in a shell
// the number of the signal is added.
const exitSignal = 128

// stopped is why a context has ended: the process was sent a signal.
type stopped struct{ signal syscall.Signal }

// Error implements error.
func (s stopped) Error() string { return "stopped by " + s.signal.String() }

// Is makes it a kind of context.Canceled.
func (stopped) Is(target error) bool { return target == context.Canceled }

// interruption is what a command that was called off has to say.
type interruption struct{ so string }

// Error implements error.
func (i interruption) Error() string { return "interrupted; " + i.so }

// Is makes it a kind of context.Canceled.
func (interruption) Is(target error) bool { return target == context.Canceled }

// interrupted is an error, unless ctx has ended: then it says what has come of
// that.
func interrupted(ctx context.Context, err error, so string) error {
	if err != nil && ctx.Err() != nil {
		return interruption{so}
	}
	return err
}

// failInterrupted is the exit code of a command that was called off. Only what
// the user has to know is said.
func (p process) failInterrupted(ctx context.Context, err error) int {
	var i interruption
	var f *client.Failure
	switch {
	case errors.As(err, &i):
		p.say("orgd: %s", i)
	case errors.As(err, &f) && f.Uncertain && f.Method != http.MethodGet:
		p.say("orgd: interrupted; %s", outcomeUnknown)
	}
	if s, ok := errors.AsType[stopped](context.Cause(ctx)); ok {
		return exitSignal + int(s.signal)
	}
	return exitSignal + int(syscall.SIGINT)
}
