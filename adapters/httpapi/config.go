package httpapi

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
)

// Config says where and how the API is served.
type Config struct {
	// Addr is the host and port to listen on; port 0 takes a free one.
	Addr string
	// TLSCert and TLSKey are files in PEM form, both or neither. They are read
	// again when they change.
	TLSCert, TLSKey string
	// Console serves the console.
	Console bool
	// ErrorDocsURL begins the type of every problem; the category follows it as
	// an anchor.
	ErrorDocsURL string
	// TrustedProxies are addresses or CIDR ranges whose X-Forwarded-For is
	// believed.
	TrustedProxies []string
	// CORSOrigins are the origins whose pages may call the API.
	CORSOrigins []string
	// RequestTimeout is how long the work on one request may take once its body
	// has arrived. It stays under the 16 s after which an idempotency key is
	// taken over.
	RequestTimeout time.Duration
	// OrganizationTimeout is the same for requests that read or change the whole
	// organization. While they run their idempotency keys are held anew.
	OrganizationTimeout time.Duration
	// OrganizationMaxBody bounds the document of an organization, in bytes.
	OrganizationMaxBody int
	// DrainDelay is how long readiness answers 503 before the listener closes,
	// so that load balancers notice.
	DrainDelay time.Duration
	// ShutdownTimeout is how long running requests may take to end after that.
	ShutdownTimeout time.Duration
}

// Default is a server for one machine.
func Default() Config {
	return Config{
		Addr:            "127.0.0.1:8080",
		ErrorDocsURL:    "https://orgd.invalid/errors",
		RequestTimeout:  10 * time.Second,
		ShutdownTimeout: 30 * time.Second,

		OrganizationTimeout: 10 * time.Minute,
		OrganizationMaxBody: 256 << 20,
	}
}

// maxRequestTimeout is less than the lease of an idempotency key.
const maxRequestTimeout = 15 * time.Second

// Validate reports every mistake, under the names of the command line.
func (c Config) Validate() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !isHostPort(c.Addr) {
		wrong("--addr: %q is not HOST:PORT", c.Addr)
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		wrong("--tls-cert, --tls-key: give both or neither")
	}
	if u, err := url.Parse(c.ErrorDocsURL); err != nil || !u.IsAbs() || u.Fragment != "" {
		wrong("--error-docs-url: %q is not an absolute URL without fragment", c.ErrorDocsURL)
	}
	for _, p := range c.TrustedProxies {
		if _, err := protocol.ParsePrefix(p); err != nil {
			wrong("--trusted-proxies: %w", err)
		}
	}
	for _, o := range c.CORSOrigins {
		if !isOrigin(o) {
			wrong("--cors-origins: %q is not an origin such as https://console.example.com", o)
		}
	}
	if c.RequestTimeout <= 0 || c.RequestTimeout > maxRequestTimeout {
		wrong("--request-timeout: must be above 0 and at most %s", maxRequestTimeout)
	}
	if c.OrganizationTimeout <= 0 {
		wrong("--organization-timeout: must be above 0")
	}
	if c.OrganizationMaxBody <= 0 {
		wrong("--organization-max-body: must be above 0")
	}
	if c.DrainDelay < 0 {
		wrong("--drain-delay: must not be negative")
	}
	if c.ShutdownTimeout <= 0 {
		wrong("--shutdown-timeout: must be above 0")
	}
	return errors.Join(errs...)
}

func isHostPort(s string) bool {
	_, port, err := net.SplitHostPort(s)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	return err == nil
}

// isOrigin reports whether s is an origin as browsers send it.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" &&
		s == u.Scheme+"://"+u.Host && s == strings.ToLower(s) && !strings.Contains(s, "*")
}
