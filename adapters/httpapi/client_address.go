package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
)

// clients tells where requests come from.
type clients struct {
	trusted []netip.Prefix
}

func newClients(proxies []string) (clients, error) {
	var c clients
	for _, p := range proxies {
		prefix, err := parsePrefix(p)
		if err != nil {
			return clients{}, err
		}
		c.trusted = append(c.trusted, prefix)
	}
	return c, nil
}

// address is what the limits of a client count by: its IPv4 address, or the
// first 64 bits of its IPv6 address, because a client owns at least those. It
// is the address of the connection unless that is a trusted proxy; then the
// last address in X-Forwarded-For that is not a trusted proxy itself.
func (c clients) address(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	at := peer.Addr().Unmap()
	if c.trusts(at) {
		at = c.forwarded(r.Header, at)
	}
	if at.Is4() {
		return at.String()
	}
	block, err := at.WithZone("").Prefix(64)
	if err != nil {
		return at.String()
	}
	return block.String()
}

// forwarded walks X-Forwarded-For from its end, where the nearest proxy wrote.
func (c clients) forwarded(h http.Header, at netip.Addr) netip.Addr {
	hops := strings.Split(strings.Join(h.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return at
		}
		if at = hop.Unmap(); !c.trusts(at) {
			return at
		}
	}
	return at
}

func (c clients) trusts(a netip.Addr) bool {
	for _, p := range c.trusted {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
