package webhook

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// maxURL bounds a URL, in characters.
const maxURL = 2048

// ErrURL is a URL that the operator does not allow.
var ErrURL = fault.New(fault.RequestValidation, "url: is not allowed")

// Policy is what the operator allows beyond endpoints on the public internet.
type Policy struct {
	// AllowHTTP allows endpoints without TLS.
	AllowHTTP bool
	// AllowPrivate allows endpoints at addresses that are not public.
	AllowPrivate bool
}

// Check returns an occurrence of [ErrURL] if p does not allow a well-formed URL
// as far as can be told without looking up its host.
func (p Policy) Check(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return ErrURL.With("url: is not well formed")
	}
	if u.Scheme == "http" && !p.AllowHTTP {
		return ErrURL.With("url: must begin with https://")
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if a, err := netip.ParseAddr(host); err == nil && !p.Reaches(a) || !p.AllowPrivate && isLocalName(host) {
		return ErrURL.With("url: must lead to a public address")
	}
	return nil
}

// Reaches reports whether p allows endpoints at an address.
func (p Policy) Reaches(a netip.Addr) bool { return p.AllowPrivate || isPublic(a) }

// isLocalName reports whether host is a name that means this machine (RFC 6761).
func isLocalName(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// readURL reads an absolute http or https URL in ASCII, without credentials,
// which would be shown, and without fragment, which would not be sent.
func readURL(r *jsondoc.Reader, dst *string) {
	text := ""
	r.Text("url", &text, 1, maxURL)
	if text == "" {
		return
	}
	if problem := urlProblem(text); problem != "" {
		r.Fail("url", "%s", problem)
		return
	}
	*dst = text
}

func urlProblem(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "must be ASCII without white space; write other characters as %XX, other hosts in Punycode"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || !isPort(u):
		return "must be a URL such as https://example.com/hook"
	case u.User != nil:
		return "must not hold credentials"
	case strings.Contains(text, "#"):
		return "must not have a fragment"
	}
	return ""
}

// isPort reports whether the URL has no port or one that exists.
func isPort(u *url.URL) bool {
	if strings.HasSuffix(u.Host, ":") {
		return false
	}
	if u.Port() == "" {
		return true
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}
