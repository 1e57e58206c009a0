package remote

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

const (
	// ConnectTimeout is how long the connection to a service may take.
	ConnectTimeout = time.Second
	// silences times the connect timeout is how long the first answer may take.
	silences = 10
)

// errSilent is the cause when a check ends because no answer came in time.
var errSilent = errors.New("nothing comes back")

// unreachable is the error of a service that does not answer. Its text is one
// sentence. It does not wrap the error of the connection: a client would try that
// again.
type unreachable struct {
	at     Connection
	format string // with a verb for the address
	reason string // "" if it is not known
	err    error  // of the connection
}

// Unreachable returns the error for a connection that has failed with err.
func (c Connection) Unreachable(err error) error {
	return unreachable{c, noAnswer, lostBecause(err), err}
}

// Error implements error.
func (u unreachable) Error() string {
	text := fmt.Sprintf(u.format, fmt.Sprintf("%s (%s)", u.at.Server, u.at.Setting))
	if u.reason != "" {
		text += ": " + u.reason
	}
	switch {
	case u.at.Setting == DefaultSetting:
		return text + `; start one with "orgd serve", or name another with --server`
	case IsLoopback(u.at.Server):
		return text + `; start one with "orgd serve", or check ` + u.at.Setting
	}
	return text + "; check " + u.at.Setting
}

const (
	noAnswer = "no service answers at %s"
	notOrgd  = "what answers at %s is not orgd"
)

// reach checks, without retries, that a service answers, before a token is sent to
// it. If the connection is made but no answer comes within the timeout, it prints
// that, and it fails after silences times the timeout.
func (c Connection) reach(ctx context.Context, t *terminal.Terminal) error {
	within := cmp.Or(t.ConnectTimeout, time.Minute)
	probe, err := client.New(client.Config{BaseURL: c.Server, MaxAttempts: 1})
	if err != nil {
		return err
	}
	trying, giveUp := context.WithCancelCause(ctx)
	var connected atomic.Bool
	var watch sync.WaitGroup
	watch.Go(func() {
		if Sleep(trying, within) && connected.Load() {
			t.Say("orgd: %s (%s) is silent; waiting up to %s", c.Server, c.Setting, silences*within)
			Sleep(trying, (silences-1)*within)
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
		return c.Unreachable(err)
	case errors.As(err, &answer) && (answer.Code != 0 || !c.discovered):
		// If orgd answered with an error, that of the real request says more. If something
		// else answered, the user has decided that the token goes there; a token that was
		// found in a data directory goes to orgd alone.
		return nil
	}
	return unreachable{c, notOrgd, "", err}
}

// isGateway reports whether a proxy has answered in place of the service.
func isGateway(e *client.Error) bool { return e.Status >= 502 && e.Status <= 504 }

// lostBecause returns in a few words why there was no answer, "" if the connection
// was refused.
func lostBecause(err error) string {
	var (
		name *net.DNSError
		cert *tls.CertificateVerificationError
		dial *net.OpError
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
	case errors.As(err, &dial) && dial.Op == "dial":
		return "the connection fails"
	}
	return "the connection breaks"
}
