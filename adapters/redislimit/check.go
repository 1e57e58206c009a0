package redislimit

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"orgd/adapters/settings"
)

// ErrLost is a Redis that may be of use later: nobody answers,
// or what answers cannot write.
var ErrLost = errors.New("cannot be used now")

// Check asks Redis once, what requests ask. The error is one line for the
// operator that begins with the setting to look at. It is ErrLost if waiting may
// help; then [Open] starts with the local limiter.
func Check(cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	return check(cfg, usualTiming())
}

func check(cfg Config, timing timing) error {
	l, err := newLimiter(cfg, timing, nil, nil, zap.NewNop())
	if err != nil {
		return err
	}
	err = l.probe(timing.timeout)
	l.end()
	return errors.Join(explain(err), l.redis.close())
}

// explain turns an error of Redis, or of the way to it, into a line for the
// operator.
func explain(err error) error {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case err == nil:
		return nil
	case says(err, "WRONGPASS", "NOAUTH", "ERR AUTH"):
		return settings.Mistakef("redis-password redis-username", "Redis refuses the login")
	case says(err, "NOPERM"):
		return settings.Mistakef("redis-username", "Redis lacks a right for this user: %s", oneLine(err))
	case isTLS(err):
		return settings.Mistakef("redis-tls-ca redis-tls-cert redis-addr", "no TLS with Redis: %s", oneLine(err))
	case errors.As(err, &dns) && dns.IsNotFound:
		return settings.Mistakef("redis-addr", "there is no host %s", dns.Name)
	case errors.As(err, &op):
		return settings.Mistakef("redis-addr", "%w: %s", ErrLost, op)
	}
	return settings.Mistakef("redis-addr", "%w: %s", ErrLost, oneLine(err))
}

// says reports whether Redis itself answered with one of these words.
func says(err error, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return redis.HasErrorPrefix(err, w) })
}

// isTLS reports whether two sides that can reach each other do not agree.
func isTLS(err error) bool {
	return errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.RecordHeaderError)) ||
		errors.As(err, new(tls.AlertError)) || errors.As(err, new(x509.UnknownAuthorityError)) ||
		errors.As(err, new(x509.HostnameError))
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
