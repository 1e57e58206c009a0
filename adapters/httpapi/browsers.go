package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/fault"
	"orgd/domain/session"
)

// consoleHeader marks the requests of the console. A page of another site cannot send it:
// browsers ask before, and no origin gets it allowed.
const consoleHeader = "Orgd-Console"

var (
	// errNoToken does not count as a failed authentication, because nothing was tried.
	errNoToken = fault.New(fault.Unauthorized, "a bearer token is required")
	// errOtherPage is a request by a page that is not of this service.
	errOtherPage = fault.New(fault.Unauthorized, "a browser is signed in for the pages of this service only")
)

// browsers tells the requests of the console in a browser from those of other pages.
type browsers struct {
	url     string // [Config.PublicURL]
	public  string // its host and port
	console bool
}

func newBrowsers(c Config) browsers {
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return browsers{} // which Validate has refused
	}
	return browsers{c.PublicURL, u.Host, c.Console}
}

// secure reports whether browsers reach the service over TLS.
func (b browsers) secure() bool { return strings.HasPrefix(b.url, "https:") }

// link is the sign-in link of a code, nil if the address of the service is not known, or
// it has no console.
func (b browsers) link(code session.Code) *string {
	if b.url == "" || !b.console {
		return nil
	}
	return new(code.URL(b.url))
}

// cookie returns the cookie with the session of a browser, or why it does not count: without
// the header of the console it is as if there was none.
func (b browsers) cookie(r *http.Request) (*http.Cookie, error) {
	if r.Header.Get(consoleHeader) == "" {
		return nil, errNoToken
	}
	c := protocol.Session(r, b.secure())
	if c == nil {
		return nil, errNoToken.With("nobody is signed in")
	}
	return c, b.check(r)
}

// check returns errOtherPage if a request comes from a page of another origin, by its own
// account or by that of the browser.
func (b browsers) check(r *http.Request) error {
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return errOtherPage.With("%s, and this request is %q", errOtherPage.Msg, site)
		}
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) && !strings.EqualFold(u.Host, b.public) {
			return errOtherPage.With("%s, which is %s here, and this one is of %s; see --public-url if a proxy changes Host", errOtherPage.Msg, r.Host, origin)
		}
	}
	return nil
}

// isBadToken reports whether the client failed to authenticate, as opposed to
// the service failing to find out.
func isBadToken(err error) bool {
	return errors.Is(err, session.ErrUnauthorized) || errors.Is(err, session.ErrRevoked) || errors.Is(err, session.ErrLink) ||
		errors.Is(err, session.ErrAttempt) || errors.Is(err, session.ErrProviderRefused)
}
