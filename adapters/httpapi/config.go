package httpapi

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/settings"
)

// Config says where and how the API is served. The help in the tags describes the
// fields.
type Config struct {
	Addr string `name:"addr" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes a free one."`
	// TLSCert and TLSKey are files in PEM form, both or neither. They are read
	// again when they change.
	TLSCert string `name:"tls-cert" placeholder:"FILE" help:"Serve HTTPS with this certificate; read again when it changes."`
	TLSKey  string `name:"tls-key" placeholder:"FILE" help:"Key of the certificate."`
	// Console serves the console.
	Console bool
	// PublicURL is where browsers reach the service, without the path of a page; "" is where
	// they say that they do.
	PublicURL string `name:"public-url" placeholder:"URL" help:"Where browsers reach the service, such as https://orgd.example.com; sign-in links work from there."`
	// ErrorDocsURL begins the type of every problem; the category follows it as
	// an anchor.
	ErrorDocsURL   string   `name:"error-docs-url" placeholder:"URL" help:"Where error types are explained; problems begin their type with it."`
	TrustedProxies []string `name:"trusted-proxies" placeholder:"CIDR" help:"Proxies whose X-Forwarded-For is believed: addresses or ranges."`
	CORSOrigins    []string `name:"cors-origins" placeholder:"ORIGIN" help:"Origins whose pages may call the API."`
	// RequestTimeout begins once the body has arrived. It stays under the 16 s after
	// which an idempotency key is taken over.
	RequestTimeout time.Duration `name:"request-timeout" placeholder:"TIME" help:"How long the work on one request may take, up to 15s."`
	// OrganizationTimeout may be longer: idempotency keys are renewed meanwhile.
	OrganizationTimeout time.Duration `name:"organization-timeout" placeholder:"TIME" help:"The same for requests that read or change the whole organization, and for reorders."`
	OrganizationMaxBody int           `name:"organization-max-body" placeholder:"BYTES" help:"How large the document of an organization may be. What does not fit into memory goes to temporary files."`
	DrainDelay          time.Duration `name:"drain-delay" placeholder:"TIME" help:"After a signal to stop: how long to answer while readiness says 503, so that load balancers notice."`
	ShutdownTimeout     time.Duration `name:"shutdown-timeout" placeholder:"TIME" help:"How long running requests may take to end after that."`
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
	var m settings.Mistakes
	m.Unless(isHostPort(c.Addr), "addr", "%q is not HOST:PORT", c.Addr)
	m.Unless((c.TLSCert == "") == (c.TLSKey == ""), "tls-cert tls-key", "give both or neither")
	u, err := url.Parse(c.ErrorDocsURL)
	m.Unless(err == nil && u.IsAbs() && u.Fragment == "", "error-docs-url", "%q is not an absolute URL without fragment", c.ErrorDocsURL)
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		m.Unless(err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "", "public-url",
			"%q is not a URL such as https://orgd.example.com", c.PublicURL)
	}
	for _, p := range c.TrustedProxies {
		_, err := protocol.ParsePrefix(p)
		m.Unless(err == nil, "trusted-proxies", "%w", err)
	}
	for _, o := range c.CORSOrigins {
		m.Unless(isOrigin(o), "cors-origins", "%q is not an origin such as https://console.example.com", o)
	}
	m.Unless(c.RequestTimeout > 0 && c.RequestTimeout <= maxRequestTimeout, "request-timeout", "must be above 0 and at most %s", maxRequestTimeout)
	m.Unless(c.OrganizationTimeout > 0, "organization-timeout", "must be above 0")
	m.Unless(c.OrganizationMaxBody > 0, "organization-max-body", "must be above 0")
	m.Unless(c.DrainDelay >= 0, "drain-delay", "must not be negative")
	m.Unless(c.ShutdownTimeout > 0, "shutdown-timeout", "must be above 0")
	return m.Err()
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
