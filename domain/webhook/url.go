package webhook

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// maxURL bounds a URL, in characters.
const maxURL = 2048

// ErrURL is a URL that the operator does not allow.
var ErrURL = fault.New(fault.RequestValidation, "url: is not allowed")

// Policy is what the operator allows beyond endpoints on the public internet with TLS.
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
		return ErrURL.At("url", "is not well formed")
	}
	if u.Scheme == "http" && !p.AllowHTTP {
		return ErrURL.At("url", "must begin with https://")
	}
	host := strings.ToLower(u.Hostname())
	a, err := netip.ParseAddr(host)
	switch {
	case err != nil && isNumber(host):
		return ErrURL.At("url", "%q is an address in an uncommon form; write it as 192.0.2.1 or [2001:db8::1], or give a name", host)
	case err == nil && !p.Reaches(a), !p.AllowPrivate && isLocalName(host):
		return ErrURL.At("url", "must lead to a public address")
	}
	return nil
}

// isNumber reports whether a host ends in a number, which no name on the internet does.
// Resolvers take such hosts for addresses in forms that vary: one number, octal or
// hexadecimal ones, fewer or more than four, with a dot at the end (WHATWG URL,
// "ends in a number").
func isNumber(host string) bool {
	host = strings.TrimRight(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits := "0123456789"
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		last, digits = hex+"0", digits+"abcdef"
	}
	return last != "" && strings.Trim(last, digits) == ""
}

// Or returns what p or other allows.
func (p Policy) Or(other Policy) Policy {
	return Policy{AllowHTTP: p.AllowHTTP || other.AllowHTTP, AllowPrivate: p.AllowPrivate || other.AllowPrivate}
}

// Reaches reports whether p allows endpoints at an address.
func (p Policy) Reaches(a netip.Addr) bool { return p.AllowPrivate || isPublic(a) }

// isLocalName reports whether host is a name that means this machine (RFC 6761).
func isLocalName(host string) bool {
	host = strings.TrimRight(host, ".")
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

// reserved are the parts of IPv4 that do not belong to hosts on the public
// internet (IANA special-purpose registry).
var reserved = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared by carriers (CGNAT)
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, where clouds keep their secrets
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.31.196.0/24", // AS112
	"192.52.193.0/24", // AMT
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"192.175.48.0/24", // AS112
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, broadcast
)

// global is the one part of IPv6 where public hosts are. Loopback, link-local,
// unique local, multicast, unspecified, IPv4-mapped and NAT64 addresses lie
// outside of it.
var global = netip.MustParsePrefix("2000::/3")

// carved are the parts of global that are not for public hosts.
var carved = prefixes(
	"2001::/23",         // protocol assignments, Teredo among them
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4: leads to any IPv4 address
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// isPublic reports whether a is the address of a host on the public internet.
func isPublic(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	refused := reserved
	if a.Is6() {
		if !global.Contains(a) {
			return false
		}
		refused = carved
	}
	return !slices.ContainsFunc(refused, func(p netip.Prefix) bool { return p.Contains(a) })
}
