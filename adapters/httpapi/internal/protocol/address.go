package protocol

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Clients finds the addresses that requests come from. It has the addresses of the
// trusted proxies.
type Clients []netip.Prefix

// NewClients returns Clients that believe the X-Forwarded-For of the proxies, which
// are addresses or CIDR ranges as [ParsePrefix] reads them.
func NewClients(proxies []string) (Clients, error) {
	var c Clients
	for _, p := range proxies {
		prefix, err := ParsePrefix(p)
		if err != nil {
			return nil, err
		}
		c = append(c, prefix)
	}
	return c, nil
}

// Address is what the limits of a client count by: its IPv4 address, or the
// first 64 bits of its IPv6 address, because a client owns at least those. It
// is the address of the connection unless that is a trusted proxy; then the
// last address in X-Forwarded-For that is not a trusted proxy itself.
func (c Clients) Address(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	at := plain(peer.Addr())
	if c.trusts(at) {
		at = c.forwarded(r.Header, at)
	}
	if at.Is4() {
		return at.String()
	}
	return netip.PrefixFrom(at, 64).Masked().String()
}

// plain returns an IPv4 address that is written as IPv6 in its own form, and an address
// without the zone of its link.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// forwarded reads X-Forwarded-For from its end, where the nearest proxy wrote.
// It stops at what cannot be read: nothing before that can be believed.
func (c Clients) forwarded(h http.Header, at netip.Addr) netip.Addr {
	hops := strings.Split(strings.Join(h.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := parseHop(strings.TrimSpace(hops[i]))
		if err != nil {
			return at
		}
		if at = plain(hop); !c.trusts(at) {
			return at
		}
	}
	return at
}

// parseHop reads an address, which some proxies write with a port.
func parseHop(s string) (netip.Addr, error) {
	if at, err := netip.ParseAddrPort(s); err == nil {
		return at.Addr(), nil
	}
	return netip.ParseAddr(strings.Trim(s, "[]"))
}

func (c Clients) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(c, func(p netip.Prefix) bool { return p.Contains(a) })
}

// IsLocal reports whether a request comes from this machine: from a loopback
// address and, if that is a proxy's, for a client that has one too. It is false for a
// proxy that is not trusted or whose headers cannot be read, because it may forward for
// anybody.
func (c Clients) IsLocal(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !plain(peer.Addr()).IsLoopback() {
		return false
	}
	if len(r.Header.Values("Forwarded")) > 0 {
		return false
	}
	hops := slices.Concat(r.Header.Values("X-Forwarded-For"), r.Header.Values("X-Real-Ip"))
	if len(hops) == 0 {
		return true
	}
	for _, hop := range strings.Split(strings.Join(hops, ","), ",") {
		at, err := parseHop(strings.TrimSpace(hop))
		if err != nil || !plain(at).IsLoopback() {
			return false
		}
	}
	return c.trusts(plain(peer.Addr()))
}

// ParsePrefix reads an address or a CIDR range. One of IPv4 may be written as IPv6.
func ParsePrefix(s string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		a = plain(a)
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(s)
	switch {
	case err != nil:
		return p, fmt.Errorf("%q is neither an address nor a CIDR range", s)
	case !p.Addr().Is4In6():
		return p, nil
	case p.Bits() < mapped:
		return p, fmt.Errorf("%q has fewer than %d bits, so it is no range of IPv4 addresses", s, mapped)
	}
	return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped), nil
}

// mapped is the number of bits before an IPv4 address that is written as IPv6.
const mapped = 96
