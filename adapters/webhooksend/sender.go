// Package webhooksend sends messages to the endpoints of webhooks over HTTP. It
// trusts them with nothing: they are named by others, so it goes nowhere but to
// addresses that the operator allows, follows nobody, and reads no more of an
// answer than it must.
package webhooksend

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"syscall"
	"time"

	"orgd/adapters/telemetry"
	"orgd/domain/webhook"
	"orgd/ports"
)

var _ ports.WebhookSender = (*Sender)(nil)

// Config says how messages are sent.
type Config struct {
	// Policy says which endpoints are allowed, beside those that a message allows.
	Policy webhook.Policy
	// UserAgent is who endpoints are told that it is.
	UserAgent string
	// Timeout bounds one attempt, from looking up the name to the end of the
	// answer. It stays well under webhook.Lease.
	Timeout time.Duration
	// Roots are the authorities that endpoints' certificates come from; nil
	// means those of the machine.
	Roots *x509.CertPool
	// Traces has a span for each attempt, and tells the endpoint of its trace; nil
	// without.
	Traces *telemetry.Traces
}

// Default is the configuration of a service of some version.
func Default(version string) Config {
	return Config{UserAgent: "orgd/" + version, Timeout: 10 * time.Second}
}

// Bounds of connections and answers.
const (
	dialTimeout = 5 * time.Second
	tlsTimeout  = 5 * time.Second
	idleTimeout = 30 * time.Second
	maxIdle     = 256
	maxHeaders  = 32 << 10
	// maxAnswer is how much of an answer is read, only to use its connection
	// again.
	maxAnswer = 16 << 10
)

// Sender sends messages. It is safe for concurrent use.
type Sender struct {
	cfg Config
	// public connects to public addresses only. The connections of the other one are
	// apart, or a message that allows less would be sent over one of them.
	public, private *http.Client
}

// New returns a sender and what closes the connections that it keeps.
func New(cfg Config) (*Sender, func()) { return resolving(cfg, nil) }

// resolving is New with a resolver of names; nil means that of the machine.
func resolving(cfg Config, resolver *net.Resolver) (*Sender, func()) {
	public, closePublic := newClient(cfg, webhook.Policy{}, resolver)
	private, closePrivate := newClient(cfg, webhook.Policy{AllowPrivate: true}, resolver)
	return &Sender{cfg: cfg, public: public, private: private}, func() { closePublic(); closePrivate() }
}

// newClient returns a client for the addresses that a policy reaches, and what closes the
// connections that it keeps.
func newClient(cfg Config, p webhook.Policy, resolver *net.Resolver) (*http.Client, func()) {
	dialer := &net.Dialer{Timeout: dialTimeout, ControlContext: guard(p), Resolver: resolver}
	transport := &http.Transport{
		Proxy:                  nil, // whatever the environment says: a proxy would dial for us, unguarded
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.Roots},
		TLSHandshakeTimeout:    tlsTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    4,
		MaxResponseHeaderBytes: maxHeaders,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
	}
	client := &http.Client{
		Transport: cfg.Traces.Transport(transport),
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	return client, transport.CloseIdleConnections
}

// errAddress is an endpoint at an address that is not allowed.
var errAddress = errors.New("webhooksend: the address is not allowed")

// guard refuses to connect to addresses that the policy does not reach. It sees
// the address that is about to be used, whatever name led there, so a name
// cannot lead elsewhere after it was checked.
func guard(p webhook.Policy) func(ctx context.Context, network, address string, _ syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !p.Reaches(at.Addr()) {
			return errAddress
		}
		return nil
	}
}

// Send implements [ports.WebhookSender].
func (s *Sender) Send(ctx context.Context, m webhook.Message) webhook.Result {
	allowed := s.cfg.Policy.Or(m.Allowed)
	if allowed.Check(m.URL) != nil {
		return webhook.Result{Failure: webhook.BadAddress}
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return webhook.Result{Failure: webhook.BadAddress}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", s.cfg.UserAgent)
	r.Header.Set("Webhook-Id", m.ID)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(m.At.Unix(), 10))
	r.Header.Set("Webhook-Signature", m.Signature)
	client := s.public
	if allowed.AllowPrivate {
		client = s.private
	}
	answer, err := client.Do(r)
	if err != nil {
		return webhook.Result{Failure: failureOf(err)}
	}
	// What the endpoint has answered counts, also if it does not come to an end.
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer)
	_ = answer.Body.Close()
	return resultOf(answer.StatusCode)
}

func resultOf(code int) webhook.Result {
	if code >= 200 && code <= 299 {
		return webhook.Result{Code: code}
	}
	return webhook.Result{Code: code, Failure: webhook.BadStatus}
}

// failureOf says in one word why nobody has answered.
func failureOf(err error) webhook.Failure {
	var timeout net.Error
	switch {
	case errors.Is(err, errAddress):
		return webhook.BadAddress
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return webhook.Timeout
	case isTLS(err):
		return webhook.BadTLS
	case errors.As(err, new(*net.DNSError)):
		return webhook.NoName
	case errors.As(err, &timeout) && timeout.Timeout():
		return webhook.Timeout
	}
	return webhook.NoConnection
}

// isTLS reports whether the endpoint has not proved who it is.
func isTLS(err error) bool {
	var alert *net.OpError
	if errors.As(err, &alert) && alert.Op == "remote error" { // it has broken off the handshake
		return true
	}
	return errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.RecordHeaderError)) ||
		errors.As(err, new(x509.HostnameError)) || errors.As(err, new(x509.UnknownAuthorityError))
}
