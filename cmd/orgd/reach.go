package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"orgd/client"
)

const (
	// reachWithin is how long the connection to a service may take.
	reachWithin = time.Second
	// silences is how many times as long its first answer may take.
	silences = 10
)

// errSilent is why a step was given up.
var errSilent = errors.New("nothing comes back")

// unreachable is a service that does not answer. Its text is one sentence. It
// does not wrap the error of the connection: a client would try that again.
type unreachable struct {
	at     connection
	format string // with a place for the address
	reason string // "" if there is no more to say
	err    error  // of the connection
}

// Error implements error.
func (u unreachable) Error() string {
	text := fmt.Sprintf(u.format, fmt.Sprintf("%s (%s)", u.at.server, u.at.setting))
	if u.reason != "" {
		text += ": " + u.reason
	}
	switch {
	case u.at.setting == byDefault:
		return text + `; start one with "orgd serve", or name another with --server`
	case isLoopback(u.at.server):
		return text + `; start one with "orgd serve", or check ` + u.at.setting
	}
	return text + "; check " + u.at.setting
}

const (
	noAnswer = "no service answers at %s"
	notOrgd  = "what answers at %s is not orgd"
)

// reach asks whether a service answers, before a token is sent to it. It does not
// repeat. A connection must be there in time; one that is silent for that long is
// said to be, and given up after silences as long.
func (c connection) reach(ctx context.Context) error {
	within := cmp.Or(c.p.within, time.Minute)
	probe, err := client.New(client.Config{BaseURL: c.server, MaxAttempts: 1})
	if err != nil {
		return err
	}
	trying, giveUp := context.WithCancelCause(ctx)
	var connected atomic.Bool
	var watch sync.WaitGroup
	watch.Go(func() {
		if sleep(trying, within) && connected.Load() {
			c.p.say("orgd: %s (%s) is silent; waiting up to %s", c.server, c.setting, silences*within)
			sleep(trying, (silences-1)*within)
		}
		giveUp(errSilent)
	})
	_, err = probe.Liveness(httptrace.WithClientTrace(trying, &httptrace.ClientTrace{
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				connected.Store(true)
			}
		},
	}))
	silent := context.Cause(trying) == errSilent
	giveUp(nil)
	watch.Wait()
	var answer *client.Error
	var failed *client.Failure
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case silent && connected.Load():
		return unreachable{c, noAnswer, fmt.Sprintf("it takes the connection, but is silent for %s", silences*within), err}
	case silent:
		return unreachable{c, noAnswer, fmt.Sprintf("no connection within %s", within), err}
	case errors.As(err, &answer) && answer.Code == 0 && isGateway(answer):
		return unreachable{c, noAnswer, "a gateway answers that it does not reach it", err}
	case errors.As(err, &failed) && failed.Lost:
		return unreachable{c, noAnswer, lostBecause(err), err}
	case errors.As(err, &answer) && (answer.Code != 0 || !c.found):
		return nil // the real request says more; whoever chose the token chose where it goes
	}
	return unreachable{c, notOrgd, "", err}
}

// isGateway reports whether something between here and the service has answered.
func isGateway(e *client.Error) bool { return e.Status >= 502 && e.Status <= 504 }

// lostBecause says in a few words why there was no answer, "" if nobody listens.
func lostBecause(err error) string {
	var (
		name *net.DNSError
		cert *tls.CertificateVerificationError
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return ""
	case errors.As(err, &name) && name.IsNotFound:
		return fmt.Sprintf("there is no host %q", name.Name)
	case errors.As(err, &name):
		return fmt.Sprintf("the address of %q cannot be looked up", name.Name)
	case errors.As(err, &cert):
		return "its certificate is not accepted, " + strings.TrimPrefix(cert.Err.Error(), "x509: ")
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, new(tls.RecordHeaderError)), errors.As(err, new(tls.AlertError)):
		return "it does not speak HTTPS"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection breaks"
	}
	return "the connection fails"
}
